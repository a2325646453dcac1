import { failed, ok, type Result } from "../base/failure";
import type { JsonObject } from "../base/json";
import type { Definition } from "../graph/definition/schema";
import { advanceTask, closeTask, sendTo, type Task } from "../graph/task/task";
import { type Decision, moveOf, type Review } from "./review";

/** The task as a checked decision leaves it; a failure when no edge leads on from what was chosen. */
export function taskAfter(
  definition: Definition,
  task: Task,
  review: Review,
  { choice, by, note, value }: Decision,
  nowMs: number,
): Result<Task> {
  const output: JsonObject = { choice, by, ...(note === undefined ? {} : { note }) };
  if (value !== undefined) output.value = value;
  const move = moveOf(review, choice);
  if (move?.kind === "send_to") return ok(sendTo(definition, task, move.step, nowMs, output));
  if (move?.kind === "close") return ok(closeTask(task, nowMs, output));
  const advanced = advanceTask(definition, task, { result: choice, output }, nowMs);
  if (!advanced.ok) return advanced;
  const { answer } = advanced;
  if (answer.success) return ok(advanced.task);
  const ways = answer.availableEdges.map(({ on }) => on ?? "anything").join(", ");
  return failed(
    answer.action,
    `No edge leads on from "${answer.previousStep}" when it ends with "${choice}". Edges lead on: ${ways}.`,
  );
}
