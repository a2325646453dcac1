import { HostFloats, min } from "../../base/intrinsics";
import type { BuiltinContext } from "../values/context";
import { compareTotal } from "../values/order";
import { sortSteps } from "../values/traversal-limit";
import { Float, type Value } from "../values/values";
import { invalidArgument } from "./builtin-errors";
import { isTruthy } from "./callable";
import type { Calls } from "./define";
import { isKeyword, tagOf } from "./sequence";

/** An element with its sort key. */
export interface Keyed {
  key: Value;
  item: Value;
}

/**
 * Sorts stably. Without a comparator, or with `:asc` / `:desc` / an ordering builtin, by the total order, so that
 * mixed data never fails; else by a two-argument function that gives a boolean, or a number (<= 0: in order).
 */
export function* sortKeyed(
  name: string,
  items: Keyed[],
  comparator: Value | undefined,
  ctx: BuiltinContext,
): Generator<{ fn: Value; args: Value[] }, Keyed[], Value> {
  ctx.charge(1 + sortSteps(items.length));
  const sign = comparator === undefined ? 1 : knownDirection(comparator);
  if (sign !== undefined) return items.sort((a, b) => sign * compareTotal(a.key, b.key));
  if (!isComparator(comparator!))
    throw invalidArgument(name, "the comparator must be :asc, :desc or a function of two arguments");
  return yield* mergeSort(items, comparator!);
}

/** Sorts elements by their own value with the host's sort, without a key for each. */
export function sortedByOrder(items: Value[], comparator: Value | undefined, ctx: BuiltinContext): Value[] | undefined {
  const sign = comparator === undefined ? 1 : knownDirection(comparator);
  if (sign === undefined) return undefined;
  ctx.charge(1 + sortSteps(items.length));
  return sortedNumbers(items, sign) ?? items.sort((a, b) => sign * compareTotal(a, b));
}

/** Small integers, sorted by the host without a call for each comparison; undefined when others are among them. */
function sortedNumbers(items: Value[], sign: 1 | -1): Value[] | undefined {
  for (let i = 0; i < items.length; i++) if (typeof items[i] !== "number") return undefined;
  const sorted = new HostFloats(items as readonly number[]).sort();
  if (sign < 0) sorted.reverse();
  for (let i = 0; i < sorted.length; i++) items[i] = sorted[i] as number;
  return items;
}

function knownDirection(comparator: Value): 1 | -1 | undefined {
  if (isKeyword(comparator)) return comparator.name === "asc" ? 1 : comparator.name === "desc" ? -1 : undefined;
  if (tagOf(comparator) !== "builtin") return undefined;
  return DIRECTIONS[(comparator as { name: string }).name];
}

const DIRECTIONS: Record<string, 1 | -1 | undefined> = { "<": 1, "<=": 1, compare: 1, ">": -1, ">=": -1 };

const isComparator = (value: Value): boolean => ["closure", "builtin", "native"].includes(tagOf(value) ?? "");

function* mergeSort(items: Keyed[], comparator: Value): Generator<{ fn: Value; args: Value[] }, Keyed[], Value> {
  let source = items;
  for (let width = 1; width < items.length; width *= 2) {
    const target: Keyed[] = [];
    for (let start = 0; start < source.length; start += 2 * width) {
      const middle = min(start + width, source.length);
      const end = min(start + 2 * width, source.length);
      let left = start;
      let right = middle;
      while (left < middle && right < end) {
        const takeLeft: Value = yield* inOrder(comparator, source[left]!.key, source[right]!.key);
        target.push(takeLeft ? source[left++]! : source[right++]!);
      }
      while (left < middle) target.push(source[left++]!);
      while (right < end) target.push(source[right++]!);
    }
    source = target;
  }
  return source;
}

/**
 * Whether the left one may stay before the right one. For equal elements `>` is false both ways, so it is asked twice.
 */
function* inOrder(comparator: Value, left: Value, right: Value): Calls {
  const answer: Value = yield { fn: comparator, args: [left, right] };
  if (typeof answer === "number" || typeof answer === "bigint") return answer <= 0;
  if (answer instanceof Float) return answer.n <= 0;
  if (isTruthy(answer)) return true;
  return !isTruthy(yield { fn: comparator, args: [right, left] });
}
