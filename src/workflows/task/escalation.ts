import { isCancellation, patched, workflowInfo } from "@temporalio/workflow";
import { escalationKey } from "../../core/base/ids";
import type { EscalationNotification } from "../../core/calls/effects";
import { type Definition, nodeName } from "../../core/graph/definition/schema";
import type { Task } from "../../core/graph/task/task";
import { escalationCalls } from "../activity-calls";
import type { Walk } from "./task-machine";

/**
 * An end with `alert` or `ticket` tells the outside, once (engine reference, section 7; graph reference, section 4.1).
 */
export class Escalations {
  private raised = "";

  constructor(private readonly walk: Walk) {}

  async atEnd(): Promise<void> {
    const { task, definition, book, input, reviews } = this.walk;
    const { escalation } = task;
    if ((escalation !== "alert" && escalation !== "ticket") || !definition || !book.closed) return;
    // The number of the move that led here tells two alerts of one task apart.
    const number = task.history.length;
    // One that was loaded at its end has raised what there was to raise.
    if (this.raised === `${task.currentStep} ${number}` || number === input.task.history.length) return;
    this.raised = `${task.currentStep} ${number}`;
    if (patched("raise-escalations") && !(await raise(definition, task, number))) reviews.unheard += 1;
  }

  /** The task was loaded anew. */
  reset(): void {
    this.raised = "";
  }
}

/** Whether somebody heard of it. */
async function raise(definition: Definition, task: Task, number: number): Promise<boolean> {
  const event = task.escalation === "ticket" ? "task_ticket" : "task_alert";
  const title = nodeName(definition, task.currentStep);
  try {
    await escalationCalls(`${event.replace("_", " ")}: ${title}`).notify(noticeOf(event, definition, task, number));
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

function noticeOf(
  event: EscalationNotification["event"],
  definition: Definition,
  task: Task,
  number: number,
): EscalationNotification {
  const { workflowId } = workflowInfo();
  const last = task.history.at(-1);
  return {
    event,
    workflow_id: workflowId,
    idempotency_key: escalationKey(workflowId, event, number),
    task: {
      id: task.id,
      issue: task.issueId,
      workflow: task.workflowType,
      step: task.currentStep,
      title: nodeName(definition, task.currentStep),
      end_result: task.endResult ?? "",
      last_step: last?.step ?? null,
      last_result: last?.result ?? null,
      last_output: last?.output ?? null,
    },
  };
}
