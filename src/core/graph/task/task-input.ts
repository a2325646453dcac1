import { failed, ok, type Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import { type Definition, nodeKind } from "../definition/schema";
import { newTask } from "./new-task";
import { type Task, TaskInput } from "./task-schema";

/** Reads a task from outside; reason `invalid_task`, `details.issues` names every wrong field. */
export function parseTask(input: unknown, definition: Definition | undefined, nowMs: number): Result<Task> {
  const task = readInput(TaskInput(), input, "invalid_task", "task");
  return task.ok ? ok(newTask(task.value, definition, nowMs)) : task;
}

/**
 * A task from a list or a caller, before its workflow starts: also what its context lacks for the nodes of its graph. A running task
 * keeps the context that it was read with. Reason: `invalid_task`.
 */
export function parseNewTask(input: unknown, definition: Definition | undefined, nowMs: number): Result<Task> {
  const task = parseTask(input, definition, nowMs);
  if (!task.ok || definition === undefined || OVER.has(task.value.status)) return task;
  const issues = Object.values(definition.nodes).flatMap((node) => {
    const problem = nodeKind(node).contextProblem?.(node, task.value.context);
    return problem === undefined ? [] : [{ field: problem.path, message: problem.message }];
  });
  if (issues.length === 0) return task;
  const text = issues.map(({ field, message }) => `${field} ${message}`).join("; ");
  return failed("invalid_task", `The task is wrong: ${text}.`, { issues });
}

const OVER: ReadonlySet<string> = new Set(["COMPLETED", "FAILED"]);
