import type { Json } from "../../base/json";
import { PMap, PSet, Vec } from "../../lisp/values/collections";
import { plainKey, toPlainJson } from "../../lisp/values/plain-json";
import { TraversalLimit } from "../../lisp/values/traversal-limit";
import { Float, Keyword, type Value } from "../../lisp/values/values";
import { joinPath, type Mismatch } from "../../signature/check";

/**
 * A returned value as the signature sees it: keys of maps become strings with `-` replaced by `_`, recursively
 * (agent reference, section 3).
 */
export function normaliseKeys(value: Value, budget = new TraversalLimit("return")): Value {
  return normalise(value, 0, budget);
}

function normalise(value: Value, depth: number, budget: TraversalLimit): Value {
  budget.visit(depth);
  if (value instanceof Vec) return Vec.from(value.toArray().map((item) => normalise(item, depth + 1, budget)));
  if (value instanceof PSet) return PSet.from(value.values().map((item) => normalise(item, depth + 1, budget)));
  if (value instanceof PMap)
    return PMap.from(value.entries().map(([key, item]) => [keyText(key), normalise(item, depth + 1, budget)]));
  return value;
}

function keyText(key: Value): Value {
  if (key instanceof Keyword) return key.name.replaceAll("-", "_");
  return typeof key === "string" ? key.replaceAll("-", "_") : key;
}

/** The value as callers get it: plain JSON, floats rounded. */
export function returnedJson(value: Value, precision: number, max_bytes: number): Json {
  const budget = () => TraversalLimit.within(max_bytes, "return");
  return toPlainJson(rounded(value, precision, 0, budget()), budget());
}

function rounded(value: Value, precision: number, depth: number, budget: TraversalLimit): Value {
  budget.visit(depth);
  if (value instanceof Float) return Number.isFinite(value.n) ? new Float(round(value.n, precision)) : value;
  if (value instanceof Vec) return Vec.from(value.toArray().map((item) => rounded(item, precision, depth + 1, budget)));
  if (value instanceof PMap)
    return PMap.fromDistinct(value.entries().map(([key, item]) => [key, rounded(item, precision, depth + 1, budget)]));
  return value;
}

/** By the decimals that the float really has: 1.005 is a little less than it looks. Zero has no sign in a result. */
function round(n: number, precision: number): number {
  return Number(n.toFixed(precision)) || 0;
}

/** As many as a model can use. */
const MAX_SHOWN = 10;

/**
 * Finds the numbers of a value that JSON cannot represent, each with its path: infinities, NaN, and integers that lose
 * digits. They are refused, because JSON would contain null or another number in their place.
 */
export function unsendable(value: Value): Mismatch[] {
  const found: Mismatch[] = [];
  findUnsendable(value, "", 0, found, new TraversalLimit("return"));
  return found;
}

function findUnsendable(value: Value, path: string, depth: number, found: Mismatch[], budget: TraversalLimit): void {
  budget.visit(depth);
  if (found.length >= MAX_SHOWN) return;
  const problem = numberProblem(value);
  if (problem !== undefined) found.push({ path, message: problem });
  else if (value instanceof Vec)
    for (const [i, item] of value.toArray().entries()) findUnsendable(item, `${path}[${i}]`, depth + 1, found, budget);
  else if (value instanceof PSet)
    for (const item of value.values()) findUnsendable(item, path, depth + 1, found, budget);
  else if (value instanceof PMap)
    for (const [key, item] of value.entries())
      findUnsendable(item, joinPath(path, plainKey(key)), depth + 1, found, budget);
}

function numberProblem(value: Value): string | undefined {
  if (typeof value === "bigint" && !keepsDigits(value))
    return "JSON cannot represent all digits of this integer; return it as text, by str";
  if (!(value instanceof Float) || Number.isFinite(value.n)) return undefined;
  const name = Number.isNaN(value.n) ? "##NaN" : value.n > 0 ? "##Inf" : "##-Inf";
  return `JSON cannot represent ${name}; return a number, a text or nil`;
}

const keepsDigits = (value: bigint): boolean => Number.isFinite(Number(value)) && BigInt(Number(value)) === value;
