import {
  defineSearchAttributeKey,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
} from "@temporalio/common";
import { ParentClosePolicy, startChild, workflowInfo } from "@temporalio/workflow";
import { readScheduledRun } from "../../core/agent/definition/read-run-input";
import { type Period, projectOf, scheduledRunIdAt, workflowIdFor } from "../../core/base/ids";
import { type RunFormat, sameFormat } from "../../core/base/run-format";
import { type AgentRunWorkflow, agentChildOptions, childResult } from "../agent-child";
import type { AgentRunInput } from "../agent-run-input";
import { checkedInput } from "../checked-input";
import { failedRun } from "../failures";

/** Input of the workflow `scheduledAgent`. */
export interface ScheduledAgentInput extends RunFormat {
  /** The id of the schedule. */
  id: string;
  once_per: Period;
  run: AgentRunInput;
}

/** A search attribute of the server, on everything that a schedule starts. */
const DUE = defineSearchAttributeKey("TemporalScheduledStartTime", "DATETIME");

/**
 * Starts the agent run of a schedule. Its id is the same for the whole period, so that a second start (a catch-up, or
 * a person) finds it instead of running again. It ends when the run ends, so that the schedule sees overlaps, and
 * fails when the run fails. Its own id is the server's to choose, and would be used again.
 */
export async function scheduledAgent(raw: ScheduledAgentInput): Promise<{ run: string; new: boolean }> {
  const given = checkedInput<ScheduledAgentInput>(raw, readScheduledRun);
  const { id, once_per, run } = given;
  const { typedSearchAttributes, startTime, workflowId: own } = workflowInfo();
  const due = (typedSearchAttributes.get(DUE) ?? startTime).toISOString();
  const workflowId = workflowIdFor("agent", scheduledRunIdAt(id, due, once_per), projectOf(own));
  const name = run.agent.name ?? "agent";
  try {
    // A run that was due while everything was down must know its due time. The clock shows only the time of its work.
    const input: AgentRunInput = { ...run, ...sameFormat(given), context: { ...run.context, scheduled_at: due } };
    const child = await startChild<AgentRunWorkflow>("agentRun", {
      ...agentChildOptions({ workflowId, name, summary: `agent ${name}, due ${due}` }, input),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    const step = await childResult(workflowId, () => child.result());
    const fail = step.ok ? step.value.fail : step.fail;
    // A schedule can pause on failure, and shows its last starts. The Step stays with the run: the schedule would keep it.
    if (fail !== null) throw failedRun(fail, { run: workflowId });
    return { run: workflowId, new: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { run: workflowId, new: false };
  }
}
