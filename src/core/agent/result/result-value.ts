import type { Json } from "../../base/json";
import { PMap, PSet, Vec } from "../../lisp/values/collections";
import { toPlainJson } from "../../lisp/values/plain-json";
import { TraversalLimit } from "../../lisp/values/traversal-limit";
import { Float, Keyword, type Value } from "../../lisp/values/values";

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
