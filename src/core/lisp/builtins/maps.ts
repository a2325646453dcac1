import { FLAT, PMap, Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { type Description, inCard } from "../values/doc";
import { LispError } from "../values/errors";
import { lookup, presentKey } from "../values/lookup";
import { sortedEntries } from "../values/print";
import { ENTRY, MAP, spendEntry, VECTOR } from "../values/sizes";
import { keySortSteps } from "../values/traversal-limit";
import type { Value } from "../values/values";
import { mergeInto } from "./building";
import { invalidArgument, typeError } from "./builtin-errors";
import { callee, lookupPath } from "./callable";
import { type Args, type Calls, family, MANY } from "./define";
import { isMap, isSet, isVector, spend, vector, writeSteps } from "./sequence";

const { plain, higher } = family("maps");

/**
 * A collection with a key set. The existing form of a key (keyword or string) is overwritten, so that no
 * second entry of the same name appears (lisp reference, section 4.5).
 */
function withKey(
  name: string,
  args: readonly Value[],
  coll: Value,
  key: Value,
  value: Value,
  ctx: BuiltinContext,
): Value {
  if (coll === null) {
    ctx.allocate(MAP + ENTRY);
    return PMap.fromDistinct([[key, value]]);
  }
  if (isMap(coll)) {
    spendEntry(ctx, coll.size);
    ctx.charge(2 + writeSteps(coll.size));
    return coll.assoc(presentKey(coll, key), value);
  }
  if (!isVector(coll)) throw typeError(name, args);
  if (typeof key !== "number") throw invalidArgument(name, "a vector takes integer indices");
  if (key < 0 || key > coll.length) throw outOfBounds(name, key, coll);
  if (key < coll.length || coll.copiesToGrow) spend(ctx, coll.length);
  return coll.assoc(key, value);
}

const outOfBounds = (name: string, index: number, coll: Vec<Value>): LispError =>
  invalidArgument(name, `index ${index} out of bounds for vector of length ${coll.length}`);

function pathOf(name: string, args: readonly Value[], path: Value): Value[] {
  if (path === null) return [];
  if (!isVector(path)) throw typeError(name, args, "the path must be a vector");
  if (path.length > 200) throw invalidArgument(name, "the path is longer than 200 keys");
  return path.toArray();
}

/** A nested collection with the value at a path replaced; missing levels become maps. */
function withPath(
  name: string,
  args: readonly Value[],
  coll: Value,
  path: readonly Value[],
  value: Value,
  ctx: BuiltinContext,
  from = 0,
): Value {
  const key = path[from];
  if (key === undefined) return value;
  if (coll !== null && !isMap(coll) && !isVector(coll))
    throw invalidArgument(name, "the path leads through a value that is no map or vector");
  const inner = withPath(name, args, lookup(coll, key) ?? null, path, value, ctx, from + 1);
  return withKey(name, args, coll, key, inner, ctx);
}

/** Advice for a common mistake: a default for `update`, which takes extra arguments there. */
function checkUpdater(name: string, fn: Value, given: number): void {
  if (typeof fn !== "object" || fn === null || fn.tag !== "closure") return;
  const params = fn.paramNames;
  const variadic = params.includes("&");
  const required = variadic ? params.indexOf("&") : params.length;
  if (variadic ? given >= required : given === required) return;
  throw new LispError(
    "eval_error",
    "arity_error",
    `${name}: the function takes ${required}${variadic ? "+" : ""} argument(s) but gets ${given}: the old value and the extra arguments of ${name}. Extra arguments are no defaults; for a default wrap the function: (fnil f default)`,
  );
}

/** Collections that may be read by key. Sets are allowed and have nothing to read. */
function checkReadable(name: string, args: readonly Value[]): void {
  const coll = args[0]!;
  if (coll === null || isMap(coll) || isVector(coll) || isSet(coll)) return;
  throw typeError(name, args, typeof coll === "string" ? "for text use nth or subs" : undefined);
}

/** `update` and `update-in` read before they write: the index must be there, unlike for `assoc`, which may append. */
function checkIndex(name: string, coll: Value, key: Value): void {
  if (!isVector(coll) || (typeof key === "number" && coll.get(key) !== undefined)) return;
  throw typeof key === "number"
    ? outOfBounds(name, key, coll)
    : invalidArgument(name, "a vector takes integer indices");
}

function* update(args: Args, ctx: BuiltinContext): Calls {
  const [coll, key, fn, ...extra] = args;
  if (coll !== null && !isMap(coll) && !isVector(coll)) throw typeError("update", args);
  checkIndex("update", coll, key);
  const direct = callee("update", fn, ctx);
  checkUpdater("update", fn, 1 + extra.length);
  const old = lookup(coll, key) ?? null;
  const value: Value = direct ? direct([old, ...extra]) : yield { fn, args: [old, ...extra] };
  return withKey("update", args, coll, key, value, ctx);
}

function* updateIn(args: Args, ctx: BuiltinContext): Calls {
  const [coll, path, fn, ...extra] = args;
  const keys = pathOf("update-in", args, path);
  const direct = callee("update-in", fn, ctx);
  checkUpdater("update-in", fn, 1 + extra.length);
  if (keys.length > 0) checkIndex("update-in", lookupPath(coll, keys.slice(0, -1)) ?? null, keys[keys.length - 1]!);
  const old = lookupPath(coll, keys) ?? null;
  const value: Value = direct ? direct([old, ...extra]) : yield { fn, args: [old, ...extra] };
  return withPath("update-in", args, coll, keys, value, ctx);
}

function* updateVals(args: Args, ctx: BuiltinContext): Calls {
  const [m, fn] = args;
  if (m === null) return null;
  if (!isMap(m))
    throw invalidArgument(
      "update-vals",
      isMap(fn) ? "the map comes first: use -> instead of ->>" : "the first argument must be a map",
    );
  const direct = callee("update-vals", fn, ctx);
  const out: [Value, Value][] = [];
  ctx.allocate(MAP + ENTRY * m.size);
  // A map that has just been changed is sorted before it is walked.
  ctx.charge(1 + (m.size > FLAT ? m.size : 0));
  for (const [key, value] of m.entries()) out.push([key, direct ? direct([value]) : yield { fn, args: [value] }]);
  return PMap.fromDistinct(out);
}

/** Entries sorted by key; nil counts as the empty map. */
function sorted(name: string, m: Value, ctx: BuiltinContext) {
  if (m === null) return [];
  if (!isMap(m)) throw typeError(name, [m]);
  ctx.charge(1 + m.size + keySortSteps(m.size));
  return sortedEntries(m.entries());
}

const half = (name: string, text: Description, index: 0 | 1) =>
  plain(name, 1, `(${name} entry)`, text, ([entry]) => {
    if (!isVector(entry) || entry.length !== 2) throw typeError(name, [entry], "a [key value] pair is expected");
    return entry.at(index);
  });

/** Maps (lisp reference, section 11.6). */
export const MAPS = [
  plain(
    "get",
    [2, 3],
    ["(get coll key)", "(get coll key default)"],
    inCard("maps", 1, "The value of a key or index, nil (or the default) when absent."),
    (args) => {
      const [coll, key] = args;
      checkReadable("get", args);
      const found = lookup(coll, key);
      return found === undefined ? (args[2] ?? null) : found;
    },
  ),
  plain(
    "get-in",
    [2, 3],
    ["(get-in coll path)", "(get-in coll path default)"],
    inCard("maps", 2, "The value at the end of a path of keys; the default also for nil."),
    (args, ctx) => {
      const path = pathOf("get-in", args, args[1]);
      checkReadable("get-in", args);
      ctx.charge(path.length);
      return lookupPath(args[0], path) ?? args[2] ?? null;
    },
  ),
  plain(
    "assoc",
    [1, MANY],
    "(assoc coll key value & more)",
    inCard("maps", 3, "The map (or vector) with keys set."),
    (args, ctx) => {
      if (args.length % 2 === 0)
        throw new LispError(
          "eval_error",
          "arity_error",
          `assoc expects a collection and pairs of key and value, got ${args.length} argument(s)`,
        );
      let out: Value = args[0];
      for (let i = 1; i < args.length; i += 2) out = withKey("assoc", args, out, args[i]!, args[i + 1]!, ctx);
      return out;
    },
  ),
  plain(
    "assoc-in",
    3,
    "(assoc-in coll path value)",
    inCard("maps", 4, "The nested collection with the value at a path set."),
    (args, ctx) => withPath("assoc-in", args, args[0], pathOf("assoc-in", args, args[1]), args[2], ctx),
  ),
  higher(
    "update",
    [3, MANY],
    "(update coll key f & extra)",
    inCard("maps", 5, "The collection with f applied to the value of a key (and the extra arguments)."),
    update,
  ),
  higher(
    "update-in",
    [3, MANY],
    "(update-in coll path f & extra)",
    inCard("maps", 6, "The nested collection with f applied to the value at a path."),
    updateIn,
  ),
  higher("update-vals", 2, "(update-vals m f)", inCard("maps", 7, "The map with f applied to each value."), updateVals),
  plain("dissoc", [1, MANY], "(dissoc m & keys)", inCard("maps", 8, "The map without the keys."), (args, ctx) => {
    if (args[0] === null) return null;
    if (!isMap(args[0])) throw typeError("dissoc", args);
    let out: PMap<Value> = args[0];
    for (let i = 1; i < args.length; i++) {
      spendEntry(ctx, out.size);
      ctx.charge(2 + writeSteps(out.size));
      out = out.dissoc(presentKey(out, args[i]!));
    }
    return out;
  }),
  plain(
    "merge",
    [0, MANY],
    "(merge & maps)",
    inCard("maps", 9, "One map with the entries of all; later ones win."),
    (args, ctx) => {
      let out: PMap<Value> = PMap.empty;
      for (const m of args) {
        if (m === null) continue;
        if (!isMap(m)) throw typeError("merge", args, "all arguments must be maps");
        out = mergeInto(out, m, ctx);
      }
      return out;
    },
  ),
  plain("keys", 1, "(keys m)", inCard("maps", 11, "The keys in order."), ([m], ctx) =>
    vector(
      sorted("keys", m, ctx).map((entry) => entry[0]),
      ctx,
    ),
  ),
  plain("vals", 1, "(vals m)", inCard("maps", 12, "The values in order of their keys."), ([m], ctx) =>
    vector(
      sorted("vals", m, ctx).map((entry) => entry[1]),
      ctx,
    ),
  ),
  plain("entries", 1, "(entries m)", inCard("maps", 13, "The [key value] pairs in order of the keys."), ([m], ctx) => {
    const pairs = sorted("entries", m, ctx);
    ctx.allocate(VECTOR * pairs.length);
    return vector(
      pairs.map(([key, value]) => Vec.of(key, value)),
      ctx,
    );
  }),
  half("key", inCard("pairs", 1, "The key of a [key value] pair."), 0),
  half("val", inCard("pairs", 2, "The value of a [key value] pair."), 1),
];
