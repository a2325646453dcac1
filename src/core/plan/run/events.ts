import type { Step } from "../../agent/result/step";
import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import type { Plan } from "../definition/plan";

/** The events of planning and execution (plan reference, section 6), with the same types and payloads. */
export type PlanHappening =
  | { type: "planning_started"; mission: string }
  | { type: "planning_retry"; validation_errors: number }
  | { type: "planning_finished"; task_count: number; plan: Plan }
  | { type: "planning_failed"; reason: Failure }
  | { type: "execution_started"; mission: string; task_count: number }
  | { type: "execution_finished"; status: "ok" | "error" | "waiting"; duration_ms: number }
  | { type: "replan_started"; task_id: string; diagnosis: string; total_replans: number }
  | { type: "replan_finished"; new_tasks: number }
  | { type: "verification_failed"; task_id: string; diagnosis: string }
  | TaskHappening;

export type TaskHappening =
  | { type: "task_skipped"; task_id: string; reason: "already_completed" }
  | { type: "task_started"; task_id: string; attempt: number }
  | { type: "task_step"; task_id: string; step: Step }
  | { type: "task_succeeded"; task_id: string; duration_ms: number }
  | { type: "task_failed"; task_id: string; reason: Failure }
  | { type: "quality_gate_started"; task_id: string }
  | { type: "quality_gate_passed"; task_id: string; evidence: JsonObject[] }
  | { type: "quality_gate_failed"; task_id: string; missing: string[]; evidence: JsonObject[] }
  | { type: "quality_gate_error"; task_id: string; reason: Failure };

/**
 * The place of an event in the plan's order. Tasks of a phase interleave, so the order of arrival differs from run to
 * run; the places do not.
 */
export interface EventPlace {
  /** 1-based number of the execution; 0 before the first. */
  execution: number;
  /** 0-based; -1 for events of the whole execution before its phases, null for those after them. */
  phase: number | null;
  /** 0-based place of the task in the plan. */
  task: number;
}

/** An event of a plan with its time (ms since 1970) and its place in the plan's order (plan reference, section 6). */
export type PlanEvent = PlanHappening & { at: number; place: EventPlace };

/** The event as listeners get it: type and payload, without time and place. */
export function happeningOf({ at: _, place: __, ...event }: PlanEvent): PlanHappening {
  return event as PlanHappening;
}

/**
 * The events in the order that does not depend on timing: for each phase first the skipped tasks, then the starts in
 * plan order, then each task's other events. Events of one task keep their order of arrival.
 */
export function inPlanOrder(events: readonly PlanEvent[]): PlanEvent[] {
  return events
    .map((event, arrival) => ({ event, key: [...placeKey(event), arrival] }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ event }) => event);
}

function placeKey({ place, ...event }: PlanEvent): number[] {
  const phase = place.phase ?? Number.MAX_SAFE_INTEGER;
  const rank = event.type === "task_skipped" ? 0 : opensTask(event) ? 1 : 2;
  return [place.execution, phase, rank, place.task];
}

/** The first event of a running task. */
const opensTask = (event: { type: string; attempt?: number }): boolean =>
  event.type === "task_started" && event.attempt === 1;

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}
