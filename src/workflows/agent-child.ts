import { ApplicationFailure } from "@temporalio/common";
import { isCancellation } from "@temporalio/workflow";
import type { Step } from "../core/agent/result/step";
import { shownDetails, shownSummary } from "../core/base/bytes";
import { ok, placeIn, type Result, reasonOf, receivedFailure } from "../core/base/failure";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../core/base/limits";
import type { AgentRunInput } from "./agent-run-input";
import { rootCause, stepOfFailure } from "./failures";
import { agentAttributes, formatAttributes } from "./search-attributes";

/** The workflow `agentRun`, as seen by workflows that start it as a child. */
export type AgentRunWorkflow = (input: AgentRunInput) => Promise<Step>;

/** The texts of a child run in lists and on pages. */
export interface AgentChild {
  workflowId: string;
  /** Name of the agent. */
  name: string;
  /** One line that describes the purpose of the run. */
  summary: string;
}

/** Options of every child run of an agent. @param input with the conventions of the run that starts it */
export function agentChildOptions({ workflowId, name, summary }: AgentChild, input: AgentRunInput) {
  return {
    workflowId,
    args: [input] as [AgentRunInput],
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    typedSearchAttributes: [...agentAttributes({ agent: name }), ...formatAttributes(input)],
    staticSummary: shownSummary(summary),
    staticDetails: shownDetails(input.agent.description ?? ""),
  };
}

/**
 * Returns the result of a child run: its Step with all its fields. A failed run fails its workflow, and the failure
 * contains the Step. A child may end without a Step, because it was terminated or its worker lacks something. Then the
 * parent receives a failure and continues; the reason is the child's own, or `agent_lost`. Cancellation passes.
 */
export async function childResult(workflowId: string, run: () => Promise<Step>): Promise<Result<Step>> {
  try {
    return ok(await run());
  } catch (error) {
    if (isCancellation(error)) throw error;
    const step = stepOfFailure(error);
    if (step !== undefined) return ok(step);
    const cause = rootCause(error);
    const { type, details } = cause instanceof ApplicationFailure ? cause : {};
    const found = { workflow_id: workflowId, ...placeIn(details?.[0]) };
    return { ok: false, fail: receivedFailure(reasonOf(type || "agent_lost"), cause.message, found) };
  }
}
