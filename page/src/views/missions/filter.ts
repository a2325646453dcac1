import type { MissionState } from "../../api/types";

/** What a list of missions is narrowed to. All of it stands in the address. */
export interface MissionFilter {
  state?: MissionState | undefined;
  kind?: string | undefined;
  agent?: string | undefined;
  graph?: string | undefined;
  text?: string | undefined;
  age?: string | undefined;
  /** It used at least this, in US dollars. */
  cost?: string | undefined;
  page?: string | undefined;
}

/** The states, in the order of their tabs, in the words of people. */
export const STATES: readonly (readonly [MissionState, string])[] = [
  ["running", "Running"],
  ["waiting", "Waiting"],
  ["blocked", "Blocked"],
  ["paused", "Paused"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
  ["terminated", "Terminated"],
  ["timed_out", "Timed out"],
];

const HOUR_MS = 3_600_000;

/** How long ago a mission was started: the word in the address, its text, and its bounds in ms. */
export const AGES: readonly { word: string; text: string; youngerThan?: number; olderThan?: number }[] = [
  { word: "1h", text: "in the last hour", youngerThan: HOUR_MS },
  { word: "24h", text: "in the last 24 hours", youngerThan: 24 * HOUR_MS },
  { word: "7d", text: "in the last 7 days", youngerThan: 7 * 24 * HOUR_MS },
  { word: "old", text: "more than 7 days ago", olderThan: 7 * 24 * HOUR_MS },
];

/** The least costs to choose from, in US dollars: the word in the address. */
export const COSTS = ["0.01", "0.1", "1", "10", "100"] as const;

const FIELDS = ["state", "kind", "agent", "graph", "text", "age", "cost", "page"] as const;

/** The filter that an address names. */
export function filterOf(query: URLSearchParams): MissionFilter {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = query.get(field);
      return value === null || value === "" ? [] : [[field, value]];
    }),
  );
}

/** A minute: requests within it are the same, so that the server can answer that nothing has changed. */
const STEP_MS = 60_000;

/** What the API is asked for. Its counters take no state, text or cost. */
export function apiQuery(
  { age, cost, ...filter }: MissionFilter,
  now: number,
): { [name: string]: string | number | undefined } {
  const bounds = AGES.find(({ word }) => word === age);
  const before = (ms: number | undefined) =>
    ms === undefined ? undefined : Math.floor((now - ms) / STEP_MS) * STEP_MS;
  return {
    ...filter,
    min_cost: cost,
    started_after: before(bounds?.youngerThan),
    started_before: before(bounds?.olderThan),
  };
}

/** The address of the list with another filter; a changed filter begins with its first page. */
export function listAddress(filter: MissionFilter): string {
  const query = new URLSearchParams();
  for (const field of FIELDS) {
    const value = filter[field];
    if (value !== undefined && value !== "") query.set(field, value);
  }
  const text = query.toString();
  return `/missions${text === "" ? "" : `?${text}`}`;
}
