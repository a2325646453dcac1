import type { PMap, PSet, Vec } from "./collections";
import { sameKey } from "./key-order";
import { billBig, billEach, billText, TraversalLimit } from "./traversal-limit";
import type { Value } from "./values";

/**
 * What `=` answers (lisp reference, section 4.4): 1 equals 1.0, also inside vectors and as map values; NaN equals
 * nothing; a keyword never equals a string; collections by content. Map keys and set members are compared
 * strictly. Functions are equal only to themselves.
 */
export function equalValues(a: Value, b: Value, charge?: (steps: number) => void): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return equalScalars(a, b);
  return equalObjects(a, b, 0, new TraversalLimit("compare", charge));
}

function equalScalars(a: Value, b: Value): boolean {
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) billText(a);
  else if (typeof a === "bigint" && typeof b === "bigint") billBig(a, b);
  if (a === b) return true;
  const x = numeric(a);
  const y = numeric(b);
  // Loose on purpose: the host compares bigint with number exactly.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  return x !== undefined && y !== undefined && x == y;
}

function numeric(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return typeof value === "object" && value !== null && value.tag === "float" ? value.n : undefined;
}

function equalAt(a: Value, b: Value, depth: number, budget: TraversalLimit): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return equalScalars(a, b);
  return equalObjects(a, b, depth, budget);
}

function equalObjects(a: object & Value, b: object & Value, depth: number, budget: TraversalLimit): boolean {
  budget.visit(depth);
  if (a === null || b === null || a.tag !== b.tag) return false;
  switch (a.tag) {
    case "float":
      return a.n === (b as typeof a).n;
    case "vector":
      return equalVectors(a, b as Vec<Value>, depth, budget);
    case "map":
      return equalMaps(a, b as PMap<Value>, depth, budget);
    case "set":
      return equalSets(a, b as PSet<Value>);
    case "instant":
    case "date":
    case "regex":
    case "var":
      return sameKey(a, b);
    default:
      return a === b;
  }
}

function equalVectors(a: Vec<Value>, b: Vec<Value>, depth: number, budget: TraversalLimit): boolean {
  if (a.length !== b.length) return false;
  billEach(a.length);
  for (let i = 0; i < a.length; i++) if (!equalAt(a.at(i), b.at(i), depth + 1, budget)) return false;
  return true;
}

function equalMaps(a: PMap<Value>, b: PMap<Value>, depth: number, budget: TraversalLimit): boolean {
  if (a.size !== b.size) return false;
  billEach(a.size * KEY_COST);
  for (const [key, value] of a.entries()) {
    const other = b.get(key);
    if (other === undefined || !equalAt(value, other, depth + 1, budget)) return false;
  }
  return true;
}

function equalSets(a: PSet<Value>, b: PSet<Value>): boolean {
  if (a.size !== b.size) return false;
  billEach(a.size * KEY_COST);
  return a.values().every((member) => b.has(member));
}

/** The cost of finding a key, as a multiple of looking at an item. */
const KEY_COST = 16;
