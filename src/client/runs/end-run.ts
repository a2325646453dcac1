import { randomUUID } from "node:crypto";
import { workflowIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";

/** Who ends a run, and why. Both stand in its history. */
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
export async function cancelRun(client: NavigatorClient, workflowId: string, said: EndedBy): Promise<void> {
  const { whole, runId } = await running(client, workflowId);
  const { workflow, options } = client.temporal;
  // The SDK's own `cancel` takes no reason.
  await ask(() =>
    workflow.workflowService.requestCancelWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: whole, runId },
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
export async function terminateRun(client: NavigatorClient, workflowId: string, said: EndedBy): Promise<void> {
  const { whole } = await running(client, workflowId);
  await ask(() => client.temporal.workflow.getHandle(whole).terminate(reasonText(said)));
}

/** @throws NavigatorError `not_found`, `run_over` */
async function running(client: NavigatorClient, workflowId: string): Promise<{ whole: string; runId: string }> {
  const whole = workflowIdIn(client.project, workflowId);
  const { status, runId } = await ask(() => client.temporal.workflow.getHandle(whole).describe());
  if (status.name === "RUNNING") return { whole, runId };
  throw new NavigatorError(
    "run_over",
    `"${whole}" has ended (${status.name.toLowerCase()}): it can no longer be changed.`,
  );
}
