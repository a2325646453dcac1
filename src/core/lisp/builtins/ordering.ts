import { ceil, isNaNumber, isSafeInteger, MAX_SAFE_INTEGER, max, toNumber } from "../../base/intrinsics";
import { KeyTable, Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { type Description, inCard } from "../values/doc";
import { ENTRY, FLOAT, VECTOR } from "../values/sizes";
import { Float, type Value } from "../values/values";
import { invalidArgument, typeError } from "./builtin-errors";
import { answersTo, callee, isTruthy, keyFunction } from "./callable";
import { type Args, type Calls, family } from "./define";
import { type Keyed, sortedByOrder, sortKeyed } from "./merge-sort";
import { add, isNumber, toHost } from "./numbers";
import { elements, isVector, reading, spend, type Takes, tagOf, vector } from "./sequence";

const { plain, higher } = family("ordering");

/** A count argument; floats are refused (lisp reference, section 11.3). */
function whole(name: string, args: readonly Value[], n: Value): number {
  if (typeof n === "number") return n;
  if (typeof n === "bigint") return n > 0n ? MAX_SAFE_INTEGER : -MAX_SAFE_INTEGER;
  throw typeError(
    name,
    args,
    n instanceof Float ? "the count must be an integer (quot gives one, / does not)" : undefined,
  );
}

/** A part of a collection; vectors share their elements. */
function part(name: string, args: readonly Value[], coll: Value, takes: Takes, ctx: BuiltinContext): Vec<Value> {
  ctx.allocate(VECTOR);
  return isVector(coll) ? coll : Vec.from(elements(name, args, coll, takes, ctx));
}

const slicing = (
  name: string,
  usage: string,
  text: Description,
  takes: Takes,
  cut: (items: Vec<Value>, n: number) => Vec<Value>,
) =>
  plain(name, 2, usage, text, (args, ctx) => {
    const [n, coll] = args;
    const count = whole(name, args, n);
    return cut(part(name, args, coll, takes, ctx), count);
  });

const single = (name: string, text: Description, takes: Takes, pick: (items: Vec<Value>) => Value) =>
  plain(name, 1, `(${name} coll)`, text, (args, ctx) => pick(part(name, [args[0]], args[0], takes, ctx)));

/** `ffirst` and similar builtins: `outer` of `inner`. */
const nested = (
  name: string,
  text: Description,
  pick: (items: Vec<Value>, again: (value: Value) => Vec<Value>) => Value,
) =>
  plain(name, 1, `(${name} coll)`, text, (args, ctx) => {
    const as = (value: Value) => part(name, [value], value, "vs", ctx);
    return pick(as(args[0]), as);
  });

const orNil = (items: Vec<Value>): Value => (items.length === 0 ? null : items);

function* prefixLength(
  name: string,
  args: Args,
  ctx: BuiltinContext,
): Generator<{ fn: Value; args: Value[] }, [Vec<Value>, number], Value> {
  const [pred, coll] = args;
  const direct = callee(name, pred, ctx);
  const items = part(name, args, coll, "vsm", ctx);
  for (let i = 0; i < items.length; i++) {
    const item = items.at(i);
    const result: Value = direct ? direct([item]) : yield { fn: pred, args: [item] };
    if (!isTruthy(result)) return [items, i];
  }
  return [items, items.length];
}

function* sort(args: Args, ctx: BuiltinContext): Calls {
  const coll = args[args.length - 1]!;
  const comparator = args.length === 2 ? args[0] : undefined;
  if (comparator !== undefined && isVector(comparator))
    throw invalidArgument("sort", "the comparator comes first: (sort > coll)");
  const items = elements("sort", args, coll, "vs", ctx);
  const ordered = sortedByOrder(items, comparator, ctx);
  if (ordered !== undefined) return vector(ordered, ctx);
  const sorted = yield* sortKeyed(
    "sort",
    items.map((item): Keyed => ({ key: item, item })),
    comparator,
    ctx,
  );
  return vector(
    sorted.map((entry) => entry.item),
    ctx,
  );
}

function* sortBy(args: Args, ctx: BuiltinContext): Calls {
  const key = args[0];
  const coll = args[args.length - 1]!;
  const comparator = args.length === 3 ? args[1] : undefined;
  if (comparator !== undefined && (isVector(comparator) || tagOf(comparator) === "map" || comparator === null))
    throw invalidArgument("sort-by", "the comparator comes before the collection: (sort-by key > coll)");
  const direct = keyFunction("sort-by", key, ctx);
  const items: Keyed[] = [];
  const from = reading("sort-by", args, coll, "vsmt", ctx);
  const keys = from.toArray();
  if (direct === null) yield* answersTo(key, from, keys, ctx);
  for (let i = 0; i < from.length; i++) {
    const item = from.at(i);
    items.push({ key: direct ? direct([item]) : keys[i]!, item });
  }
  const sorted = yield* sortKeyed("sort-by", items, comparator, ctx);
  return vector(
    sorted.map((entry) => entry.item),
    ctx,
  );
}

function range(args: Args, ctx: BuiltinContext): Value {
  const [start, end, step]: Value[] =
    args.length === 1 ? [0, args[0], 1] : args.length === 2 ? [args[0], args[1], 1] : [args[0], args[1], args[2]];
  if (!isNumber(start!) || !isNumber(end!) || !isNumber(step!)) {
    if (args.length === 1) throw typeError("range", args);
    return Vec.empty;
  }
  const by = toHost(step);
  const count = ceil((toHost(end) - toHost(start)) / by);
  if (by === 0 || isNaNumber(count) || count <= 0) return Vec.empty;
  spend(ctx, count);
  if (typeof start === "number" && typeof step === "number" && isSafeInteger(start + count * step))
    return Vec.range(start, step, count);
  const out: Value[] = [];
  ctx.allocate(FLOAT * count);
  if (start instanceof Float || step instanceof Float) {
    for (let i = 0; i < count; i++) {
      const at = toHost(start) + i * by;
      if (by > 0 ? at >= toHost(end) : at <= toHost(end)) break;
      out.push(i === 0 ? start : new Float(at));
    }
  } else {
    let at: Value = start;
    for (let i = 0; i < count; i++) {
      out.push(at);
      at = add("range", at, step, ctx, args);
    }
  }
  return Vec.from(out);
}

/** Ordering and slicing (lisp reference, section 11.3). */
export const ORDERING = [
  higher(
    "sort",
    [1, 2],
    ["(sort coll)", "(sort comparator coll)"],
    inCard("sequences", 12, "The elements in order; comparators: :asc, :desc, <, >, or a function of two arguments."),
    sort,
  ),
  higher(
    "sort-by",
    [2, 3],
    ["(sort-by key coll)", "(sort-by key comparator coll)"],
    inCard("sequences", 13, "The elements ordered by a key: a field, path or function."),
    sortBy,
  ),
  plain("reverse", 1, "(reverse coll)", inCard("sequences", 14, "The elements from the end."), (args, ctx) =>
    vector(elements("reverse", [args[0]], args[0], "vs", ctx).reverse(), ctx),
  ),
  single("first", inCard("sequences", 15, "The first element, or nil."), "vs", (items) => items.get(0) ?? null),
  single("second", inCard("sequences", 16, "The second element, or nil."), "vs", (items) => items.get(1) ?? null),
  single(
    "last",
    inCard("sequences", 17, "The last element, or nil."),
    "vs",
    (items) => items.get(items.length - 1) ?? null,
  ),
  plain(
    "nth",
    [2, 3],
    ["(nth coll index)", "(nth coll index default)"],
    inCard(
      "sequences",
      18,
      "The element at an index, nil (or the default) when out of range; negative indices count from the end.",
    ),
    (args, ctx) => {
      const [coll, index] = args;
      if (typeof index !== "number" && typeof index !== "bigint") throw typeError("nth", args);
      const items = part("nth", args, coll, "vs", ctx);
      const at = toNumber(index);
      const found = items.get(at < 0 ? items.length + at : at);
      return found === undefined ? (args[2] ?? null) : found;
    },
  ),
  single("rest", inCard("sequences", 19, "All elements but the first."), "vs", (items) => items.slice(1)),
  single("butlast", inCard("sequences", 20, "All elements but the last."), "vs", (items) =>
    items.slice(0, items.length - 1),
  ),
  single("next", inCard("sequences", 21, "All elements but the first, or nil when none are left."), "vs", (items) =>
    orNil(items.slice(1)),
  ),
  nested("ffirst", "The first of the first.", (items, again) => again(items.get(0) ?? null).get(0) ?? null),
  nested("fnext", "The first of the rest.", (items) => items.get(1) ?? null),
  nested("nfirst", "The rest of the first, or nil.", (items, again) => orNil(again(items.get(0) ?? null).slice(1))),
  nested("nnext", "All elements from the third on, or nil.", (items) => orNil(items.slice(2))),
  slicing(
    "take",
    "(take n coll)",
    inCard("sequences", 22, "The first n elements; negative n: the last."),
    "vsm",
    (items, n) => (n < 0 ? items.slice(items.length + n) : items.slice(0, n)),
  ),
  slicing(
    "drop",
    "(drop n coll)",
    inCard("sequences", 23, "All but the first n elements; negative n: all but the last."),
    "vsm",
    (items, n) => (n < 0 ? items.slice(0, items.length + n) : items.slice(n)),
  ),
  slicing("take-last", "(take-last n coll)", inCard("sequences", 24, "The last n elements."), "vsm", (items, n) =>
    n <= 0 ? Vec.empty : items.slice(items.length - n),
  ),
  plain(
    "drop-last",
    [1, 2],
    ["(drop-last coll)", "(drop-last n coll)"],
    inCard("sequences", 25, "All but the last n elements, by default one."),
    (args, ctx) => {
      const n = args.length === 1 ? 1 : whole("drop-last", args, args[0]);
      const items = part("drop-last", args, args[args.length - 1]!, "vsm", ctx);
      return n <= 0 ? items : items.slice(0, max(0, items.length - n));
    },
  ),
  higher(
    "take-while",
    2,
    "(take-while pred coll)",
    inCard("sequences", 26, "The elements before the first for which pred is false."),
    function* (args, ctx) {
      const [items, length] = yield* prefixLength("take-while", args, ctx);
      return items.slice(0, length);
    },
  ),
  higher(
    "drop-while",
    2,
    "(drop-while pred coll)",
    inCard("sequences", 27, "The elements from the first for which pred is false."),
    function* (args, ctx) {
      const [items, length] = yield* prefixLength("drop-while", args, ctx);
      return items.slice(length);
    },
  ),
  plain(
    "distinct",
    1,
    "(distinct coll)",
    inCard("sequences", 28, "The elements without repetitions, in order."),
    (args, ctx) => {
      const seen = new KeyTable<Value, null>();
      for (const item of elements("distinct", [args[0]], args[0], "vsm", ctx)) {
        ctx.charge(1);
        if (seen.indexOf(item) >= 0) continue;
        ctx.allocate(ENTRY);
        seen.add(item, null);
      }
      return vector(seen.keys, ctx);
    },
  ),
  single("seq", inCard("sequences", 40, "The elements as a vector, or nil when there are none."), "vsmt", orNil),
  plain(
    "range",
    [1, 3],
    ["(range end)", "(range start end)", "(range start end step)"],
    inCard("sequences", 39, "Numbers from start (default 0) by step (default 1), before end."),
    range,
  ),
];
