import { ATTRIBUTE } from "../../core/base/search-attributes";
import type { ListedTask, Visibility } from "./visibility";
import { inTree } from "./visibility";

/** At least this many candidates are listed, even if fewer are wanted, because some may be taken before they are asked. */
const SLACK = 16;
/** A queue of at most this many is listed whole. */
const SMALL = 128;

/**
 * The most important pending tasks. Visibility cannot sort by priority, so counting finds the lowest priority that is
 * needed. If many tasks share it, counting finds the needed part of the tree in the same way. The number of calls grows
 * with the logarithm of the range of values, and the length of the lists with the answer; neither grows with the queue.
 */
export class Queue {
  /** The result of the last search. The next one usually ends at the same value. */
  private lastPriority = 0;
  private lastOrder = 1;
  private wasSmall = true;

  constructor(private readonly visibility: Visibility) {}

  /** At least `wanted` tasks if there are so many, most important first. Some may not be pending any more. */
  async candidates(base: number, wanted: number): Promise<ListedTask[]> {
    const pending = `${inTree(base)} AND ${ATTRIBUTE.status} = "PENDING" AND ExecutionStatus = "Running"`;
    if (this.wasSmall) {
      const all = await this.visibility.tasks(pending, SMALL + 1);
      if (all.length <= SMALL) return byImportance(all);
      this.wasSmall = false;
    }
    const need = wanted + SLACK;
    const from = (priority: number) => `${pending} AND ${ATTRIBUTE.priority} >= ${priority}`;
    const found = await smallest((x) => this.visibility.count(from(-x)), need, -this.lastPriority);
    const lowest = -found.at;
    this.lastPriority = found.count < need ? 0 : lowest;
    this.wasSmall = found.count < need;
    if (found.count <= need + SMALL) return byImportance(await this.visibility.tasks(from(lowest)));

    // Too many tasks have the lowest priority: of these only the first in the tree are needed.
    const above = await this.visibility.tasks(from(lowest + 1));
    const equal = (order: number) =>
      `${pending} AND ${ATTRIBUTE.priority} = ${lowest} AND (${ATTRIBUTE.order} <= ${order} OR ${ATTRIBUTE.order} IS NULL)`;
    const last = await smallest((order) => this.visibility.count(equal(order)), need - above.length, this.lastOrder);
    this.lastOrder = last.at;
    return byImportance([...above, ...(await this.visibility.tasks(equal(last.at)))]);
  }
}

const byImportance = (tasks: readonly ListedTask[]): ListedTask[] =>
  [...tasks].sort((a, b) => b.priority - a.priority || (a.order ?? 0) - (b.order ?? 0));

/** Wider than any stored value. */
const WIDEST = 2 ** 53;

/**
 * The smallest whole number x for which `count(x)` is at least `need`, with its count; count never falls as x grows.
 * Starts at a guess and doubles its steps, so a good guess costs two calls. If even the total is less, the total.
 */
export async function smallest(
  count: (x: number) => Promise<number>,
  need: number,
  guess: number,
): Promise<{ at: number; count: number }> {
  let low = { at: guess, count: await count(guess) };
  let high = low;
  if (high.count >= need)
    for (let step = 1; low.count >= need; step *= 2) {
      high = low;
      if (low.at < -WIDEST) return high;
      low = { at: low.at - step, count: await count(low.at - step) };
    }
  else
    for (let step = 1; high.count < need; step *= 2) {
      low = high;
      if (high.at > WIDEST) return high;
      high = { at: high.at + step, count: await count(high.at + step) };
    }
  while (high.at - low.at > 1) {
    const at = Math.floor((low.at + high.at) / 2);
    const middle = { at, count: await count(at) };
    if (middle.count >= need) high = middle;
    else low = middle;
  }
  return high;
}
