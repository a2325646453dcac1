import { rulesOfReason } from "../../agent/result/run-reasons";
import type { Step } from "../../agent/result/step";
import { utf8Bytes } from "../../base/bytes";
import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { plainText, prettyText } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";
import { expandedInput } from "../definition/templates";
import { PlanPaused } from "./host";
import type { TaskOutcome } from "./outcome";
import { dependsOf, type TaskWorld, taskRun } from "./plan-agents";
import type { PendingReview } from "./result";
import { entryOf } from "./run-state";
import type { TaskPort } from "./task-port";

/** The result of one attempt: an unchecked value, or the reason why there is none. */
export type Attempted =
  | { kind: "value"; value: Json }
  | { kind: "failed"; fail: Failure }
  /** The host needs a pause before people have decided, or before the agent has ended. */
  | { kind: "paused"; attempt_at?: number }
  | Extract<TaskOutcome, { kind: "waiting" }>;

/**
 * One attempt at a task: an agent, a gate, or a program (plan reference, sections 4.2-4.4).
 *
 * @param began for an attempt that continues after a pause: when it began, ms since 1970
 */
export async function workAttempt(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
  { feedback, began = port.now() }: { feedback: string | null; began?: number | undefined },
): Promise<Attempted> {
  const wanted = taskRun(world, task, feedback);
  if (!wanted.ok) return { kind: "failed", fail: wanted.fail };
  let step: Step;
  try {
    step = await port.run(wanted.value, attempt);
  } catch (error) {
    if (error instanceof PlanPaused) return { kind: "paused", attempt_at: began };
    throw error;
  }
  const { timeout_ms } = wanted.value;
  const late = timeout_ms !== null && port.now() - began >= timeout_ms;
  port.emit({ type: "task_step", task_id: task.id, step });
  const result = stepResult(task, step, timeout_ms, late);
  if (task.type !== "synthesis_gate" || result.kind !== "value") return result;
  const problem = emptiness(result.value);
  return problem === null ? result : { kind: "failed", fail: synthesisError(task.id, problem) };
}

const MIN_SUMMARY_BYTES = 10;

/** With an empty summary every later task would lack its data. */
function emptiness(value: Json): string | null {
  if (value === null) return "the summary is nil";
  if (typeof value === "string") {
    const bytes = utf8Bytes(value.trim());
    if (bytes === 0) return "the summary is empty";
    return bytes < MIN_SUMMARY_BYTES ? `the summary is too short: ${plainText(value)}` : null;
  }
  if (Array.isArray(value)) return value.length === 0 ? "the summary is an empty list" : null;
  return isObject(value) && Object.keys(value).length === 0 ? "the summary is an empty map" : null;
}

const synthesisError = (task_id: string, problem: string): Failure => ({
  reason: "synthesis_error",
  message: `The gate "${task_id}" gave no summary: ${problem}.`,
  details: { task_id, text: problem },
});

/**
 * The result of a task from its run's Step. A timeout is the task's own failure, whatever the agent calls it: also when its
 * last turn was cut off, or was spent on a program that ran out of time.
 *
 * @param late the attempt took all the time it had
 */
function stepResult(task: PlanTask, step: Step, timeout_ms: number | null, late: boolean): Attempted {
  const { fail } = step;
  if (fail === null) return { kind: "value", value: step.return };
  const spent = rulesOfReason(fail.reason).out_of_turns === true;
  const agent = { agent: { ...fail } };
  if (timeout_ms !== null && (fail.reason === "mission_timeout" || (spent && late))) {
    const message = `Task "${task.id}" took longer than ${timeout_ms} ms.`;
    const details = { timeout_ms, ...(spent ? agent : {}) };
    return { kind: "failed", fail: { reason: "timeout", message, details } };
  }
  const last = spent ? lastError(step) : null;
  if (last?.reason !== "timeout") return { kind: "failed", fail };
  return { kind: "failed", fail: { reason: "timeout", message: String(last.message), details: agent } };
}

/** Why the last turn of a run failed, if it did. */
function lastError({ turns }: Step): JsonObject | null {
  const last = turns?.at(-1);
  return last !== undefined && !last.success && isObject(last.result) ? last.result : null;
}

/**
 * The decision of people (plan reference, section 4.5). If they can be asked again, a decision from the options is used
 * only once: a second attempt means that it was not accepted.
 */
export async function reviewAttempt(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
): Promise<Attempted> {
  const given = entryOf(port.reviews, task.id);
  if (given !== undefined && (attempt === 1 || !port.waitsForReviews)) return { kind: "value", value: given };
  const pending = pendingReview(world, task);
  if (!port.waitsForReviews) return { kind: "waiting", pending, duration_ms: 0 };
  try {
    return { kind: "value", value: await port.review(pending, attempt) };
  } catch (error) {
    if (error instanceof PlanPaused) return { kind: "paused" };
    throw error;
  }
}

function pendingReview({ results }: TaskWorld, task: PlanTask): PendingReview {
  return {
    task_id: task.id,
    prompt: prettyText(expandedInput(task.input, results)),
    context: { depends_on: task.depends_on, upstream_results: dependsOf(task, results) },
  };
}
