import type { Json, JsonObject } from "../../base/json";
import type { TaskOutcome } from "./outcome";
import type { TaskRecord } from "./result";

/**
 * One execution of a plan between two phases, or paused within one, as plain JSON: another process can continue from
 * it.
 */
export interface PlanRunState {
  /** 1-based. */
  execution: number;
  /** 0-based: the current phase. */
  phase: number;
  /** Given results, and the results of earlier phases. */
  results: JsonObject;
  /** Finished tasks of this phase. */
  outcomes: { [task_id: string]: TaskOutcome };
  /** The records of the earlier phases. */
  task_results: TaskRecord[];
  reviews: JsonObject;
  /** Task id -> what its agent recorded; null = agents have no journal. */
  journal: { [task_id: string]: JsonObject } | null;
  /** Tasks of this phase that wait for a review or an agent while the run is paused; missing = none. */
  waiting?: { [task_id: string]: WaitingTask };
}

/** Where a task that waited for a review or an agent continues after a pause. */
export interface WaitingTask {
  /** From 1. */
  attempt: number;
  /** When its first attempt began, ms since 1970. */
  started_at: number;
  /** When this attempt began, if an agent works at it, ms since 1970. */
  attempt_at?: number;
  /** Its quality gate has passed. */
  gated?: true;
  /** Why the attempt before was not accepted, if the agent receives the reason. */
  feedback?: string;
}

/** A map with one more entry. Keys come from models, so `__proto__` is a name like any other. */
export const withMapEntry = <T>(map: { [key: string]: T }, key: string, value: T): { [key: string]: T } =>
  Object.fromEntries([...Object.entries(map), [key, value]]);

/** The value of a key, or undefined. Keys such as `constructor` are ordinary. */
export const entryOf = <T>(map: { [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** Returns a copy of a map without one key. */
export const withoutEntry = <T>(map: { [key: string]: T }, key: string): { [key: string]: T } =>
  Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));

/** Returns a copy of a map with further entries. */
export const merged = (map: JsonObject, entries: readonly [string, Json][]): JsonObject =>
  Object.fromEntries([...Object.entries(map), ...entries]);
