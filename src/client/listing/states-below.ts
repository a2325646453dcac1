import type { WorkflowExecutionInfo } from "@temporalio/client";
import { isMission, missionIdOf, type ProjectName } from "../../core/base/ids";
import { joinLines } from "../../core/base/one-line";
import { itemsOfMemo } from "../../core/review/inbox/inbox-item";
import { type MissionState, missionStateOf, STATE_QUERY } from "./mission-state";
import { inProject } from "./project-filter";

/**
 * The state below a mission. A plan, a task or an agent runs while an agent below it waits for people or is blocked. Nothing
 * reports that to the workflow above, which costs it no events: lists read both.
 */

/** What a run below a mission that runs waits for. */
export interface StateBelow {
  state: "waiting" | "blocked";
  /** `waits below: approval: Call send_refund? (plan/x/1/pay/1)` */
  waits_for: string;
  /** Ms since 1970. */
  since?: number;
}

/** Runs that are read at most; the newest come first. */
export const MAX_BELOW = 500;

/** The runs below others that wait or are blocked, in a query of Visibility. */
export const belowQuery = (project: ProjectName): string =>
  `ParentWorkflowId IS NOT NULL AND ${inProject(project)} AND ((${STATE_QUERY.waiting}) OR (${STATE_QUERY.blocked}))`;

/** The states below missions, by the workflow ids of the missions. People see first that a run is blocked, then who waits longest. */
export function statesBelow(runs: readonly WorkflowExecutionInfo[]): Map<string, StateBelow> {
  const found = new Map<string, StateBelow>();
  for (const run of runs) {
    const mission = missionIdOf(run.workflowId);
    const state = missionStateOf(run);
    if (isMission(run.workflowId) || (state !== "waiting" && state !== "blocked")) continue;
    const known = found.get(mission);
    const below = stateBelow(run, state);
    if (known === undefined || isBefore(below, known)) found.set(mission, below);
  }
  return found;
}

function stateBelow({ workflowId, memo }: WorkflowExecutionInfo, state: StateBelow["state"]): StateBelow {
  const [first] = itemsOfMemo(workflowId, memo ?? {}).items.sort((a, b) => a.since - b.since);
  const verb = state === "waiting" ? "waits below" : "blocked below";
  const what = first === undefined ? "" : `${first.kind}: ${joinLines(first.title)} `;
  const since = first !== undefined && first.since > 0 ? { since: first.since } : {};
  return { state, waits_for: `${verb}: ${what}(${workflowId})`, ...since };
}

function isBefore(one: StateBelow, other: StateBelow): boolean {
  if (one.state !== other.state) return one.state === "blocked";
  return (one.since ?? Number.POSITIVE_INFINITY) < (other.since ?? Number.POSITIVE_INFINITY);
}

/** A mission that runs shows what a run below it waits for. */
export function withBelow<T extends { workflow_id: string; state: MissionState }>(
  mission: T,
  below: ReadonlyMap<string, StateBelow>,
): T {
  const found = mission.state === "running" ? below.get(mission.workflow_id) : undefined;
  return found === undefined ? mission : { ...mission, ...found };
}

/** The query for missions in a state, where some that run have another state below them. */
export function stateQuery(state: MissionState, below: ReadonlyMap<string, StateBelow>): string {
  const query = STATE_QUERY[state];
  const ids = [...below].flatMap(([id, one]) => (state === "running" || one.state === state ? [id] : []));
  if (ids.length === 0 || !SHOWN_ABOVE.includes(state)) return query;
  const list = ids.map((id) => JSON.stringify(id)).join(", ");
  if (state === "running") return `${query} AND WorkflowId NOT IN (${list})`;
  return `((${query}) OR (${STATE_QUERY.running} AND WorkflowId IN (${list})))`;
}

/** The states that a list of missions takes from the runs below. */
export const SHOWN_ABOVE: readonly MissionState[] = ["running", "waiting", "blocked"];
