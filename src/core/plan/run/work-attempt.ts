import { utf8Bytes } from "../../base/bytes";
import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { textOf } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";
import { type TaskWorld, taskRun } from "./plan-agents";
import { type Attempted, stepResult } from "./task-attempts";
import type { TaskPort } from "./task-port";

/** One try at a task's work: an agent, a gate, or a program (plan reference, sections 4.2-4.4). */
export async function workAttempt(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
  feedback: string | null,
): Promise<Attempted> {
  const wanted = taskRun(world, task, feedback);
  if (!wanted.ok) return { kind: "failed", fail: wanted.fail };
  const step = await port.run(wanted.value, attempt);
  port.emit({ type: "task_step", task_id: task.id, step });
  const result = stepResult(task, step, wanted.value.timeout_ms);
  if (task.type !== "synthesis_gate" || result.kind !== "value") return result;
  const problem = emptiness(result.value);
  return problem === null ? result : { kind: "failed", fail: synthesisError(task.id, problem) };
}

const MIN_SUMMARY_BYTES = 10;

/** A summary that says nothing would let every task behind it work in the dark. */
function emptiness(value: Json): string | null {
  if (value === null) return "the summary is nil";
  if (typeof value === "string") {
    const bytes = utf8Bytes(value.trim());
    if (bytes === 0) return "the summary is empty";
    return bytes < MIN_SUMMARY_BYTES ? `the summary is too short: ${textOf(value)}` : null;
  }
  if (Array.isArray(value)) return value.length === 0 ? "the summary is an empty list" : null;
  return isObject(value) && Object.keys(value).length === 0 ? "the summary is an empty map" : null;
}

const synthesisError = (task_id: string, problem: string): Failure => ({
  reason: "synthesis_error",
  message: `The gate "${task_id}" gave no summary: ${problem}.`,
  details: { task_id, text: problem },
});
