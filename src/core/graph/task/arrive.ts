import { type Definition, nodeKind, nodeOf } from "../definition/schema";
import { withHistoryEntry } from "./task-history";
import type { Task, TaskEntry } from "./task-schema";

/**
 * The task after a move, with its history one line longer (graph reference, section 4.1). Without a target the
 * task stays where it is and has failed: retries used up, and nothing leads out.
 */
export function arrive(definition: Definition, task: Task, entry: TaskEntry): Task {
  const {
    endResult: _left,
    escalation: _raised,
    waitingFor: _open,
    blockedBy: _blocked,
    waitingUntil: _due,
    ...rest
  } = task;
  const node = entry.to === null ? undefined : nodeOf(definition, entry.to);
  const at = { context: task.context, atMs: entry.at, isChild: task.parentTaskId !== undefined };
  return {
    ...rest,
    currentStep: entry.to ?? task.currentStep,
    status: entry.to === null ? "FAILED" : "PENDING",
    updatedAt: entry.at,
    ...(node && nodeKind(node).arrival(node, at)),
    history: withHistoryEntry(task.history, entry),
  };
}
