import { defined } from "../../base/defined";
import type { Failure } from "../../base/failure";
import type { Json } from "../../base/json";
import { undoneText } from "../../effects/undo/undo-scopes";
import type { PlanTask } from "../definition/plan";
import { type Attempted, reviewAttempt, workAttempt } from "./attempt";
import type { TaskHappening } from "./events";
import { PlanPaused } from "./host";
import type { TaskOutcome } from "./outcome";
import { dependsOf, type TaskWorld } from "./plan-agents";
import { runQualityGate, wantsQualityGate } from "./quality-gate";
import type { WaitingTask } from "./run-state";
import type { TaskPort } from "./task-port";
import { verify } from "./verification";

const PAUSE_MS = 100;

type TaskEnd = Omit<TaskOutcome, "duration_ms">;

/** The next step for a task that failed: its end, or another attempt. */
type Next = TaskEnd | { kind: "again"; feedback: string | null };

/** The task waits for a review or an agent, and its run was paused during the wait. */
export type PausedTask = { kind: "paused" } & WaitingTask;

/**
 * All attempts of one task, to its end or to a pause (plan reference, section 3). Events are reported as they happen.
 *
 * @param from what an earlier pause gave
 */
export async function runTask(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  from?: WaitingTask,
): Promise<TaskOutcome | PausedTask> {
  const started = from?.started_at ?? port.now();
  const ended = (end: Omit<TaskOutcome, "duration_ms">) =>
    reportedEnd(port, task, { ...end, duration_ms: port.now() - started } as TaskOutcome);
  let feedback: string | null = from?.feedback ?? null;
  for (let attempt = from?.attempt ?? 1; ; attempt++) {
    // An attempt that continues after a pause was reported before.
    const resumed = attempt === from?.attempt ? from : undefined;
    if (resumed === undefined) port.emit({ type: "task_started", task_id: task.id, attempt });
    const paused = (more: Partial<WaitingTask>): PausedTask => ({
      kind: "paused",
      attempt,
      started_at: started,
      ...more,
    });
    const gated = attempt === 1 && wantsQualityGate(world, task);
    if (gated && resumed?.gated === undefined) {
      const gate = await atGate(port, world, task, resumed !== undefined);
      if (gate === "paused") return paused({});
      if (gate.refusal !== null) return ended({ kind: "replan", output: null, diagnosis: gate.refusal } as TaskOutcome);
    }
    const result = await attempted(port, world, task, attempt, { feedback, began: resumed?.attempt_at });
    if (result.kind === "paused")
      return paused(
        defined({ attempt_at: result.attempt_at, gated: gated || undefined, feedback: feedback ?? undefined }),
      );
    const next = judged(world, task, attempt, result);
    if (next.kind !== "again") return ended(await undoneIfFailed(port, task, next));
    feedback = next.feedback;
    await port.sleep(PAUSE_MS * attempt);
  }
}

function reportedEnd(port: TaskPort, task: PlanTask, outcome: TaskOutcome): TaskOutcome {
  const event = lastEvent(task, outcome);
  if (event) port.emit(event);
  return outcome;
}

/** The verdict of the quality gate on a task; `paused`: the run was paused during the check. */
async function atGate(...gate: Parameters<typeof runQualityGate>): Promise<{ refusal: string | null } | "paused"> {
  try {
    return { refusal: await runQualityGate(...gate) };
  } catch (error) {
    if (error instanceof PlanPaused) return "paused";
    throw error;
  }
}

/** Ends a task. If it failed and its plan asks for it, its effects are undone before anything follows. */
async function undoneIfFailed(port: TaskPort, task: PlanTask, end: TaskEnd): Promise<TaskEnd> {
  const { kind, fail, diagnosis = "" } = end as TaskEnd & { fail?: Failure; diagnosis?: string };
  if (task.on_failure !== "undo" || !["failed", "replan", "skipped"].includes(kind)) return end;
  const work = await port.undo();
  const undoneWork = work === null ? "" : undoneText(work);
  if (work === null || undoneWork === "") return end;
  if (fail === undefined) return { ...end, diagnosis: `${diagnosis} ${undoneWork}` } as TaskEnd;
  const { undone, remaining } = work;
  const details = { ...fail.details, undo: { undone, remaining } };
  return { ...end, fail: { ...fail, message: `${fail.message} ${undoneWork}`, details } } as TaskEnd;
}

const attempted = (
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
  toAgent: Parameters<typeof workAttempt>[4],
) =>
  task.type === "human_review"
    ? reviewAttempt(port, world, task, attempt)
    : workAttempt(port, world, task, attempt, toAgent);

function judged(
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
  result: Exclude<Attempted, { kind: "paused" }>,
): Next {
  if (result.kind === "waiting") return result;
  const mayRetry = attempt <= retriesOf(task);
  if (result.kind === "failed") return afterFailure(task, result.fail, mayRetry);
  const verdict = verify(task, result.value, dependsOf(task, world.results));
  switch (verdict.kind) {
    case "passed":
      return { kind: "ok", value: result.value } as Next;
    case "crashed":
      return failed(task, verdict.fail);
    case "failed":
      return afterVerification(task, result.value, verdict.diagnosis, mayRetry);
  }
}

/** The retries of a task. Either setting allows them for both kinds of failure. */
export const retriesOf = ({ on_failure, on_verification_failure, max_retries }: PlanTask): number =>
  on_failure === "retry" || on_verification_failure === "retry" ? max_retries : 0;

function afterFailure(task: PlanTask, fail: Failure, mayRetry: boolean): Next {
  const deliberate = fail.details?.user_fail === true;
  if (task.on_failure === "replan" && deliberate) return failed(task, fail);
  return mayRetry ? { kind: "again", feedback: null } : failed(task, fail);
}

/** The end of a task that failed. A task that asks for another plan gets it, whatever the failure. */
function failed(task: PlanTask, fail: Failure): Next {
  if (task.on_failure !== "replan") return { kind: "failed", fail } as Next;
  return { kind: "replan", output: null, diagnosis: fail.message || fail.reason } as Next;
}

function afterVerification(task: PlanTask, value: Json, diagnosis: string, mayRetry: boolean): Next {
  const fail: Failure = {
    reason: "verification_failed",
    message: diagnosis,
    details: { task_id: task.id, diagnosis },
  };
  switch (task.on_verification_failure) {
    case "stop":
      return failed(task, fail);
    case "skip":
      return { kind: "skipped", diagnosis } as Next;
    case "retry":
      if (mayRetry) return { kind: "again", feedback: diagnosis };
      return task.critical ? failed(task, fail) : ({ kind: "skipped", diagnosis } as Next);
    case "replan":
      return { kind: "replan", output: value, diagnosis } as Next;
  }
}

/** A task that waits, is skipped, or asks for another plan reports no more events. */
function lastEvent({ id: task_id }: PlanTask, outcome: TaskOutcome): TaskHappening | null {
  if (outcome.kind === "ok") return { type: "task_succeeded", task_id, duration_ms: outcome.duration_ms };
  return outcome.kind === "failed" ? { type: "task_failed", task_id, reason: outcome.fail } : null;
}
