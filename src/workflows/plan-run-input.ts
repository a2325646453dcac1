import type { Failure } from "../core/base/failure";
import type { PlanOptions } from "../core/plan/definition/options";
import type { Plan } from "../core/plan/definition/plan";
import type { EventPlace, PlanHappening } from "../core/plan/run/events";
import type { ExecutionState } from "../core/plan/run/execution-state";
import type { ExecutionResult, PlanResult } from "../core/plan/run/result";
import type { PlanRunState } from "../core/plan/run/run-state";
import type { Review } from "../core/review/review";

/** Input of the workflow `planRun`. The plan was read and checked by who starts it. */
export interface PlanRunInput {
  /** null: the planner makes one for the mission first. */
  plan: Plan | null;
  mission: string | null;
  /** With repairs (PlanExecutor) or one execution (PlanRunner). A plan that is made for a mission is always executed. */
  executor: boolean;
  options: PlanOptions;
  carried?: CarriedPlan;
}

/** What the run before this one handed over when it continued as new. */
export interface CarriedPlan {
  /** Of a plan without repairs. */
  run: PlanRunState | null;
  execution: ExecutionState | null;
  events: EventLogState;
  reviews: { reviews: Review[]; count: number };
  refused_signals: number;
}

/** What `planRun` returns: a PlanResult with repairs, or an ExecutionResult of one execution. */
export type PlanRunResult = PlanResult | ExecutionResult;

/**
 * One event of a plan (plan reference, section 6). It does not carry the Step: the run that made it has it, under
 * `workflow_id`.
 */
export type ToldEvent = ToldHappening & {
  number: number;
  at: number;
  /** Tasks of a phase interleave as they please; by their places events have one order in every run (`inPlanOrder`). */
  place: EventPlace;
};
/** What happened, without the Step of a run. */
export type ToldHappening =
  | Exclude<PlanHappening, { type: "task_step" }>
  | { type: "task_step"; task_id: string; ok: boolean; fail?: Failure };

/** The events of a plan as a run hands them over when it continues as new. */
export interface EventLogState {
  events: ToldEvent[];
  /** Number of the next. */
  next: number;
}

/** The events of a plan from an offset on. */
export interface EventsAnswer {
  /** From the offset on, as far as they are still kept. */
  events: ToldEvent[];
  /** The offset to ask with again. */
  next: number;
  /** How many between the offset and the first of `events` are not kept any more. */
  dropped: number;
}

/** How a plan and each of its tasks stand. */
export interface PlanStatus {
  state: "planning" | "running" | "waiting" | "completed" | "failed" | "cancelled";
  executions: number;
  replans: number;
  tasks: { task_id: string; state: "pending" | "running" | "ok" | "failed" | "skipped" }[];
  open_reviews: number;
  refused_signals: number;
}
