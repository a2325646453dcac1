import { floor, log2, max } from "../../base/intrinsics";
import { graphemes } from "../text/graphemes";
import { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { GROWTH, SLOT } from "../values/sizes";
import type { Value } from "../values/values";
import { typeError } from "./builtin-errors";

/**
 * Which collections a builtin takes: v vector, s string, m map (walked as `[k v]` pairs), t set. nil is taken
 * everywhere, as empty (lisp reference, section 4.6).
 */
export type Takes = "v" | "vs" | "vm" | "vt" | "vmt" | "vsm" | "vst" | "vsmt";

/**
 * The elements of a collection, a fresh array.
 *
 * @throws type_error naming all arguments, with advice for sets and maps
 */
export function elements(
  name: string,
  args: readonly Value[],
  coll: Value,
  takes: Takes,
  ctx: BuiltinContext,
): Value[] {
  const items = elementsOrUndefined(coll, takes, ctx);
  if (items === undefined) throw typeError(name, args, adviceFor(name, coll));
  return items;
}

/** The elements of a collection, to be read only: those of a vector are not copied, though the charge is the same. */
export function reading(
  name: string,
  args: readonly Value[],
  coll: Value,
  takes: Takes,
  ctx: BuiltinContext,
): Vec<Value> {
  if (!isVector(coll)) return Vec.from(elements(name, args, coll, takes, ctx));
  spend(ctx, coll.length);
  return coll;
}

function elementsOrUndefined(coll: Value, takes: Takes, ctx: BuiltinContext): Value[] | undefined {
  if (coll === null) return [];
  if (typeof coll === "string") {
    if (!takes.includes("s")) return undefined;
    ctx.charge(1 + (coll.length >> 2));
    ctx.allocate(coll.length * GROWTH);
    return graphemes(coll);
  }
  if (typeof coll !== "object") return undefined;
  switch (coll.tag) {
    case "vector":
      spend(ctx, coll.length);
      return coll.toArray();
    case "map":
      if (!takes.includes("m")) return undefined;
      // A map that has just been changed is sorted before it is walked.
      spend(ctx, coll.size * 4);
      ctx.charge(coll.size);
      return coll.entries().map(([key, value]) => Vec.of(key, value));
    case "set":
      if (!takes.includes("t")) return undefined;
      spend(ctx, coll.size);
      return coll.values();
    default:
      return undefined;
  }
}

/** Charges for copying `n` elements, before it is done. */
export function spend(ctx: BuiltinContext, n: number): void {
  ctx.allocate(n * SLOT);
  ctx.charge(1 + (n >> 4));
}

/** The cost of writing an entry into a map or a member into a set of this size, beyond the first two or three steps. */
export const writeSteps = (size: number): number => max(0, (floor(log2(size + 1)) >> 1) - 2);

/** A vector of elements that the builtin has collected. */
export function vector(items: Value[], ctx: BuiltinContext): Vec<Value> {
  ctx.allocate(32 + items.length * SLOT);
  return Vec.from(items);
}

function adviceFor(name: string, coll: Value): string | undefined {
  if (typeof coll !== "object" || coll === null) return undefined;
  if (coll.tag === "set") return `${name} does not support sets (sets are unordered); use vec, or sort a vector first`;
  return coll.tag === "map" ? "for a map use keys, vals or entries" : undefined;
}

/** Returns the tag of a value; undefined for numbers, texts, booleans and nil. */
export const tagOf = (value: Value): string | undefined =>
  typeof value === "object" && value !== null ? value.tag : undefined;

/** Returns whether a value is a vector. */
export const isVector = (value: Value): value is Vec<Value> => tagOf(value) === "vector";
/** Returns whether a value is a map. */
export const isMap = (value: Value): value is Extract<Value, { tag: "map" }> => tagOf(value) === "map";
/** Returns whether a value is a set. */
export const isSet = (value: Value): value is Extract<Value, { tag: "set" }> => tagOf(value) === "set";
/** Returns whether a value is a keyword. */
export const isKeyword = (value: Value): value is Extract<Value, { tag: "keyword" }> => tagOf(value) === "keyword";
