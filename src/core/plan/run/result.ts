import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Plan, PlanIssue } from "../definition/plan";

/** The results of one execution of a plan, and of the executor (plan reference, sections 2.1 and 5.1). */

/** The result of one task. `value` is null unless it is `ok`. */
export interface TaskRecord {
  task_id: string;
  status: "ok" | "error" | "skipped" | "waiting" | "replan_required";
  value: Json;
  /** 0 for a task with a given result. */
  duration_ms: number;
}

/** A review without a decision. */
export interface PendingReview {
  task_id: string;
  /** The task's input, its templates filled. */
  prompt: string;
  context: { depends_on: string[]; upstream_results: JsonObject };
}

/** Why a plan must be repaired before it can continue. */
export interface ReplanContext {
  task_id: string;
  task_input: Json;
  /** null if the task gave no value. */
  task_output: Json;
  diagnosis: string;
  completed_results: JsonObject;
  agent_spec: { name: string; prompt: string; tools: string[] };
}

interface Common {
  /** In plan order, without tasks that were not reached. */
  task_results: TaskRecord[];
  /** The journals of the tasks' agents, by task id; only when the options gave a journal. */
  journal?: { [task_id: string]: JsonObject };
}

/** How one execution of a plan ended (plan reference, section 2.1). */
export type PlanResult = Common &
  (
    | { status: "ok"; results: JsonObject }
    | { status: "error"; task_id: string; results: JsonObject; reason: Failure }
    | { status: "waiting"; pending: PendingReview[]; results: JsonObject }
    | { status: "replan_required"; context: ReplanContext }
  );

/** One repair of a plan; texts are cut short. */
export interface ReplanRecord {
  /** 1-based. */
  attempt: number;
  task_id: string;
  /** Ms since 1970. */
  timestamp: number;
  input: string;
  approach: string;
  output: string;
  diagnosis: string;
  new_task_count: number;
}

export interface ExecutionMetadata {
  /** All successful results, of whichever plan. */
  results: JsonObject;
  replan_count: number;
  execution_attempts: number;
  total_duration_ms: number;
  replan_history: ReplanRecord[];
  /** The current plan: a run that waits after a repair continues with it. */
  plan: Plan;
  /** The model gave up the mission; the result of `mission_impossible` gives the reason. */
  impossible?: true;
  journal?: { [task_id: string]: JsonObject };
}

/**
 * How a plan ended with its repairs (plan reference, section 5.1). `metadata` is null where nothing was executed: the
 * plan was refused, or none was made.
 */
export type ExecutionResult =
  | { status: "ok"; metadata: ExecutionMetadata; task_results: TaskRecord[] }
  | { status: "waiting"; pending: PendingReview[]; metadata: ExecutionMetadata; task_results: TaskRecord[] }
  | { status: "error"; reason: Failure; metadata: ExecutionMetadata | null; task_results: TaskRecord[] };

/** The issues inside a failure's details, as JSON. */
export const issuesJson = (issues: readonly PlanIssue[]): Json => issues.map((issue) => ({ ...issue }));
