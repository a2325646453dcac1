import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import { getExternalWorkflowHandle, ParentClosePolicy, startChild } from "@temporalio/workflow";
import { workflowIdFor } from "../../core/base/ids";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import type { Child } from "../../core/graph/task/fork";
import { newTask, type Task } from "../../core/graph/task/task";
import * as messages from "../messages";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { taskAttributes } from "../search-attributes";
import type { navigatorTask } from "./navigator-task";

/** The tasks that a task begins and waits for: branches and subflows (graph reference, sections 9.1 and 9.3). */

export type ChildInput = Omit<NavigatorTaskInput, "carried">;

/** A place in the tree right behind its parent's, in front of everything loaded after it. */
export function childOrder(order: number, index: number, depth: number): number {
  return order + (index + 1) / 1_000 ** depth;
}

/** A child's task: the parent's issue and priority. */
export function childTask(parent: Task, own: Pick<Task, "id" | "workflowType" | "context"> & Partial<Task>): Task {
  const { issueId, priority } = parent;
  return newTask({ issueId, priority, parentTaskId: parent.id, ...own }, undefined, Date.now());
}

/**
 * Begins a child that outlives its parent. One of this id that is there already was loaded by the orchestrator: it is
 * the one that is waited for.
 */
export async function beginChild(input: ChildInput, branch: string): Promise<Child> {
  const { task, order, definition } = input;
  try {
    await startChild<typeof navigatorTask>("navigatorTask", {
      workflowId: workflowIdFor("task", task.id),
      args: [input],
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

/** A child that nobody waits for any more. One that is over already cannot hear it. */
export function dropChild(id: string): void {
  getExternalWorkflowHandle(workflowIdFor("task", id))
    .signal(messages.cancelTaskSignal, { note: "the task that it belongs to went on without it" })
    .catch(() => {});
}

/** Tells the one that waits. A parent that is not there (the orchestrator loaded a branch alone) hears nothing. */
export async function reportTo(parent: string, report: Child): Promise<void> {
  await getExternalWorkflowHandle(workflowIdFor("task", parent))
    .signal(messages.childReport, report)
    .catch(() => {});
}
