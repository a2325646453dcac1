import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { agentOf, type Plan, type PlanTask } from "../definition/plan";
import { isTolerated, recordOf, type TaskOutcome } from "./outcome";
import type { PendingReview, ReplanContext } from "./result";
import { entryOf, merged, type PlanRunState, withoutEntry } from "./run-state";

/** How a phase ends the execution, without the fields that every result has. */
type PhaseEnd =
  | { status: "waiting"; pending: PendingReview[]; results: JsonObject }
  | { status: "replan_required"; context: ReplanContext }
  | { status: "error"; task_id: string; results: JsonObject; reason: Failure };

/**
 * Combines the outcomes of a phase's tasks, in plan order whatever ended first (plan reference, section 2.2): waiting
 * comes before replanning, and replanning before failing.
 */
export function combinePhase(
  plan: Plan,
  state: PlanRunState,
  tasks: readonly PlanTask[],
): { end: PhaseEnd | null; state: PlanRunState } {
  const ended = tasks.map((task): Ended => ({ task, outcome: entryOf(state.outcomes, task.id) as TaskOutcome }));
  const results = merged(
    state.results,
    ended.flatMap(({ task, outcome }): [string, Json][] => (outcome.kind === "ok" ? [[task.id, outcome.value]] : [])),
  );
  const records = ended.map(({ task, outcome }) => recordOf(task, outcome, entryOf(results, task.id) ?? null));
  const next: PlanRunState = {
    ...state,
    phase: state.phase + 1,
    results,
    outcomes: {},
    task_results: [...state.task_results, ...records],
    reviews: reviewsLeft(state.reviews, ended),
  };
  return { end: waiting(ended, results) ?? replan(plan, ended, results) ?? failure(ended, results), state: next };
}

interface Ended {
  task: PlanTask;
  outcome: TaskOutcome;
}

function waiting(ended: readonly Ended[], results: JsonObject): PhaseEnd | null {
  const pending = ended.flatMap(({ outcome }) => (outcome.kind === "waiting" ? [outcome.pending] : []));
  return pending.length === 0 ? null : { status: "waiting", pending, results };
}

function replan(plan: Plan, ended: readonly Ended[], completed_results: JsonObject): PhaseEnd | null {
  for (const { task, outcome } of ended)
    if (outcome.kind === "replan") {
      const { output, diagnosis } = outcome;
      return { status: "replan_required", context: replanContext(plan, task, output, diagnosis, completed_results) };
    }
  return null;
}

/**
 * The facts about a failed task that the planner receives, so that it can repair the plan (plan reference, section
 * 5.1).
 */
export function replanContext(
  plan: Plan,
  { id, input, agent }: PlanTask,
  task_output: Json,
  diagnosis: string,
  completed_results: JsonObject,
): ReplanContext {
  return {
    task_id: id,
    task_input: input,
    task_output,
    diagnosis,
    completed_results,
    agent_spec: { name: agent, ...agentOf(plan, agent) },
  };
}

function failure(ended: readonly Ended[], results: JsonObject): PhaseEnd | null {
  for (const { task, outcome } of ended)
    if (outcome.kind === "failed" && !isTolerated(task))
      return { status: "error", task_id: task.id, results, reason: outcome.fail };
  return null;
}

/** A decision that failed its verification answers no review of a later plan: people are asked again. */
const reviewsLeft = (reviews: JsonObject, ended: readonly Ended[]): JsonObject =>
  ended
    .filter(({ task, outcome }) => task.type === "human_review" && ["replan", "failed"].includes(outcome.kind))
    .reduce((left, { task }) => withoutEntry(left, task.id), reviews);
