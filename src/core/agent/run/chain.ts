import { type Failure, ok, type Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import type { Step } from "../result/step";
import { missingInputs } from "./given-data";

/**
 * The part of a Step that the next run receives: its return as the context, its signature, and its failure if it has
 * one (agent reference, section 6).
 */
export type Chained = Pick<AgentInput, "context" | "context_signature" | "upstream">;

/**
 * The return of a Step as the context of the next run (agent reference, section 6). A run that is given a failed Step
 * ends at once with `chained_failure`.
 */
export function contextOf(step: Step): Chained {
  return {
    context: isObject(step.return) ? step.return : {},
    ...(step.signature === null ? {} : { context_signature: step.signature }),
    upstream: { fail: step.fail, field_descriptions: step.field_descriptions },
  };
}

/**
 * Passes a Step on to an agent. It gives the options of its run, or reason `chain_error` with the missing inputs
 * (agent reference, section 6). A failed Step gives its own failure.
 */
export function then(step: Step, agent: AgentDefinition): Result<Chained> {
  if (step.fail !== null) return { ok: false, fail: step.fail };
  const chained = contextOf(step);
  const broken = brokenChain(agent, chained.context);
  return broken === null ? ok(chained) : { ok: false, fail: broken };
}

/** The inputs that the next agent lacks, as text; null if there are none. */
export function brokenChain(agent: AgentDefinition, data: JsonObject): Failure | null {
  const missing = missingInputs(agent, data);
  if (missing.length === 0) return null;
  return {
    reason: "chain_error",
    message: `Chain mismatch: agent requires ${missing.join(", ")} but previous step doesn't output them`,
    details: { missing },
  };
}

/** Whether something is a Step, to distinguish `context: step` from data. */
export function isStep(value: unknown): value is Step {
  return isObject(value) && "return" in value && "fail" in value && "usage" in value && "trace_id" in value;
}
