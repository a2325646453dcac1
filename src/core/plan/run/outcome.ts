import type { Failure } from "../../base/failure";
import type { Json } from "../../base/json";
import type { PlanTask } from "../definition/plan";
import type { PendingReview, TaskRecord } from "./result";

/** The outcome of a task of the current phase. JSON: it survives continue-as-new. */
export type TaskOutcome = { duration_ms: number } & (
  | { kind: "given" }
  | { kind: "ok"; value: Json }
  /** Its value failed the verification, and the plan continues without it. */
  | { kind: "skipped"; diagnosis: string }
  | { kind: "failed"; fail: Failure }
  | { kind: "waiting"; pending: PendingReview }
  | { kind: "replan"; output: Json; diagnosis: string }
);

/** A failure that does not end the plan (plan reference, section 3.3). */
export const isTolerated = ({ on_failure, critical }: PlanTask): boolean => on_failure === "skip" || !critical;

const STATUS = { given: "ok", ok: "ok", waiting: "waiting", replan: "replan_required", skipped: "skipped" } as const;

/** Returns the record of a task for the result of its plan. */
export function recordOf(task: PlanTask, outcome: TaskOutcome, value: Json): TaskRecord {
  const { kind, duration_ms } = outcome;
  const failed = isTolerated(task) ? "skipped" : "error";
  return { task_id: task.id, status: kind === "failed" ? failed : STATUS[kind], value, duration_ms };
}
