import { Context } from "@temporalio/activity";
import { WorkflowFailedError, WorkflowNotFoundError } from "@temporalio/client";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { isStep } from "../core/agent/run/chain";
import { failed, ok, placeIn, type Result, reasonOf, receivedFailure } from "../core/base/failure";
import type { Json } from "../core/base/json";
import type { NavigatorActivities } from "../core/calls/activities";
import type { Owner } from "../core/calls/owner";

/** The part of a Temporal client that finds the ends of workflows. A `Client` implements it. */
export interface ResultClient {
  workflow: {
    getHandle(workflowId: string): {
      describe(): Promise<{ status: { name: string }; raw: unknown }>;
      result(): Promise<unknown>;
      terminate(reason: string): Promise<unknown>;
    };
  };
}

/**
 * The ends of agents that outlive the run that started them, and of their owners (docs/decisions/0022).
 */

/** The end of an agent's run, for a task or a plan that has continued as new since it started the run. */
export function findAgentEnd(client: ResultClient): NavigatorActivities["findAgentEnd"] {
  return async (workflowId) => {
    const run = client.workflow.getHandle(workflowId);
    try {
      const { status } = await run.describe();
      if (isRunning({ status }))
        throw ApplicationFailure.retryable(`The run ${workflowId} has not ended.`, "agent_running");
      return ok((await run.result()) as Json);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return lost(workflowId, error.message);
      if (!(error instanceof WorkflowFailedError)) throw error;
      return endOfFailure(workflowId, error);
    }
  };
}

/** Whether a workflow still runs; a run that continued as new counts as running. */
export const isRunning = ({ status }: { status: { name: string } }): boolean => RUNS.includes(status.name);

const RUNS = ["RUNNING", "CONTINUED_AS_NEW", "PAUSED"];

function endOfFailure(workflowId: string, { cause, message }: WorkflowFailedError): Result<Json> | null {
  if (cause instanceof CancelledFailure) return null;
  if (!(cause instanceof ApplicationFailure)) return lost(workflowId, cause?.message ?? message);
  const step = cause.details?.[0];
  if (isStep(step)) return ok(step as unknown as Json);
  const details = { workflow_id: workflowId, ...placeIn(step) };
  return { ok: false, fail: receivedFailure(reasonOf(cause.type || "agent_lost"), cause.message, details) };
}

const lost = (workflowId: string, message: string) => failed("agent_lost", message, { workflow_id: workflowId });

/** How long an answer about an owner is valid, in ms. */
const VALID_MS = 1_000;

/**
 * Activities that first look whether the task or plan of their agent still runs. If it was terminated, or ran out of time,
 * the agent's run is terminated, too: Temporal does it only for children that end with each run of their parent. A server
 * that does not answer stops nothing.
 */
export function watchOwners(client: ResultClient) {
  const known = new Map<string, { until: number; over: Promise<boolean> }>();
  const isOver = (owner: Owner): Promise<boolean> => {
    const key = `${owner.workflow_id} ${owner.run_id}`;
    const now = Date.now();
    const found = known.get(key);
    if (found !== undefined && now < found.until) return found.over;
    for (const [old, { until }] of known) if (until <= now) known.delete(old);
    const over = hasEnded(client, owner).catch(() => false);
    known.set(key, { until: now + VALID_MS, over });
    return over;
  };
  return <Input extends { owner?: Owner }, Rest extends unknown[], Output>(
    activity: (input: Input, ...rest: Rest) => Promise<Output>,
  ) =>
    async (input: Input, ...rest: Rest): Promise<Output> => {
      const { owner } = input;
      if (owner === undefined || !(await isOver(owner))) return activity(input, ...rest);
      const { workflowId = "" } = Context.current().info.workflowExecution ?? {};
      const why = `${owner.workflow_id}, which it worked for, has ended.`;
      await client.workflow.getHandle(workflowId).terminate(why);
      throw ApplicationFailure.nonRetryable(why, "owner_ended");
    };
}

async function hasEnded(client: ResultClient, { workflow_id, run_id }: Owner): Promise<boolean> {
  try {
    const { status, raw } = await client.workflow.getHandle(workflow_id).describe();
    // Another workflow has its id now.
    const { firstRunId } = (raw as { workflowExecutionInfo?: { firstRunId?: string } }).workflowExecutionInfo ?? {};
    return !isRunning({ status }) || (firstRunId !== undefined && firstRunId !== "" && firstRunId !== run_id);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
