import { escalationKey } from "../../../base/ids";
import type { EscalationNotification } from "../../../calls/effects";
import { type Definition, nodeName } from "../../definition/schema";
import type { Task } from "../task";
import type { TaskState } from "./task-state";

/**
 * Which move led to an end that tells the outside, `alert` or `ticket` (graph reference, section 4.1): its number, from
 * 1. Null where the task is not at such an end, or was loaded there: then whoever had it before has raised it.
 */
export function alertingMove({ task, definition, book, setup }: TaskState): number | null {
  const { escalation, history } = task;
  if ((escalation !== "alert" && escalation !== "ticket") || !definition || !book.closed) return null;
  return history.length === setup.task.history.length ? null : history.length;
}

/** What people are told about a task at such an end. `move` tells two alerts of one task apart. */
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
