import type { AgentInput } from "../../agent/definition/agent-input";
import type { Step } from "../../agent/result/step";
import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { MissionLedger } from "../../effects/mission-ledger";
import type { UndoStep } from "../../effects/undo/undo-plan";
import type { ReviewRequest } from "../../review/kinds";
import type { PlanEvent } from "./events";
import type { PendingReview } from "./result";

/**
 * A review or a run rejects with this when its host needs a pause. After the pause the task continues with the same
 * attempt, and asks for the same review or run, which may have ended during the pause.
 */
export class PlanPaused extends Error {}

/**
 * The operations that a plan needs from outside. Two hosts implement them: a workflow (child workflows, timers, its
 * inbox) and memory (simulation and tests). Results do not depend on the order of the answers.
 */
export interface PlanHost {
  /** The effects of the plan. A host without it keeps none. */
  readonly effects?: MissionLedger;
  /**
   * One run to its end. Its result is always a Step, with `fail` if it failed. A rejected promise is not a failure of
   * the task: it ends the plan unchanged (cancellation, or a bug).
   */
  runAgent(run: PlanAgentRun): Promise<Step>;
  /** Takes one effect back; as for an agent's host. A host without it cannot undo. */
  undoEffect?(step: UndoStep, because: string): Promise<Result<Json>>;
  /** Asks people and resolves with their decision as the task's value (see `decidedValue`); it may take days. */
  review(review: PlanReview): Promise<Json>;
  sleep(ms: number): Promise<void>;
  /** Ms since 1970. */
  now(): number;
  /** In the order of arrival; `inPlanOrder` gives the one that every run shares. */
  emit(event: PlanEvent): void;
  /**
   * Called before each task starts: true = start no further task, let running ones end, and return the state. A
   * workflow returns true when its history has grown long, and continues as new.
   */
  shouldPause?(): boolean;
}

/** An agent run that a plan requests: for a task, a gate, a program, a data check, or a plan. */
export interface PlanAgentRun {
  /**
   * Stable and unique within the run of the plan: `planTaskRunId`, `qualityGateRunId`, `plannerRunId`, `repairRunId`.
   */
  id: string;
  kind: PlanRunKind;
  /** null for the planner. */
  task_id: string | null;
  /**
   * The complete input of the run. For a direct task `program` is its text, and no model is called. `deadline_ms` is
   * set from `timeout_ms`, so that a host need not watch the time itself; a run that exceeds it fails with
   * `mission_timeout`, which the plan reports as `timeout`.
   */
  input: AgentInput;
  /** null = it may wait for people without limit. */
  timeout_ms: number | null;
}

export type PlanRunKind = "task" | "gate" | "quality_gate" | "direct" | "planner";

/** The place of a run among those of the plan, whatever the attempt and the execution. */
export const placeOfRun = ({ kind, task_id }: Pick<PlanAgentRun, "kind" | "task_id">): string =>
  task_id === null ? "planner" : kind === "quality_gate" ? `gate of ${task_id}` : `task ${task_id}`;

/** A review that a plan waits for. */
export interface PlanReview extends PendingReview {
  /** `<execution>/<task id>/<attempt>`, as for a run. */
  id: string;
  /** The same review for the inbox. */
  request: ReviewRequest;
}
