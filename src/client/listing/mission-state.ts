import type { WorkflowExecutionInfo } from "@temporalio/client";
import { formatOfWord, unknownFormat } from "../../core/base/run-format";
import { ATTRIBUTE, KNOWN_FORMAT_QUERY, UNKNOWN_FORMAT_QUERY } from "../../core/base/search-attributes";

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
const COMPLETED = 'ExecutionStatus = "Completed"';
const STOPPED = ["BLOCKED", "PAUSED"];
/**
 * The end that a task records. Its workflow stays open until its moves are confirmed and its alert has arrived: it is
 * over all the same.
 */
const OVER = ["COMPLETED", "FAILED", "REMOVED"];
const statusIn = (words: readonly string[]) =>
  `${ATTRIBUTE.status} IN (${words.map((word) => `"${word}"`).join(", ")})`;
const reportedNone = (words: readonly string[]) => `(${ATTRIBUTE.status} IS NULL OR NOT ${statusIn(words)})`;
/** It asks somebody: a task at a gate keeps the status of its graph. */
const ASKS = `(${statusIn(["WAITING", "HITL"])} OR ${ATTRIBUTE.openReviews} > 0)`;
const ASKS_NOBODY = `(${ATTRIBUTE.openReviews} IS NULL OR ${ATTRIBUTE.openReviews} = 0)`;

/** It ended, and its result is a failure. */
export const FAILED_AS_VALUE = `${COMPLETED} AND ${statusIn(["FAILED"])}`;
/** A task that was taken out of the tree. */
export const REMOVED = `${COMPLETED} AND ${statusIn(["REMOVED"])}`;
/** A task that has ended in this way, and whose workflow is still open. */
export const OVER_BUT_OPEN = {
  completed: `${RUNNING} AND ${statusIn(["COMPLETED"])}`,
  failed: `${RUNNING} AND ${statusIn(["FAILED"])}`,
  cancelled: `${RUNNING} AND ${statusIn(["REMOVED"])}`,
} as const;

const either = (...queries: readonly string[]) => `(${queries.map((query) => `(${query})`).join(" OR ")})`;

/** The part of a Visibility query for each state. */
export const STATE_QUERY: { readonly [state in MissionState]: string } = {
  running: `${KNOWN_FORMAT_QUERY} AND ${reportedNone(["WAITING", "HITL", ...STOPPED, ...OVER])} AND ${ASKS_NOBODY}`,
  // People see first that a run is blocked, paused or over.
  waiting: `${KNOWN_FORMAT_QUERY} AND ${ASKS} AND ${reportedNone([...STOPPED, ...OVER])}`,
  blocked: either(
    `${RUNNING} AND ${statusIn(["BLOCKED"])}`,
    `${UNKNOWN_FORMAT_QUERY} AND ${reportedNone(["PAUSED", ...OVER])}`,
  ),
  paused: `${RUNNING} AND ${statusIn(["PAUSED"])}`,
  completed: either(`${COMPLETED} AND ${reportedNone(["FAILED", "REMOVED"])}`, OVER_BUT_OPEN.completed),
  failed: either('ExecutionStatus = "Failed"', FAILED_AS_VALUE, OVER_BUT_OPEN.failed),
  cancelled: either('ExecutionStatus = "Canceled"', REMOVED, OVER_BUT_OPEN.cancelled),
  terminated: 'ExecutionStatus = "Terminated"',
  timed_out: 'ExecutionStatus = "TimedOut"',
};

/** What a version of Navigator does not know of a run, by its `NavigatorFormat`; null: nothing. */
export const unknownOf = (format: string | undefined): string | null =>
  format === undefined ? null : unknownFormat(formatOfWord(format));

/** The same of a run as the server lists or describes it. */
export const unknownFormatOf = ({
  searchAttributes,
}: Pick<WorkflowExecutionInfo, "searchAttributes">): string | null => {
  const [format] = searchAttributes[ATTRIBUTE.format] ?? [];
  return format === undefined ? null : unknownOf(String(format));
};

/** The state of a run as the server lists or describes it. */
export function missionStateOf({
  status: { name: status },
  searchAttributes,
}: Pick<WorkflowExecutionInfo, "status" | "searchAttributes">): MissionState {
  const text = (name: string) => {
    const [value] = searchAttributes[name] ?? [];
    return value === undefined ? undefined : String(value);
  };
  const word = text(ATTRIBUTE.status);
  if (status === "RUNNING") {
    if (word === "BLOCKED") return "blocked";
    if (word === "PAUSED") return "paused";
    if (word !== undefined && OVER.includes(word)) return endOf(word);
    if (unknownOf(text(ATTRIBUTE.format)) !== null) return "blocked";
    const openReviews = Number(text(ATTRIBUTE.openReviews) ?? 0);
    return word === "WAITING" || word === "HITL" || openReviews > 0 ? "waiting" : "running";
  }
  if (status === "COMPLETED") return endOf(word);
  if (status === "CANCELLED") return "cancelled";
  if (status === "TERMINATED") return "terminated";
  return status === "TIMED_OUT" ? "timed_out" : "failed";
}

function endOf(word: string | undefined): MissionState {
  if (word === "REMOVED") return "cancelled";
  return word === "FAILED" ? "failed" : "completed";
}
