import { CancelledFailure } from "@temporalio/common";
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from "@temporalio/workflow";
import type { Step } from "../core/agent/result/step";
import type { AgentEnd } from "../core/agent/run/host";
import { checkChildId } from "../core/base/input/id-rule";
import { agentEndCalls } from "./activity-calls";
import { type AgentChild, type AgentRunWorkflow, agentChildOptions } from "./agent-child";
import { childEnd, endOfResult, lostEnd } from "./agent-end";
import type { AgentRunInput } from "./agent-run-input";
import { valueOrReject } from "./failures";
import type { Interruption } from "./waits/interruption";

/**
 * Agents that continue while the task or plan that started them continues as new. Temporal reports the end of a child
 * only to the run that started it, so a later run waits for it with an activity (docs/decisions/0022).
 */
export class LastingAgent {
  private isOver = false;

  private constructor(
    private readonly ended: Promise<AgentEnd>,
    /** Before that the parent must not continue as new: the child would be lost. */
    private readonly started: Promise<unknown>,
  ) {
    const over = () => {
      this.isOver = true;
    };
    ended.then(over, over);
  }

  /**
   * Starts an agent as a child workflow. One of the same id belongs to an earlier life of the parent, which was terminated
   * or reset, and ends.
   */
  static start(child: AgentChild, input: AgentRunInput): LastingAgent {
    const starting = begun(child, input);
    const ended = childEnd(child.workflowId, input, async () => (await starting).result());
    return new LastingAgent(
      ended,
      starting.catch(() => {}),
    );
  }

  /** The agent that an earlier run has started, with this input. */
  static find(workflowId: string, input: Pick<AgentRunInput, "effects">): LastingAgent {
    return new LastingAgent(endOf(workflowId, input), Promise.resolve());
  }

  /** Its end, failed or not; null if the interruption came first. Cancellation passes, as for `childEnd`. */
  async endUnless(interruption: Interruption): Promise<AgentEnd | null> {
    const ended = await interruption.during(this.ended);
    if (ended !== null) return ended;
    await this.started;
    return this.isOver ? this.ended : null;
  }
}

async function begun(child: AgentChild, input: AgentRunInput) {
  valueOrReject(checkChildId(child.workflowId));
  const { workflowId: workflow_id, firstExecutionRunId: run_id } = workflowInfo();
  return startChild<AgentRunWorkflow>("agentRun", {
    ...agentChildOptions(child, { ...input, owner: { workflow_id, run_id } }),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    workflowIdReusePolicy: WorkflowIdReusePolicy.TERMINATE_IF_RUNNING,
  });
}

/** A cancellation is passed on to the agent, and its end is awaited, as Temporal does for a child. */
async function endOf(workflowId: string, input: Pick<AgentRunInput, "effects">): Promise<AgentEnd> {
  const { cancelRequested } = CancellationScope.current();
  const waiting = CancellationScope.nonCancellable(() => agentEndCalls().findAgentEnd(workflowId));
  const cancelled = cancelRequested.catch(async (error) => {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(() => {});
    return waiting;
  });
  const end = await Promise.race([waiting, cancelled]);
  if (end === null) throw new CancelledFailure(`The run ${workflowId} was cancelled.`);
  return end.ok ? endOfResult(end.value as unknown as Step) : lostEnd(workflowId, input, end);
}
