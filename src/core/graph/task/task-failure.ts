import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Task } from "./task-schema";

/**
 * Why a task that has ended counts as failed for Temporal (docs/decisions/0015); null if it does not. A task fails when
 * it is FAILED: at an end that the graph calls `failure` or `blocked`, with its retries used up, or closed by a person
 * after an escalation. A cancelled task is no failure: a person wanted its end, or the graph has a way that leads there.
 */
export function taskFailure(task: Task): Failure | null {
  const { id, status, endResult, currentStep } = task;
  if (status !== "FAILED" || endResult === "cancelled") return null;
  const why = lastStepFailure(task);
  const last = why === undefined ? "" : ` The message of its last failed step: ${why.reason}: ${why.message}`;
  const ended = endResult === undefined ? "" : ` with the result "${endResult}"`;
  return { reason: "task_failed", message: `Task "${id}" failed at "${currentStep}"${ended}.${last}` };
}

/** The message of the last step whose agent failed; undefined = there is none. */
export function lastStepFailure({ history }: Pick<Task, "history">): { reason: string; message: string } | undefined {
  return history.map(({ output }) => output).findLast(isFailure);
}

/** The output of a step whose agent failed. */
function isFailure(output: unknown): output is { reason: string; message: string } {
  return isObject(output) && typeof output.reason === "string" && typeof output.message === "string";
}
