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
import { hasTracerProvider } from "../node/telemetry/global-provider";
import { differences, INTENT_MEMO, type Intent, idInUse, intentOfMemo } from "../workflows/start/intent";
import { ask } from "./errors";

export type StartOnce<T extends Workflow> = Pick<
  WorkflowStartOptions,
  "workflowId" | "taskQueue" | "typedSearchAttributes" | "staticSummary" | "staticDetails" | "priority"
> & {
  args: Parameters<T>;
  /** The kind of work and its id, for messages. */
  named: { what: string; id: string };
  intent: Intent;
  /** The workflow of this id is joined, whatever it was started with. */
  join: boolean | undefined;
};

/**
 * The same id means the same work: a second start that asks for the same finds the existing run, running or ended, and
 * repeats nothing. One that asks for something else is refused. A workflow that a plain client or a schedule has
 * started does not show its request, and is joined.
 *
 * @returns whether it was started by this call
 * @throws NavigatorError `id_in_use` with the parts that differ in `details.differs`
 */
export async function startOnce<T extends Workflow>(
  temporal: Client,
  type: string,
  { args, intent, join = false, named, staticSummary = "", staticDetails = "", ...options }: StartOnce<T>,
): Promise<boolean> {
  // A process without telemetry loads nothing of it.
  const traced = hasTracerProvider() ? (await import("../node/telemetry/start-span")).tracedStarts : null;
  const workflow = traced === null ? temporal.workflow : traced(temporal.workflow);
  const start = () =>
    workflow.start(type, {
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      ...options,
      staticSummary: shownSummary(staticSummary),
      staticDetails: shownDetails(staticDetails),
      memo: { [INTENT_MEMO]: intent },
      args: args as unknown[],
    });
  try {
    await ask(start);
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (join) return false;
    const { memo } = await ask(() => temporal.workflow.getHandle(options.workflowId).describe());
    const before = intentOfMemo(memo);
    const differs = before === undefined ? [] : differences(before, intent);
    if (differs.length > 0) throw idInUse(named.what, named.id, differs);
    return false;
  }
}
