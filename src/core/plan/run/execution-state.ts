import type { Json, JsonObject } from "../../base/json";
import type { Plan } from "../definition/plan";
import type { ExecutionMetadata, ReplanContext, ReplanRecord, TaskRecord } from "./result";
import { merged, type PlanRunState } from "./run-state";

/**
 * The state of an executor between two steps, as plain JSON: another process can continue from it, above all after a
 * repair.
 */
export interface ExecutionState {
  mission: string;
  /** The current plan, checked and without its invalid parts. */
  plan: Plan;
  /** Ms since 1970. */
  started_at: number;
  /** All successful results, of whichever plan. */
  completed: JsonObject;
  reviews: JsonObject;
  journal: { [task_id: string]: JsonObject } | null;
  execution_attempts: number;
  replan_count: number;
  replans_of: { [task_id: string]: number };
  history: ReplanRecord[];
  /** The fingerprints of the failed plans (see `fingerprintOf`). */
  failed_plans: string[];
  /** The last execution's. */
  task_results: TaskRecord[];
  /** The current execution; null = the next step starts one, or repairs the plan. */
  run: PlanRunState | null;
  /** Why the plan must be repaired first. */
  repair: ReplanContext | null;
}

/** The id of the only task in a plan whose planner gives up. */
export const MISSION_IMPOSSIBLE = "mission_impossible";

/** The part of a plan's result about its execution: results, repairs and duration. */
export function metadataOf(state: ExecutionState, now: number): ExecutionMetadata {
  const { plan, journal } = state;
  const impossible = plan.tasks.length === 1 && plan.tasks[0]?.id === MISSION_IMPOSSIBLE;
  return {
    results: state.completed,
    replan_count: state.replan_count,
    execution_attempts: state.execution_attempts,
    total_duration_ms: now - state.started_at,
    replan_history: state.history,
    plan,
    ...(impossible ? { impossible } : {}),
    ...(journal === null ? {} : { journal }),
  };
}

/**
 * The results of all tasks that have succeeded so far, also in the present phase. A cancelled execution reports them.
 */
export function resultsSoFar({ completed, run }: ExecutionState): JsonObject {
  return run === null ? completed : merged(completed, Object.entries(resultsOfRun(run)));
}

/** As `resultsSoFar`, for one execution without repairs. */
export function resultsOfRun({ results, outcomes }: PlanRunState): JsonObject {
  const ended = Object.entries(outcomes).flatMap(([id, outcome]): [string, Json][] =>
    outcome.kind === "ok" ? [[id, outcome.value]] : [],
  );
  return merged(results, ended);
}
