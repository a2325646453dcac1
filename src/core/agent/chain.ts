import { failed, ok, type Result } from "../failure";
import { isObject } from "../is-object";
import { wireName } from "../signature/parse";
import type { AgentDefinition } from "./definition";
import { signatureOf } from "./prompt";
import type { AgentInput } from "./state";
import type { Step } from "./step";

/** Chains: a Step as the context of the next run (agent reference, section 6). */

export type Chained = Pick<AgentInput, "context" | "context_signature" | "upstream">;

/** What a Step hands on. A run that is given a failed one ends at once with `chained_failure`. */
export function contextOf(step: Step): Chained {
  return {
    context: isObject(step.return) ? step.return : {},
    ...(step.signature === null ? {} : { context_signature: step.signature }),
    upstream: { fail: step.fail, field_descriptions: step.field_descriptions },
  };
}

/** Whether a Step is what an agent needs: `chain_error` names what is missing. A failed Step passes as it is. */
export function then(step: Step, agent: AgentDefinition): Result<Chained> {
  if (step.fail !== null) return { ok: false, fail: step.fail };
  const given = new Set(Object.keys(isObject(step.return) ? step.return : {}).map(wireName));
  const missing = (signatureOf(agent)?.parameters ?? [])
    .map(({ name }) => name)
    .filter((name) => !given.has(wireName(name)));
  if (missing.length === 0) return ok(contextOf(step));
  return failed(
    "chain_error",
    `Chain mismatch: agent requires ${missing.join(", ")} but previous step doesn't output them`,
    { missing },
  );
}

/** Whether something is a Step, so that `context: step` can be told from data. */
export function isStep(value: unknown): value is Step {
  return isObject(value) && "return" in value && "fail" in value && "usage" in value && "trace_id" in value;
}
