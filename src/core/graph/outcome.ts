import type { Failure } from "../failure";
import type { Json } from "../json";
import { type Node, outputsOf } from "./schema";

/**
 * The result that an agent's run means for its node: a map that names an `outcome` or `result`, a text that is one
 * of the node's outputs, else `passed`; a failed run is `failed`.
 */
export function outcomeOf(node: Node, value: Json, fail: Failure | null): { result: string; output: Json } {
  if (fail !== null) return { result: "failed", output: { reason: fail.reason, message: fail.message } };
  const named = nameIn(value);
  if (named !== undefined) return { result: named, output: value };
  if (typeof value === "string" && outputsOf(node).includes(value)) return { result: value, output: value };
  return { result: "passed", output: value };
}

function nameIn(value: Json): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const key of ["outcome", "result"]) {
    const named = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof named === "string" && named !== "") return named;
  }
  return undefined;
}
