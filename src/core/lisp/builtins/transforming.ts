import { min, toNumber } from "../../base/intrinsics";
import { MapBuilder, Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import { lookup } from "../values/lookup";
import { ENTRY, MAP } from "../values/sizes";
import type { Value } from "../values/values";
import { invalidArgument, typeError } from "./builtin-errors";
import { callee, isTruthy, keyFunction } from "./callable";
import { alias, family, MANY } from "./define";
import { map, reduce, refuseKeywordOverMap, shortest } from "./mapping";
import { isInteger } from "./numbers";
import { elements, isKeyword, isMap, isSet, isVector, spend, vector } from "./sequence";

const { plain, higher } = family("transforming");

/** Positive whole numbers: sizes and steps. */
function positive(name: string, args: readonly Value[], n: Value): number {
  if (typeof n !== "number" || n < 1) throw typeError(name, args, "size and step must be positive integers");
  return n;
}

function chunk(items: Value[], from: number, size: number, ctx: BuiltinContext): Value[] {
  const part = items.slice(from, from + size);
  spend(ctx, part.length + 4);
  return part;
}

const partition = plain(
  "partition",
  [2, 4],
  ["(partition n coll)", "(partition n step coll)", "(partition n step pad coll)"],
  inCard("sequences", 33, "Full chunks of n elements; with pad the last chunk is filled from pad."),
  (args, ctx) => {
    const size = positive("partition", args, args[0]);
    const step = args.length > 2 ? positive("partition", args, args[1]) : size;
    const items = elements("partition", args, args[args.length - 1]!, "vsmt", ctx);
    const pad = args.length === 4 ? elements("partition", args, args[2], "vsmt", ctx) : undefined;
    const out: Value[] = [];
    let at = 0;
    for (; at + size <= items.length; at += step) out.push(Vec.from(chunk(items, at, size, ctx)));
    if (pad && at < items.length) {
      const last = chunk(items, at, size, ctx);
      out.push(Vec.from([...last, ...pad.slice(0, size - last.length)]));
    }
    return vector(out, ctx);
  },
);

const partitionAll = plain(
  "partition-all",
  [2, 3],
  ["(partition-all n coll)", "(partition-all n step coll)"],
  inCard("sequences", 34, "Chunks of n elements; the last one may be shorter."),
  (args, ctx) => {
    const size = positive("partition-all", args, args[0]);
    const step = args.length > 2 ? positive("partition-all", args, args[1]) : size;
    const items = elements("partition-all", args, args[args.length - 1]!, "vsmt", ctx);
    const out: Value[] = [];
    for (let at = 0; at < items.length; at += step) {
      out.push(Vec.from(chunk(items, at, size, ctx)));
      // At most one incomplete chunk, also when the steps are shorter than the chunks.
      if (at + size > items.length) break;
    }
    return vector(out, ctx);
  },
);

function combinations(items: Value[], size: number, ctx: BuiltinContext): Value {
  if (size > items.length || size < 0) return Vec.empty;
  const out: Value[] = [];
  const chosen = Array.from({ length: size }, (_, i) => i);
  for (;;) {
    spend(ctx, size + 4);
    out.push(Vec.from(chosen.map((i) => items[i]!)));
    let at = size - 1;
    while (at >= 0 && chosen[at] === items.length - size + at) at -= 1;
    if (at < 0) return vector(out, ctx);
    chosen[at]! += 1;
    for (let i = at + 1; i < size; i++) chosen[i] = chosen[i - 1]! + 1;
  }
}

function flatten(coll: Value, ctx: BuiltinContext): Value[] {
  const out: Value[] = [];
  const waiting: { items: Vec<Value>; next: number }[] = isVector(coll) ? [{ items: coll, next: 0 }] : [];
  while (waiting.length > 0) {
    const top = waiting[waiting.length - 1]!;
    if (top.next === top.items.length) {
      waiting.pop();
      continue;
    }
    const item = top.items.at(top.next);
    top.next += 1;
    ctx.charge(1);
    if (isVector(item)) waiting.push({ items: item, next: 0 });
    else {
      ctx.allocate(16);
      out.push(item);
    }
  }
  return out;
}

/** Transforming collections (lisp reference, section 11.2). `walk` and similar builtins are in `walking.ts`. */
export const TRANSFORMING = [
  map,
  alias(map, "mapv", [{ list: "sequences", place: 2 }]),
  higher(
    "map-indexed",
    2,
    "(map-indexed f coll)",
    inCard("sequences", 10, "A vector with f of each index and element."),
    function* (args, ctx) {
      const [fn, coll] = args;
      const direct = callee("map-indexed", fn, ctx);
      const out: Value[] = [];
      for (const item of elements("map-indexed", args, coll, "vsmt", ctx)) {
        const i = out.length;
        out.push(direct ? direct([i, item]) : yield { fn, args: [i, item] });
      }
      return vector(out, ctx);
    },
  ),
  higher(
    "mapcat",
    2,
    "(mapcat f coll)",
    inCard("sequences", 9, "The vectors that f gives, joined."),
    function* (args, ctx) {
      const [fn, coll] = args;
      refuseKeywordOverMap("mapcat", fn, coll);
      const direct = callee("mapcat", fn, ctx);
      const out: Value[] = [];
      for (const item of elements("mapcat", args, coll, "vsmt", ctx)) {
        const part: Value = direct ? direct([item]) : yield { fn, args: [item] };
        if (part === null) continue;
        if (isVector(part) || isSet(part) || isMap(part)) {
          for (const inner of elements("mapcat", [part], part, "vmt", ctx)) out.push(inner);
        } else if (isKeyword(fn)) out.push(part);
        else throw invalidArgument("mapcat", "the function must give a vector for each element");
      }
      return vector(out, ctx);
    },
  ),
  higher(
    "pluck",
    2,
    "(pluck key coll)",
    inCard("sequences", 43, "A vector with the field of each element; nil if it is missing."),
    function* (args, ctx) {
      const [key, coll] = args;
      refuseKeywordOverMap("pluck", key, coll);
      const direct = keyFunction("pluck", key, ctx);
      const out: Value[] = [];
      for (const item of elements("pluck", args, coll, "vt", ctx))
        out.push(direct ? direct([item]) : yield { fn: key, args: [item] });
      return vector(out, ctx);
    },
  ),
  plain("select-keys", 2, "(select-keys m ks)", inCard("maps", 10, "The map with only these keys."), (args, ctx) => {
    const [m, ks] = args;
    if (m !== null && !isMap(m)) throw typeError("select-keys", args);
    const out = new MapBuilder<Value>();
    for (const key of elements("select-keys", args, ks, "vt", ctx)) {
      ctx.charge(2);
      const value = lookup(m, key);
      if (value === undefined) continue;
      ctx.allocate(ENTRY);
      out.set(key, value);
    }
    ctx.allocate(MAP);
    return out.build();
  }),
  reduce,
  plain(
    "interleave",
    [2, MANY],
    "(interleave c1 c2 & more)",
    inCard("sequences", 35, "First elements, second elements, and so on."),
    (args, ctx) => {
      const rows = args.map((coll) => elements("interleave", args, coll, "vsmt", ctx));
      const length = shortest(rows);
      const out: Value[] = [];
      for (let i = 0; i < length; i++) for (const row of rows) out.push(row[i]!);
      return vector(out, ctx);
    },
  ),
  plain(
    "interpose",
    2,
    "(interpose separator coll)",
    inCard("sequences", 36, "The elements with the separator between them."),
    (args, ctx) => {
      const [separator, coll] = args;
      const items = elements("interpose", args, coll, "vst", ctx);
      spend(ctx, items.length * 2);
      return vector(
        items.flatMap((item, i) => (i === 0 ? [item] : [separator, item])),
        ctx,
      );
    },
  ),
  plain("zip", 2, "(zip a b)", inCard("sequences", 37, "Pairs of the elements with the same index."), (args, ctx) => {
    const left = elements("zip", args, args[0], "v", ctx);
    const right = elements("zip", args, args[1], "v", ctx);
    const length = min(left.length, right.length);
    spend(ctx, length * 4);
    return vector(
      left.slice(0, length).map((item, i) => Vec.of(item, right[i]!)),
      ctx,
    );
  }),
  plain(
    "flatten",
    1,
    "(flatten coll)",
    inCard("sequences", 32, "The elements of nested vectors as one vector."),
    ([coll], ctx) => {
      if (coll !== null && !isVector(coll)) throw typeError("flatten", [coll]);
      return vector(flatten(coll, ctx), ctx);
    },
  ),
  partition,
  partitionAll,
  plain(
    "combinations",
    2,
    "(combinations coll k)",
    inCard("sequences", 38, "All ways to choose k elements, in order."),
    (args, ctx) => {
      const [coll, k] = args;
      const items = elements("combinations", args, coll, "vsmt", ctx);
      return isInteger(k) ? combinations(items, toNumber(k), ctx) : Vec.empty;
    },
  ),
  higher(
    "tree-seq",
    3,
    "(tree-seq branch? children root)",
    inCard("sequences", 44, "All nodes of a tree, depth first."),
    function* (args, ctx) {
      const [branch, children, root] = args;
      const isBranch = callee("tree-seq", branch, ctx);
      const childrenOf = callee("tree-seq", children, ctx);
      const out: Value[] = [];
      const waiting: Value[] = [root];
      while (waiting.length > 0) {
        const node = waiting.pop()!;
        spend(ctx, 1);
        out.push(node);
        const inner: Value = isBranch ? isBranch([node]) : yield { fn: branch, args: [node] };
        if (!isTruthy(inner)) continue;
        const below: Value = childrenOf ? childrenOf([node]) : yield { fn: children, args: [node] };
        const items = elements("tree-seq", [below], below, "vmt", ctx);
        for (let i = items.length - 1; i >= 0; i--) waiting.push(items[i]!);
      }
      return vector(out, ctx);
    },
  ),
];
