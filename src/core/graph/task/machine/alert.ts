import { escalationKey } from "../../../base/ids";
import type { EscalationNotification } from "../../../review/notification";
import { type Definition, nodeName } from "../../definition/schema";
import { movesOf } from "../recent-moves";
import type { Task } from "../task";
import type { TaskState } from "./task-state";

/**
 * The number of the move, from 1, that led to an end with `alert` or `ticket` (graph reference, section 4.1). Null if
 * the task is not at such an end, or was loaded there: then its previous owner has sent the alert.
 */
export function alertingMove({ task, definition, book, setup }: TaskState): number | null {
  const { escalation } = task;
  if ((escalation !== "alert" && escalation !== "ticket") || !definition || !book.closed) return null;
  return movesOf(task) === movesOf(setup.task) ? null : movesOf(task);
}

/** The notification about a task at such an end. `move` distinguishes two alerts of one task. */
export function alertOf(definition: Definition, task: Task, move: number, workflowId: string): EscalationNotification {
  const event = task.escalation === "ticket" ? "task_ticket" : "task_alert";
  const last = task.history.at(-1);
  return {
    event,
    workflow_id: workflowId,
    idempotency_key: escalationKey(workflowId, event, move),
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
