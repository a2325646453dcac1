import { defined } from "../../base/defined";
import type { Json } from "../../base/json";
import { type Definition, nodeOf } from "../definition/schema";
import { arrive } from "./arrive";
import { withHistoryEntry } from "./task-history";
import type { Task, TaskEntry } from "./task-schema";

/** Moves that people make outside of the graph (engine reference, section 7). */

/**
 * Sends a task to any step. Work starts afresh there, with the retry counters emptied as after HITL. A review's
 * decision asks for it, whose choices were made from the definition: an unknown step is a bug and throws.
 */
export function sendTo(definition: Definition, task: Task, step: string, nowMs: number, output?: Json): Task {
  if (!nodeOf(definition, step)) throw new Error(`Workflow "${definition.id}" has no step "${step}".`);
  return arrive(definition, { ...task, stepRetries: {} }, entryOf(task, step, "send_to", nowMs, output));
}

/**
 * Ends a task at its current step, because nobody will continue it: FAILED, or COMPLETED at an end whose result is
 * success (one that asked for a person).
 */
export function closeTask(task: Task, nowMs: number, output?: Json): Task {
  const { waitingUntil: _, ...rest } = task;
  return {
    ...rest,
    status: task.endResult === "success" ? "COMPLETED" : "FAILED",
    updatedAt: nowMs,
    history: withHistoryEntry(task.history, entryOf(task, null, "close", nowMs, output)),
  };
}

/** Ends a task at its current step, because its owner no longer needs it. */
export function cancelledTask(task: Task, nowMs: number, note: string | undefined): Task {
  const output = note === undefined ? undefined : { note };
  const { waitingUntil: _, ...rest } = task;
  return {
    ...rest,
    status: "FAILED",
    endResult: "cancelled",
    updatedAt: nowMs,
    history: withHistoryEntry(task.history, entryOf(task, null, "close", nowMs, output)),
  };
}

function entryOf(
  task: Task,
  to: string | null,
  action: TaskEntry["action"],
  at: number,
  output: Json | undefined,
): TaskEntry {
  return { step: task.currentStep, to, result: null, action, at, ...defined({ output }) };
}
