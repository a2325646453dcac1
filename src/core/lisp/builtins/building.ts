import { type Entry, FLAT, KeyTable, PMap, PSet, Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { type Description, inCard } from "../values/doc";
import { ENTRY, GROWTH, MAP, spendEntry, VECTOR } from "../values/sizes";
import type { Value } from "../values/values";
import { typeError } from "./builtin-errors";
import { answersTo, keyFunction } from "./callable";
import { type Args, type Calls, family, MANY } from "./define";
import { elements, isMap, isSet, isVector, reading, spend, vector, writeSteps } from "./sequence";
import { countCharacters } from "./strings";

const { plain, higher } = family("building");

/**
 * Adds one element to a collection of any kind: to the end of a vector, as a member of a set, as a `[k v]` pair to a
 * map.
 */
function conjoin(name: string, args: readonly Value[], coll: Value, item: Value, ctx: BuiltinContext): Value {
  ctx.allocate(VECTOR);
  if (coll === null) return Vec.of(item);
  if (isVector(coll)) {
    if (coll.copiesToGrow) spend(ctx, coll.length);
    return coll.conj(item);
  }
  // Each entry is inserted into a tree.
  ctx.charge(3);
  if (!isMap(coll) && !isSet(coll)) throw typeError(name, args);
  ctx.charge(writeSteps(coll.size));
  spendEntry(ctx, coll.size);
  if (isSet(coll)) return coll.conj(item);
  if (isVector(item) && item.length === 2) return coll.assoc(item.at(0), item.at(1));
  if (isMap(item)) return mergeInto(coll, item, ctx);
  throw typeError(name, args, "a map takes [key value] pairs");
}

/** The entries of `more` over those of `base`. */
export function mergeInto(base: PMap<Value>, more: PMap<Value>, ctx: BuiltinContext): PMap<Value> {
  spend(ctx, more.size * 2);
  if (base.size === 0) return more;
  if (more.size > FLAT && more.size * 4 > base.size) return rebuilt(base, more.entries(), ctx);
  if (base.size > FLAT) ctx.charge(more.size * (2 + writeSteps(base.size)));
  let out = base;
  for (const [key, value] of more.entries()) {
    spendEntry(ctx, out.size);
    out = out.assoc(key, value);
  }
  return out;
}

/** All entries of both in a new map: with many entries this is cheaper than adding them one by one. */
function rebuilt(base: PMap<Value>, more: readonly Entry<Value>[], ctx: BuiltinContext): PMap<Value> {
  // They are sorted for it.
  ctx.charge(2 * (base.size + more.length));
  ctx.allocate(MAP + ENTRY * (base.size + more.length));
  return PMap.from([...base.entries(), ...more]);
}

function into(args: Args, ctx: BuiltinContext): Value {
  const [to, from] = args;
  const items = elements("into", args, from, "vsmt", ctx);
  if (to === null) return vector(items, ctx);
  spend(ctx, items.length);
  if (isVector(to)) {
    if (to.copiesToGrow) spend(ctx, to.length);
    let out = to;
    for (const item of items) out = out.conj(item);
    return out;
  }
  if (isSet(to)) {
    ctx.charge(items.length);
    if (items.length * 4 > to.size) {
      if (to.size > FLAT) ctx.charge(to.size);
      ctx.allocate(MAP + ENTRY * (to.size + items.length));
      return PSet.from([...to.values(), ...items]);
    }
    ctx.charge(items.length * (2 + writeSteps(to.size)));
    let out = to;
    for (const item of items) {
      spendEntry(ctx, out.size);
      out = out.conj(item);
    }
    return out;
  }
  if (!isMap(to)) throw typeError("into", args);
  ctx.charge(items.length);
  if (items.length > FLAT && items.length * 4 > to.size && items.every((item) => isVector(item) && item.length === 2))
    return rebuilt(
      to,
      items.map((item) => [(item as Vec<Value>).at(0), (item as Vec<Value>).at(1)] as const),
      ctx,
    );
  let out: Value = to;
  for (const item of items) out = conjoin("into", args, out, item, ctx);
  return out;
}

function sets(name: string, args: readonly Value[]): PSet<Value>[] {
  for (const arg of args) if (arg !== null && !isSet(arg)) throw typeError(name, args, "all arguments must be sets");
  return args.map((arg) => (arg === null ? PSet.empty : (arg as PSet<Value>)));
}

const setOperation = (
  name: string,
  min: number,
  text: Description,
  combine: (a: PSet<Value>, b: PSet<Value>) => PSet<Value>,
) =>
  plain(name, [min, MANY], `(${name} s & more)`, text, (args, ctx) => {
    const [first = PSet.empty, ...rest] = sets(name, args);
    return rest.reduce((acc, next) => {
      ctx.charge(1 + acc.size + next.size);
      spend(ctx, (acc.size + next.size) * 3);
      return combine(acc, next);
    }, first);
  });

/** Elements with their keys, computed one after the other. */
function* keyed(
  name: string,
  args: Args,
  ctx: BuiltinContext,
): Generator<{ fn: Value; args: Value[] }, { key: Value; item: Value }[], Value> {
  const [key, coll] = args;
  const direct = keyFunction(name, key, ctx);
  const out: { key: Value; item: Value }[] = [];
  const from = reading(name, args, coll, "vsmt", ctx);
  const keys = from.toArray();
  if (direct === null) yield* answersTo(key, from, keys, ctx);
  for (let i = 0; i < from.length; i++) {
    const item = from.at(i);
    out.push({ key: direct ? direct([item]) : keys[i]!, item });
  }
  return out;
}

function* groupBy(args: Args, ctx: BuiltinContext): Calls {
  const groups = new KeyTable<Value, Value[]>();
  for (const { key, item } of yield* keyed("group-by", args, ctx)) {
    const index = groups.indexOf(key);
    if (index >= 0) groups.items[index]!.push(item);
    else {
      ctx.allocate(VECTOR + 2 * ENTRY);
      groups.add(key, [item]);
    }
    ctx.allocate(GROWTH);
  }
  return PMap.fromDistinct(groups.keys.map((key, i) => [key, Vec.from(groups.items[i]!)] as const));
}

/** Building and converting collections (lisp reference, section 11.4). */
export const BUILDING = [
  plain(
    "conj",
    [1, MANY],
    "(conj coll x & more)",
    inCard("sequences", 30, "The collection with elements added."),
    (args, ctx) => {
      let out: Value = args[0];
      for (let i = 1; i < args.length; i++) out = conjoin("conj", args, out, args[i]!, ctx);
      return out;
    },
  ),
  plain(
    "concat",
    [0, MANY],
    "(concat & colls)",
    inCard("sequences", 29, "The elements of all collections, one after the other."),
    (args, ctx) => {
      if (args.length === 1) return args[0];
      const out: Value[] = [];
      for (const coll of args) for (const item of elements("concat", args, coll, "vmt", ctx)) out.push(item);
      return vector(out, ctx);
    },
  ),
  plain("into", 2, "(into to from)", inCard("sequences", 31, "to with the elements of from added."), into),
  plain("vec", 1, "(vec coll)", inCard("sequences", 41, "The elements as a vector; nil for nil."), (args, ctx) =>
    args[0] === null ? null : Vec.from(elements("vec", [args[0]], args[0], "vsmt", ctx)),
  ),
  plain("vector", [0, MANY], "(vector & items)", "A vector of the arguments.", (args, ctx) => vector([...args], ctx)),
  plain("set", 1, "(set coll)", inCard("sequences", 42, "The elements as a set."), (args, ctx) => {
    const items = elements("set", [args[0]], args[0], "vsmt", ctx);
    ctx.charge(items.length);
    ctx.allocate(MAP + ENTRY * items.length);
    return PSet.from(items);
  }),
  plain(
    "count",
    1,
    "(count coll)",
    inCard("aggregates", 10, "The number of elements; for a string the number of characters; 0 for nil."),
    ([coll], ctx) => {
      if (isVector(coll)) return coll.length;
      if (isMap(coll) || isSet(coll)) return coll.size;
      if (typeof coll === "string") return countCharacters(coll, ctx);
      return elements("count", [coll], coll, "vsmt", ctx).length;
    },
  ),
  setOperation("intersection", 1, inCard("sets", 2, "The members that all sets have."), (a, b) =>
    PSet.from(a.values().filter((member) => b.has(member))),
  ),
  setOperation("difference", 1, inCard("sets", 3, "The members of the first set that no other has."), (a, b) =>
    PSet.from(a.values().filter((member) => !b.has(member))),
  ),
  setOperation("union", 0, inCard("sets", 1, "The members of all sets."), (a, b) =>
    PSet.from([...a.values(), ...b.values()]),
  ),
  plain(
    "frequencies",
    1,
    "(frequencies coll)",
    inCard("aggregates", 9, "A map from each element to the number of its occurrences."),
    (args, ctx) => {
      const counts = new KeyTable<Value, number>();
      for (const item of elements("frequencies", [args[0]], args[0], "vsmt", ctx)) {
        ctx.charge(1);
        const index = counts.indexOf(item);
        if (index >= 0) counts.items[index]! += 1;
        else {
          ctx.allocate(ENTRY);
          counts.add(item, 1);
        }
      }
      return PMap.fromDistinct(counts.keys.map((key, i) => [key, counts.items[i]!] as const));
    },
  ),
  higher(
    "group-by",
    2,
    "(group-by key coll)",
    inCard("aggregates", 8, "A map from each key (a field, path or function) to its elements."),
    groupBy,
  ),
  higher(
    "distinct-by",
    2,
    "(distinct-by key coll)",
    inCard("aggregates", 7, "The first element of each key."),
    function* (args, ctx) {
      const seen = new KeyTable<Value, Value>();
      for (const { key, item } of yield* keyed("distinct-by", args, ctx)) {
        ctx.charge(1);
        if (seen.indexOf(key) >= 0) continue;
        ctx.allocate(ENTRY);
        seen.add(key, item);
      }
      return vector(seen.items, ctx);
    },
  ),
];
