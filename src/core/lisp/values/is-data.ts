import { LispError } from "./errors";
import { MAX_SENT_NODES, TraversalLimit } from "./traversal-limit";
import type { Value } from "./values";

/**
 * Whether a value can be written as data: it contains no function, var or pattern, and is neither too deep nor too large.
 */
export function isData(value: Value, budget = new TraversalLimit("keep", undefined, MAX_SENT_NODES)): boolean {
  try {
    return isDataAt(value, 0, budget);
  } catch (error) {
    if (error instanceof LispError) return false;
    throw error;
  }
}

function isDataAt(value: Value, depth: number, budget: TraversalLimit): boolean {
  budget.visit(depth);
  if (typeof value === "string") budget.text(value.length);
  // An upper bound: counting the decimal digits would be quadratic work.
  if (typeof value === "bigint") budget.text(2 * value.toString(16).length);
  if (typeof value !== "object" || value === null) return true;
  switch (value.tag) {
    case "vector":
    case "set":
      for (const item of value) if (!isDataAt(item, depth + 1, budget)) return false;
      return true;
    case "map":
      for (const [key, item] of value)
        if (!isDataAt(key, depth + 1, budget) || !isDataAt(item, depth + 1, budget)) return false;
      return true;
    case "keyword":
      budget.text(value.name.length);
      return true;
    case "float":
    case "instant":
    case "date":
      return true;
    default:
      return false;
  }
}
