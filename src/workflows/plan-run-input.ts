import type { UsageState } from "../core/agent/budget/mission-usage";
import type { Failure } from "../core/base/failure";
import type { ContinuedPause, Paused } from "../core/base/input/pause";
import type { RunFormat } from "../core/base/run-format";
import type { ContinuedChain } from "../core/effects/chain/link-chain";
import type { GivenLedger } from "../core/effects/given-ledger";
import type { MissionLedgerState } from "../core/effects/mission-ledger";
import type { RetryOf } from "../core/journal/retry-of";
import type { PlanOptions } from "../core/plan/definition/options";
import type { Plan } from "../core/plan/definition/plan";
import type { EventPlace, PlanHappening } from "../core/plan/run/events";
import type { ExecutionState } from "../core/plan/run/execution-state";
import type { ExecutionResult, PlanResult } from "../core/plan/run/result";
import type { PlanRunState } from "../core/plan/run/run-state";
import type { TakenPlan } from "../core/plan/run/taken-plan";
import type { Review } from "../core/review/review";

/** Input of the workflow `planRun`. The starter has read and checked the plan. */
export interface PlanRunInput extends RunFormat {
  /** null: the planner makes one for the mission first. */
  plan: Plan | null;
  mission: string | null;
  /** With repairs (PlanExecutor) or one execution (PlanRunner). A plan that is made for a mission is always executed. */
  executor: boolean;
  options: PlanOptions;
  /** The principal that asked for the plan. It decides none of the plan's reviews, unless their terms allow it. */
  requested_by?: string;
  /** The plan that it tries again, and what that one has done. */
  retry?: PlanRetry;
  effects?: GivenLedger;
  carried?: ContinuedPlan;
}

/** The results that a plan takes over from the one that it tries again; its effects come separately. */
export interface PlanRetry extends RetryOf {
  taken?: TakenPlan;
}

/** The state of the previous run, which continued as new. */
export interface ContinuedPlan extends ContinuedChain {
  /** The state of a plan without repairs. */
  run: PlanRunState | null;
  execution: ExecutionState | null;
  events: EventLogState;
  /** `places`: where reviews wait, `<execution>/<task id>`, and the id of each. */
  reviews: { reviews: Review[]; count: number; places?: [string, string][] };
  refused_signals: number;
  /** Runs within the plan that were started and will be asked for again. */
  agents?: string[];
  /** The ledger of effects. */
  effects: MissionLedgerState;
  /** The usage of its agents. */
  used: UsageState;
  /** The plan was paused. */
  pause?: ContinuedPause;
}

/** The result of `planRun`: a PlanResult with repairs, or an ExecutionResult of one execution. */
export type PlanRunResult = PlanResult | ExecutionResult;

/**
 * One event of a plan (plan reference, section 6). It does not carry the Step: the run that made it has it, under
 * `workflow_id`.
 */
export type ShownEvent = ReportedEvent & {
  number: number;
  at: number;
  /** Events of tasks in a phase interleave. Sorted by place, they have the same order in every run (`inPlanOrder`). */
  place: EventPlace;
};
/** An event without the Step of its run. */
export type ReportedEvent =
  | Exclude<PlanHappening, { type: "task_step" }>
  | { type: "task_step"; task_id: string; ok: boolean; fail?: Failure };

/** The events of a plan that a run passes on when it continues as new. */
export interface EventLogState {
  events: ShownEvent[];
  /** The number of the next event. */
  next: number;
}

/** The events of a plan from an offset on. */
export interface EventsAnswer {
  /** The events from the offset on, as far as they are still kept. */
  events: ShownEvent[];
  /** The offset to ask with again. */
  next: number;
  /** The number of events between the offset and the first of `events` that are not kept any more. */
  dropped: number;
}

/** How a plan and each of its tasks stand. */
export interface PlanStatus {
  state: "planning" | "running" | "waiting" | "paused" | "completed" | "failed" | "cancelled";
  /** For a paused plan: who paused it, why, and when. */
  paused?: Paused;
  executions: number;
  replans: number;
  tasks: { task_id: string; state: "pending" | "running" | "ok" | "failed" | "skipped" }[];
  open_reviews: number;
  refused_signals: number;
}
