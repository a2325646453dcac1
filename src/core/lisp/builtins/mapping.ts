import { INFINITY, MAX_SAFE_INTEGER, MIN_SAFE_INTEGER, min } from "../../base/intrinsics";
import { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import type { Builtin, Value } from "../values/values";
import { invalidArgument } from "./builtin-errors";
import { answersTo, callee, type Direct } from "./callable";
import { type Args, type Calls, family, MANY } from "./define";
import { elements, isKeyword, isMap, reading, spend, tagOf } from "./sequence";

const { higher } = family("transforming");

/** Throws if a builtin would map a keyword over a single map: the program means its field. */
export function refuseKeywordOverMap(name: string, fn: Value, coll: Value): void {
  if (isKeyword(fn) && isMap(coll))
    throw invalidArgument(name, `a keyword over a single map; for the field of one map use (:${fn.name} m)`);
}

/** A loop, because a call with so many arguments would overflow the host's stack. */
export const shortest = (rows: readonly Value[][]): number =>
  rows.reduce((least, row) => min(least, row.length), INFINITY);

function* mapOver(args: Args, ctx: BuiltinContext): Calls {
  const [fn, ...colls] = args;
  if (colls.length === 1) refuseKeywordOverMap("map", fn, colls[0]!);
  const direct = callee("map", fn, ctx);
  if (colls.length === 1) return yield* mapOne(fn, direct, elements("map", args, colls[0]!, "vsmt", ctx), ctx);
  const rows = colls.map((coll) => elements("map", args, coll, "vsmt", ctx));
  const length = shortest(rows);
  spend(ctx, length);
  const out: Value[] = [];
  for (let i = 0; i < length; i++) {
    const row = rows.map((items) => items[i]!);
    out.push(direct ? direct(row) : yield { fn, args: row });
  }
  return Vec.from(out);
}

function* mapOne(fn: Value, direct: Direct | null, items: Value[], ctx: BuiltinContext): Calls {
  spend(ctx, items.length);
  // The elements are the builtin's own copy, so results replace them.
  if (direct !== null) for (let i = 0; i < items.length; i++) items[i] = direct([items[i]!]);
  else yield* answersTo(fn, Vec.from(items), items, ctx);
  return Vec.from(items);
}

export const map = higher(
  "map",
  [2, MANY],
  ["(map f coll)", "(map f c1 c2 & more)"],
  inCard(
    "sequences",
    1,
    "A vector with f of each element; with several collections f gets one element of each, to the end of the shortest.",
  ),
  mapOver,
);

/**
 * Adds elements to a number, as far as all of them and their sum are small integers. It is a separate function because a generator would
 * allocate a variable of any type anew for each large sum.
 */
function addedUp(items: Vec<Value>, from: number, start: number): { next: number; sum: number } {
  const [least, most] = [MIN_SAFE_INTEGER, MAX_SAFE_INTEGER];
  const { series, length } = items;
  let sum = start;
  let next = from;
  if (series !== undefined) {
    const { first, step } = series;
    for (; next < length; next++) {
      const more = sum + (first + next * step);
      if (!(more >= least && more <= most)) break;
      sum = more;
    }
    return { next, sum };
  }
  for (; next < length; next++) {
    const item = items.at(next);
    if (typeof item !== "number") break;
    const more = sum + item;
    if (!(more >= least && more <= most)) break;
    sum = more;
  }
  return { next, sum };
}

function* reduceOver(args: Args, ctx: BuiltinContext): Calls {
  const fn = args[0];
  const direct = callee("reduce", fn, ctx);
  const items = reading("reduce", args, args[args.length - 1]!, "vsmt", ctx);
  const quick = direct === null ? ctx.quick(fn, items.length) : null;
  let from = 0;
  let acc: Value;
  if (args.length === 3) acc = args[1];
  else {
    if (items.length === 0) return null;
    acc = items.at(0);
    from = 1;
  }
  if (typeof acc === "number" && tagOf(fn) === "builtin" && (fn as Builtin).name === "+") {
    // The most common case runs without a call for each element. Values that are not small integers go the usual way.
    const { next, sum } = addedUp(items, from, acc);
    ctx.chargeEach(next - from);
    from = next;
    acc = sum;
  }
  for (let i = from; i < items.length; i++) {
    if (quick !== null) {
      i = quick.fold(items, i, acc);
      acc = quick.result;
      if (i === items.length) break;
    }
    const item = items.at(i);
    acc = direct ? direct([acc, item]) : yield { fn, args: [acc, item] };
  }
  return acc;
}

export const reduce = higher(
  "reduce",
  [2, 3],
  ["(reduce f coll)", "(reduce f init coll)"],
  inCard("sequences", 11, "Combines the elements from the left with f of accumulator and element."),
  reduceOver,
  (args, answered, last, ctx) => {
    const items = elements("reduce", args, args[args.length - 1]!, "vsmt", ctx);
    return [args[0]!, last, Vec.from(items.slice(args.length === 3 ? answered : answered + 1))];
  },
);
