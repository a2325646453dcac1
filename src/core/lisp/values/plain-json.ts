import { isFiniteNumber, isSame, toNumber } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { instantText } from "../text/float-text";
import { objectOf, printedText } from "./encode";
import { printValue } from "./print";
import { MAX_SENT_NODES, TraversalLimit } from "./traversal-limit";
import { Keyword, type Value } from "./values";

/**
 * A value as data for the world outside (the result of a run): keywords become their names, sets lists, dates
 * ISO text, whole floats and integers beyond 2^53 numbers, NaN and infinities null, other map keys and functions
 * their printed text. When several keys become the same, the last one wins.
 */
export function toPlainJson(value: Value, budget = new TraversalLimit("return", undefined, MAX_SENT_NODES)): Json {
  return toPlain(value, 0, budget);
}

function toPlain(value: Value, depth: number, budget: TraversalLimit): Json {
  budget.visit(depth);
  if (typeof value === "string") {
    budget.text(value.length);
    return value;
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "bigint") return finite(toNumber(value));
  const each = (item: Value) => toPlain(item, depth + 1, budget);
  switch (value.tag) {
    case "float":
      return finite(value.n);
    case "keyword":
      budget.text(value.name.length);
      return value.name;
    case "vector":
      return value.toArray().map(each);
    case "set":
      return value.values().map(each);
    case "map":
      return objectOf(
        value.entries().map(([key, item]) => {
          const name = plainKey(key);
          budget.text(name.length);
          return [name, each(item)];
        }),
      );
    case "instant":
      return instantText(value.ms);
    case "date":
      return value.iso;
    default:
      return printedText(value, budget);
  }
}

const finite = (n: number): number | null => (isFiniteNumber(n) ? (isSame(n, -0) ? 0 : n) : null);

/** A map key as the key of a JSON object: strings as they are, keywords their name, anything else printed. */
export function plainKey(key: Value): string {
  if (typeof key === "string") return key;
  return key instanceof Keyword ? key.name : printValue(key);
}
