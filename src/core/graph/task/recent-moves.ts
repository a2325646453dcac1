import { jsonBytes } from "../../base/bytes";
import type { Json, JsonObject } from "../../base/json";
import type { Task } from "./task-schema";

/** A task may make more moves than fit into one payload: the oldest are counted, and left out. */

/** The number of all moves of a task, also of those that its history leaves out. */
export const movesOf = ({ earlierMoves = 0, history }: Task): number => earlierMoves + history.length;

/** The task with its last moves, at most `keep`. */
export function withRecentMoves(task: Task, keep: number): Task {
  const left = task.history.length - keep;
  if (left <= 0) return task;
  return { ...task, earlierMoves: (task.earlierMoves ?? 0) + left, history: task.history.slice(left) };
}

/**
 * The task with its last moves, as many as fit into so many bytes of JSON, and what the steps of the others gave last: later
 * steps may need it.
 */
export function withMovesIn(task: Task, max_bytes: number): { task: Task; outputs: JsonObject } {
  let bytes = 0;
  let keep = 0;
  for (const entry of [...task.history].reverse()) {
    bytes += jsonBytes(entry as unknown as Json) + 1;
    if (bytes > max_bytes) break;
    keep += 1;
  }
  const recent = withRecentMoves(task, keep);
  const outputs: [string, Json][] = [];
  for (const { step, output } of task.history.slice(0, task.history.length - keep))
    if (output !== undefined) outputs.push([step, output]);
  const later = new Set(recent.history.flatMap(({ step, output }) => (output === undefined ? [] : [step])));
  return { task: recent, outputs: Object.fromEntries(outputs.filter(([step]) => !later.has(step))) };
}
