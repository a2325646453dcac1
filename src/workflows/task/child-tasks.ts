import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import { getExternalWorkflowHandle, ParentClosePolicy, startChild } from "@temporalio/workflow";
import { workflowIdFor } from "../../core/base/ids";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { type Child, childReportOf } from "../../core/graph/task/fork";
import type { ChildStart, VisibleTask } from "../../core/graph/task/machine/actions";
import type { Task } from "../../core/graph/task/task";
import * as messages from "../messages";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { taskAttributes } from "../search-attributes";

/** Tasks that begin others and wait for them, as workflows (graph reference, sections 9.1 and 9.3). */

/** The workflow `navigatorTask`, as workflows that begin it see it. */
export type TaskWorkflowFunction = (input: NavigatorTaskInput) => Promise<Task>;

/**
 * Begins a child that outlives its parent. One of this id that is there already was loaded by the orchestrator: it is
 * the one that is waited for.
 */
export async function beginChild({ branch, setup }: ChildStart): Promise<Child> {
  const { task, order, definition } = setup;
  try {
    await startChild<TaskWorkflowFunction>("navigatorTask", {
      workflowId: workflowIdFor("task", task.id),
      args: [setup],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      typedSearchAttributes: taskAttributes(task, order),
      staticSummary: `${branch}: task on ${task.workflowType}`,
      staticDetails: definition?.description ?? "",
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { id: task.id, branch, state: "open", verdict: null };
}

/** Cancels a child that nobody waits for any more. One that is over already cannot hear it. */
export function dropChild(taskId: string): void {
  getExternalWorkflowHandle(workflowIdFor("task", taskId))
    .signal(messages.cancelTaskSignal, { note: "the task that it belongs to went on without it" })
    .catch(() => {});
}

/** Tells the task that waits for this one how it stands, each time that it stands otherwise. */
export class ParentReporter {
  private sending = false;
  private said = "";
  private outbox: Child | null = null;

  /** Something is still to be told. */
  get busy(): boolean {
    return this.sending;
  }

  report({ task, removed }: VisibleTask): void {
    const { parentTaskId } = task;
    if (parentTaskId === undefined || removed) return;
    const report = childReportOf(task);
    const saying = `${report.state} ${report.verdict}`;
    if (saying === this.said) return;
    this.said = saying;
    this.outbox = report;
    if (!this.sending) void this.send(parentTaskId);
  }

  /** One signal at a time: two that are sent together may arrive the other way round. */
  private async send(parentTaskId: string): Promise<void> {
    this.sending = true;
    for (let report = this.outbox; report !== null; report = this.outbox) {
      this.outbox = null;
      await reportTo(parentTaskId, report);
    }
    this.sending = false;
  }
}

/** A parent that is not there (the orchestrator loaded a branch alone) hears nothing. */
async function reportTo(parent: string, report: Child): Promise<void> {
  await getExternalWorkflowHandle(workflowIdFor("task", parent))
    .signal(messages.childReport, report)
    .catch(() => {});
}
