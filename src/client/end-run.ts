import { randomUUID } from "node:crypto";
import type { WorkflowHandle } from "@temporalio/client";
import { NavigatorError } from "../core/base/navigator-error";
import { ask } from "./errors";

/** Who ends or holds a run, and why. Both stand in its history. */
export interface EndedBy {
  by: string;
  note?: string | undefined;
}

/** `anna: the customer called` */
export const reasonText = ({ by, note }: EndedBy): string =>
  note === undefined || note === "" ? by : `${by}: ${note}`;

/**
 * Asks a run, a plan or a task to stop. What is under way below it is cancelled with it; what was done stays done. It returns when
 * the server has the request.
 *
 * @throws NavigatorError `not_found`, `run_over`
 */
export async function cancelRun(handle: WorkflowHandle, said: EndedBy): Promise<void> {
  const runId = await runningId(handle);
  const { workflowService, options } = handle.client;
  // The SDK's own `cancel` takes no reason.
  await ask(() =>
    workflowService.requestCancelWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: handle.workflowId, runId },
      identity: said.by,
      requestId: randomUUID(),
      reason: reasonText(said),
    }),
  );
}

/**
 * Ends a workflow at once, without asking it: nothing is cleaned up, and runs below it may be ended by the server as well.
 *
 * @throws NavigatorError `not_found`, `run_over`
 */
export async function terminateRun(handle: WorkflowHandle, said: EndedBy): Promise<void> {
  await runningId(handle);
  await ask(() => handle.terminate(reasonText(said)));
}

/** The run of a workflow that can still be changed. @throws NavigatorError `not_found`, `run_over` */
export async function runningId(handle: WorkflowHandle): Promise<string> {
  const { status, runId } = await ask(() => handle.describe());
  if (status.name === "RUNNING") return runId;
  throw new NavigatorError(
    "run_over",
    `"${handle.workflowId}" has ended (${status.name.toLowerCase()}): it can no longer be changed.`,
  );
}
