import { ok, type Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import type { Definition } from "../definition/schema";
import { newTask } from "./new-task";
import { type Task, TaskInput } from "./task-schema";

/** Reads a task from outside; reason `invalid_task`, `details.issues` names every wrong field. */
export function parseTask(input: unknown, definition: Definition | undefined, nowMs: number): Result<Task> {
  const task = readInput(TaskInput(), input, "invalid_task", "task");
  return task.ok ? ok(newTask(task.value, definition, nowMs)) : task;
}
