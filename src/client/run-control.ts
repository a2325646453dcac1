import { randomUUID } from "node:crypto";
import type { WorkflowHandle } from "@temporalio/client";
import { ApplicationFailure, type UpdateDefinition } from "@temporalio/common";
import type { PauseRequest } from "../core/base/input/pause";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import * as messages from "../workflows/messages";
import { askServed } from "./ask-query";
import { ask } from "./errors";

/** Who ends or pauses a run, and why. Both stand in its history. */
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
 * @throws NavigatorError `not_found`, `already_over`
 */
export async function cancelRun(handle: WorkflowHandle, endedBy: EndedBy): Promise<void> {
  const runId = await runningId(handle);
  const { workflowService, options } = handle.client;
  // The SDK's own `cancel` takes no reason.
  await ask(() =>
    workflowService.requestCancelWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: handle.workflowId, runId },
      identity: endedBy.by,
      requestId: randomUUID(),
      reason: reasonText(endedBy),
    }),
  );
}

/** The run of a workflow that can still be changed. @throws NavigatorError `not_found`, `already_over` */
export async function runningId(handle: WorkflowHandle): Promise<string> {
  const { status, runId } = await ask(() => handle.describe());
  if (status.name === "RUNNING") return runId;
  throw new NavigatorError(
    "already_over",
    `"${handle.workflowId}" has ended (${status.name.toLowerCase()}): it can no longer be changed.`,
    { details: { path: handle.workflowId, kind: "run" } },
  );
}

/**
 * Pauses a mission or a plan: it begins nothing new until it is resumed (engine reference, section 15). One that is
 * paused already stays so, and the answer names the person.
 *
 * @throws NavigatorError `not_found`, `already_over`, `no_worker`, `invalid_input`, `wrong_kind` for a run that cannot
 *   be paused
 */
export const pauseMission = (handle: WorkflowHandle, endedBy: EndedBy): Promise<messages.PauseAnswer> =>
  change(handle, messages.pauseRun, endedBy);

/**
 * Resumes a paused mission or plan.
 *
 * @throws NavigatorError as for `pauseMission`, and `not_paused`
 */
export const resumeMission = (handle: WorkflowHandle, endedBy: EndedBy): Promise<messages.PauseAnswer> =>
  change(handle, messages.resumeRun, endedBy);

async function change(
  handle: WorkflowHandle,
  update: UpdateDefinition<messages.PauseAnswer, [PauseRequest]>,
  { by, note }: EndedBy,
): Promise<messages.PauseAnswer> {
  await runningId(handle);
  // One id for all attempts of `ask`.
  const options = { args: [{ by, ...(note ? { note } : {}) }] as [PauseRequest], updateId: randomUUID() };
  try {
    return await askServed(handle, () => ask(() => handle.executeUpdate(update, options)));
  } catch (error) {
    // It ended during that time.
    if (isAbsent(error)) await runningId(handle);
    throw isUnknownMessage(error) ? cannotPause(handle.workflowId, error) : error;
  }
}

/** The workflow has no handler for the message. */
function isUnknownMessage(error: unknown): error is NavigatorError {
  const cause = (error as Error | undefined)?.cause as Error | undefined;
  const failure = cause?.cause;
  return failure instanceof ApplicationFailure && /^No registered handler for update/.test(failure.message);
}

const cannotPause = (workflowId: string, cause: NavigatorError): NavigatorError =>
  new NavigatorError("wrong_kind", `"${workflowId}" cannot be paused: it is no mission and no plan.`, { cause });
