import { executeChild } from "@temporalio/workflow";
import type { Step } from "../core/agent/result/step";
import type { AgentEnd } from "../core/agent/run/host";
import { defined } from "../core/base/defined";
import { ok, type Result } from "../core/base/failure";
import { checkChildId } from "../core/base/input/id-rule";
import { handedBackIn, withoutChanges } from "../core/journal/changes";
import { findEffectsCalls } from "./activity-calls";
import { type AgentChild, type AgentRunWorkflow, agentChildOptions, childResult } from "./agent-child";
import type { AgentRunInput } from "./agent-run-input";
import { valueOrReject } from "./failures";

/** The ends of agents' runs for the mission that they belong to: the Step, and what they did. */

/** Runs an agent as a child workflow that ends with its parent, and gives its end, failed or not. */
export function runAgentChild(child: AgentChild, input: AgentRunInput): Promise<AgentEnd> {
  return childEnd(child.workflowId, input, async () => {
    valueOrReject(checkChildId(child.workflowId));
    return executeChild<AgentRunWorkflow>("agentRun", agentChildOptions(child, input));
  });
}

/** The end of a child run. Cancellation passes, as for `childResult`. */
export async function childEnd(workflowId: string, input: AgentRunInput, run: () => Promise<Step>): Promise<AgentEnd> {
  const result = await childResult(workflowId, run);
  return result.ok ? endOfResult(result.value) : lostEnd(workflowId, input, result);
}

/** The end of a run by its result: the Step, and the effects that it hands back. */
export function endOfResult(result: Step): AgentEnd {
  const effects = handedBackIn(result);
  return { step: ok(withoutChanges(result)), ...defined({ effects }) };
}

/** The end of a run without a Step. Only its history shows its effects. */
export async function lostEnd(
  workflowId: string,
  input: Pick<AgentRunInput, "effects">,
  step: Result<Step>,
): Promise<AgentEnd> {
  if (input.effects === undefined) return { step };
  const { mission } = input.effects;
  return { step, effects: await findEffectsCalls().findEffects({ workflow_id: workflowId, mission }) };
}
