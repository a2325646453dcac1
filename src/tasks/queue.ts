import type { ListedTask, Visibility } from "./visibility";
import { inTree } from "./visibility";

/** So many candidates are listed at once even where fewer are wanted: some may be taken by the time they are asked. */
const SLACK = 32;
/** A queue of at most this many is listed whole. */
const SMALL = 128;

/**
 * The most important pending tasks. Visibility cannot sort by priority, so the lowest priority that is needed is found
 * by counting; where many share it, the place in the tree up to which they are needed in the same way. The number of
 * calls grows with the logarithm of the range of values, what is listed with the answer, neither with the queue.
 */
export class Queue {
  /** Where the last search ended: the next one usually ends there too. */
  private lastPriority = 0;
  private lastOrder = 1;

  constructor(private readonly visibility: Visibility) {}

  /** At least `wanted` of them where there are so many, most important first; may hold some that are not pending any more. */
  async candidates(base: number, wanted: number): Promise<ListedTask[]> {
    const pending = `${inTree(base)} AND NavigatorStatus = "PENDING" AND ExecutionStatus = "Running"`;
    const all = await this.visibility.tasks(pending, SMALL + 1);
    if (all.length <= SMALL) return byImportance(all);
    const need = wanted + SLACK;
    const from = (priority: number) => `${pending} AND NavigatorPriority >= ${priority}`;
    const count = (query: string) => this.visibility.count(query);

    const lowest = -(await smallest((x) => count(from(-x)), need, -this.lastPriority));
    this.lastPriority = lowest;
    const inReach = await count(from(lowest));
    if (inReach <= need + SMALL) return byImportance(await this.visibility.tasks(from(lowest)));

    // Too many share the lowest one: of these the first in the tree are needed.
    const above = await this.visibility.tasks(from(lowest + 1));
    const left = need - above.length;
    const equal = (order: number) =>
      `${pending} AND NavigatorPriority = ${lowest} AND (NavigatorOrder <= ${order} OR NavigatorOrder IS NULL)`;
    const last = await smallest((order) => count(equal(order)), left, this.lastOrder);
    this.lastOrder = last;
    return byImportance([...above, ...(await this.visibility.tasks(equal(last)))]);
  }
}

const byImportance = (tasks: readonly ListedTask[]): ListedTask[] =>
  [...tasks].sort((a, b) => b.priority - a.priority || (a.order ?? 0) - (b.order ?? 0));

/** Wider than any value that is stored. */
const WIDEST = 2 ** 62;

/**
 * The smallest whole number x for which `count(x)` is at least `need`, where count never falls as x grows. Begins at a
 * guess and doubles its steps, so a good guess costs two calls. Where even everything is less, everything.
 */
export async function smallest(count: (x: number) => Promise<number>, need: number, guess: number): Promise<number> {
  let low: number;
  let high: number;
  if ((await count(guess)) >= need) {
    high = guess;
    low = guess - 1;
    for (let step = 2; (await count(low)) >= need; step *= 2) {
      high = low;
      low -= step;
      if (low < -WIDEST) return high;
    }
  } else {
    low = guess;
    high = guess + 1;
    for (let step = 2; (await count(high)) < need; step *= 2) {
      low = high;
      high += step;
      if (high > WIDEST) return high;
    }
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await count(middle)) >= need) high = middle;
    else low = middle;
  }
  return high;
}
