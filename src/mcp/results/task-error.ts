import type { Task } from "../../core/graph/task/task";
import { taskFailure } from "../../core/graph/task/task-failure";

/** The last member of an answer about a task: why it failed. Nothing if it did not. */
export function errorOfTask(task: Task): { error?: string } {
  const fail = taskFailure(task);
  return fail === null ? {} : { error: fail.message };
}
