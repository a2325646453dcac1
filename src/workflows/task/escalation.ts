import { isCancellation, workflowInfo } from "@temporalio/workflow";
import type { EscalationNotification } from "../../core/effects";
import { type Definition, nodeName } from "../../core/graph/schema";
import type { Task } from "../../core/graph/task";
import { escalationCalls } from "../activity-calls";

/**
 * An end with `alert` or `ticket` tells the outside (design section 7; reference, section 4.1).
 *
 * @param number of the move that led here: tells two alerts of one task apart
 * @returns whether somebody heard of it
 */
export async function raise(definition: Definition, task: Task, number: number): Promise<boolean> {
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
    idempotency_key: `${workflowId}/${event}/${number}`,
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
