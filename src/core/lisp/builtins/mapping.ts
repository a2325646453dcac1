import { INFINITY, isSafeInteger, min, NAN } from "../../base/intrinsics";
import { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import type { Builtin, Value } from "../values/values";
import { invalidArgument } from "./builtin-errors";
import { callee, type Direct } from "./callable";
import { type Args, type Calls, family, MANY } from "./define";
import { elements, isKeyword, isMap, spend, tagOf } from "./sequence";

const { higher } = family("transforming");

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
  for (let i = 0; i < items.length; i++) items[i] = direct ? direct([items[i]!]) : yield { fn, args: [items[i]!] };
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

function* reduceOver(args: Args, ctx: BuiltinContext): Calls {
  const fn = args[0];
  const direct = callee("reduce", fn, ctx);
  const items = elements("reduce", args, args[args.length - 1]!, "vsmt", ctx);
  let from = 0;
  let acc: Value;
  if (args.length === 3) acc = args[1];
  else {
    if (items.length === 0) return null;
    acc = items[0]!;
    from = 1;
  }
  if (tagOf(fn) === "builtin" && (fn as Builtin).name === "+") {
    // The most common case runs without a call for each element. Values that are not small integers go the usual way.
    for (; from < items.length; from++) {
      const item = items[from]!;
      const sum = typeof acc === "number" && typeof item === "number" ? acc + item : NAN;
      if (!isSafeInteger(sum)) break;
      ctx.charge(1);
      acc = sum;
    }
  }
  for (let i = from; i < items.length; i++) {
    const item = items[i]!;
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
