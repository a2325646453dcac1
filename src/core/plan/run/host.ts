import type { AgentInput } from "../../agent/definition/agent-input";
import type { Step } from "../../agent/result/step";
import type { Json } from "../../base/json";
import type { ReviewRequest } from "../../review/request";
import type { PlanEvent } from "./events";
import type { PendingReview } from "./result";

/**
 * All that a plan may ask of the outside. Two hosts implement it: a workflow (child workflows, timers, its inbox) and
 * memory (simulation and tests). Each answer may come whenever it likes: results do not depend on which comes first.
 */
export interface PlanHost {
  /**
   * One run to its end. Whatever becomes of it is a Step, with `fail` where it failed; a rejected promise is no failure
   * of the task but ends the plan as it is (cancellation, or a bug).
   */
  runAgent(run: PlanAgentRun): Promise<Step>;
  /** Asks people and resolves with what they decided, as the task's value (see `decidedValue`); it may take days. */
  review(review: PlanReview): Promise<Json>;
  sleep(ms: number): Promise<void>;
  /** Ms since 1970. */
  now(): number;
  /** In the order of arrival; `inPlanOrder` gives the one that every run shares. */
  emit(event: PlanEvent): void;
  /**
   * Asked before each task is started: true = start no further one, let those that run end, and hand back the state.
   * A workflow says so when its history has grown long, and continues as new.
   */
  shouldPause?(): boolean;
}

/** An agent run that a plan wants: a task, a gate, a program, a look at the data, or a plan. */
export interface PlanAgentRun {
  /**
   * Stable and unique within the run of the plan: `planTaskRunId`, `qualityGateRunId`, `plannerRunId`, `repairRunId`.
   */
  id: string;
  kind: PlanRunKind;
  /** null for the planner. */
  task_id: string | null;
  /**
   * All that the run is started with. Of a direct task `program` is its text: no model is asked. `deadline_ms` is set
   * from `timeout_ms`, so that a host need not watch the time itself; a run that comes too late fails with
   * `mission_timeout`, which the plan tells as `timeout`.
   */
  input: AgentInput;
  /** null = it may wait for people, as long as they take. */
  timeout_ms: number | null;
}

export type PlanRunKind = "task" | "gate" | "quality_gate" | "direct" | "planner";

/** A review that a plan waits for. */
export interface PlanReview extends PendingReview {
  /** `<execution>/<task id>/<attempt>`, as for a run. */
  id: string;
  /** The same for the one inbox. */
  request: ReviewRequest;
}
