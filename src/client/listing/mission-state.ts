import { ATTRIBUTE } from "../../core/base/search-attributes";

/** How something that a user started is doing, in one word, and how the server is asked for those in a state. */

/** The states, in the order in which lists and counters name them. */
export const MISSION_STATES = [
  "running",
  "waiting",
  "blocked",
  "paused",
  "completed",
  "failed",
  "cancelled",
  "terminated",
  "timed_out",
] as const;
export type MissionState = (typeof MISSION_STATES)[number];

const RUNNING = 'ExecutionStatus = "Running"';
/** Whatever else it does, people see this first. */
const IS_HELD = `${ATTRIBUTE.status} IN ("BLOCKED", "PAUSED")`;
const NOT_HELD = `(${ATTRIBUTE.status} IS NULL OR NOT ${IS_HELD})`;
/** It asks somebody: a task at a gate keeps the status of its graph. */
const ASKS = `(${ATTRIBUTE.status} IN ("WAITING", "HITL") OR ${ATTRIBUTE.openReviews} > 0)`;
const ASKS_NOBODY = `(${ATTRIBUTE.openReviews} IS NULL OR ${ATTRIBUTE.openReviews} = 0)`;

/** It ended, and its result is a failure. */
export const FAILED_AS_VALUE = `ExecutionStatus = "Completed" AND ${ATTRIBUTE.status} = "FAILED"`;

/** The part of a Visibility query for each state. */
export const STATE_QUERY: { readonly [state in MissionState]: string } = {
  running: `${RUNNING} AND (${ATTRIBUTE.status} IS NULL OR ${ATTRIBUTE.status} NOT IN ("WAITING", "HITL", "BLOCKED", "PAUSED")) AND ${ASKS_NOBODY}`,
  waiting: `${RUNNING} AND ${ASKS} AND ${NOT_HELD}`,
  blocked: `${RUNNING} AND ${ATTRIBUTE.status} = "BLOCKED"`,
  paused: `${RUNNING} AND ${ATTRIBUTE.status} = "PAUSED"`,
  completed: `ExecutionStatus = "Completed" AND (${ATTRIBUTE.status} IS NULL OR ${ATTRIBUTE.status} != "FAILED")`,
  failed: `(ExecutionStatus = "Failed" OR (${FAILED_AS_VALUE}))`,
  cancelled: 'ExecutionStatus = "Canceled"',
  terminated: 'ExecutionStatus = "Terminated"',
  timed_out: 'ExecutionStatus = "TimedOut"',
};

/** @param status Temporal's @param said `NavigatorStatus` @param openReviews `NavigatorOpenReviews` */
export function missionStateOf(status: string, said: string | undefined, openReviews: number): MissionState {
  if (status === "RUNNING") {
    if (said === "BLOCKED") return "blocked";
    if (said === "PAUSED") return "paused";
    return said === "WAITING" || said === "HITL" || openReviews > 0 ? "waiting" : "running";
  }
  if (status === "COMPLETED") return said === "FAILED" ? "failed" : "completed";
  if (status === "CANCELLED") return "cancelled";
  if (status === "TERMINATED") return "terminated";
  return status === "TIMED_OUT" ? "timed_out" : "failed";
}
