import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowStartOptions,
} from "@temporalio/client";
import type { Workflow } from "@temporalio/common";
import { shownDetails, shownSummary } from "../core/base/bytes";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../core/base/limits";
import { ask } from "./errors";

export type StartOnce<T extends Workflow> = Pick<
  WorkflowStartOptions,
  "workflowId" | "taskQueue" | "typedSearchAttributes" | "staticSummary" | "staticDetails" | "priority"
> & { args: Parameters<T> };

/** The same id means the same work: a second start returns the existing run, running or ended, and repeats nothing. */
export async function startOnce<T extends Workflow>(
  temporal: Client,
  type: string,
  { args, staticSummary = "", staticDetails = "", ...options }: StartOnce<T>,
): Promise<void> {
  const start = () =>
    temporal.workflow.start(type, {
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      ...options,
      staticSummary: shownSummary(staticSummary),
      staticDetails: shownDetails(staticDetails),
      args: args as unknown[],
    });
  await ask(start).catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  });
}
