import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { type Node, outputsOf } from "../definition/schema";

/**
 * What an agent's run means for its node.
 *
 * A failed run is `failed`, its failure the output. Otherwise, in this order:
 * 1. a returned map names the outcome in `outcome`: taken as it is, so that a wrong one shows instead of passing;
 * 2. a returned map has in `result` one of the node's outputs (any other text there is the agent's answer, not a
 *    verdict);
 * 3. a returned text is one of the node's outputs;
 * 4. `passed`.
 * The output is what the run returned, whole.
 */
export function outcomeOf(node: Node, stepReturn: Json, failure: Failure | null): { result: string; output: Json } {
  if (failure) return { result: "failed", output: { reason: failure.reason, message: failure.message } };
  return { result: namedOutcome(node, stepReturn) ?? "passed", output: stepReturn };
}

function namedOutcome(node: Node, stepReturn: Json): string | undefined {
  const isOutput = (value: Json | undefined): value is string =>
    typeof value === "string" && outputsOf(node).includes(value);
  if (isOutput(stepReturn)) return stepReturn;
  if (!isObject(stepReturn)) return undefined;
  const outcome = own(stepReturn, "outcome");
  if (typeof outcome === "string") return outcome;
  const result = own(stepReturn, "result");
  return isOutput(result) ? result : undefined;
}

const own = (map: JsonObject, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
