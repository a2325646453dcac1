import { defined } from "../../base/defined";
import { beginsAt, type Definition, startOf } from "../definition/schema";
import type { Task, TaskInput } from "./task-schema";

/**
 * A new task with its defaults (graph reference, section 5). `definition` is undefined when its workflow is not loaded.
 */
export function newTask(input: TaskInput, definition: Definition | undefined, nowMs: number): Task {
  const currentStep = input.currentStep ?? (definition ? startOf(definition) : "start");
  const waits = definition === undefined || beginsAt(definition, currentStep) === "timer";
  return {
    id: input.id,
    issueId: input.issueId,
    workflowType: input.workflowType,
    currentStep,
    priority: input.priority ?? 0,
    status: input.status ?? "PENDING",
    retryCount: input.retryCount ?? 0,
    context: input.context ?? {},
    stepRetries: input.stepRetries ?? {},
    createdAt: input.createdAt ?? nowMs,
    updatedAt: input.updatedAt ?? nowMs,
    ...defined({
      endResult: input.endResult,
      escalation: input.escalation,
      parentTaskId: input.parentTaskId,
      branch: input.branch,
      autonomy: input.autonomy,
      earlierMoves: input.earlierMoves,
    }),
    ...(input.waitingUntil === undefined || !waits ? {} : { waitingUntil: input.waitingUntil }),
    history: input.history ?? [],
  };
}

/** Retries taken from a step, 0 or more. A step may be called `constructor`. */
export function retriesUsedAt(task: Task, step: string): number {
  return Object.hasOwn(task.stepRetries, step) ? (task.stepRetries[step] ?? 0) : 0;
}
