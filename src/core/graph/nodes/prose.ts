import type { Standing } from "./node-kind";

/** Phrases for the last line of several types' instructions (graph reference, section 9.2). */

type Here = Standing["task"];

/** A task that has ended or is paused cannot be advanced. */
export function unlessOver({ status }: Here, call: () => string): string {
  if (status === "COMPLETED" || status === "FAILED") return ended(status);
  if (status === "PAUSED") return "The task is paused. No call is needed until it is resumed.";
  return call();
}

/** Writes the instruction for a task that has ended. */
export const ended = (status: string): string => `The task ended here (${status}). No call is needed.`;

export const PASSED_OR_FAILED = '"passed" or "failed"';

/** Writes the call that reports the result of a step. Its version is that of the task as it is shown. */
export const advanceCall = ({ id, version }: Pick<Here, "id" | "version">, results: string): string =>
  `advance_task with taskId "${id}", version ${version} and result ${results}`;

/** Lists results as alternatives: `"a", "b" or "c"`. */
export function anyOf(results: readonly string[]): string {
  const quoted = results.map((result) => `"${result}"`);
  const last = quoted.at(-1) as string;
  return quoted.length === 1 ? last : `${quoted.slice(0, -1).join(", ")} or ${last}`;
}

/** Separate tasks do the work of a fork or a subflow. */
export function workOfOthers({ id, waitingFor }: Here, steps: readonly string[]): string {
  const open = waitingFor ?? steps.map((step) => `${id}/${step}`);
  const tasks = open.map((other) => `"${other}"`).join(", ");
  return `Do the work of ${open.length === 1 ? "the task" : "the tasks"} ${tasks}; this one continues automatically when all is done.`;
}
