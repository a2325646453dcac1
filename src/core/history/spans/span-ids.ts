import { sha256 } from "@noble/hashes/sha2.js";
import { isObject } from "../../base/is-object";

/**
 * The ids of spans follow from the history alone, so that a worker that reports a span while it happens, another one that
 * takes the mission over, and `navigator trace --otlp` years later give the same ids (docs/decisions/0040).
 *
 * A key names a span within its workflow. Seed is the id of the workflow's first run, which all its runs know.
 */

/** The span of the whole run, whatever it continued as. */
export const RUN_KEY = "run";

/** A turn of an agent. @param invocation 1-based: a mission that was woken starts with turn 1 again */
export const turnKey = (invocation: number, turn: number): string => `turn/${invocation}.${turn}`;

/** One attempt of an activity. Its seed is the run that asked for it: activity ids begin anew in each. */
export const callKey = (activityId: string, attempt: number): string => `call/${activityId}/${attempt}`;

/**
 * The turn in which a call is made; null: the call does not name it, or a task or a plan makes it.
 *
 * @param input of the activity
 */
export function turnOfCall(workflowType: string, activity: string, input: unknown): number | null {
  // An undo has the turn of the effect that it takes back.
  if (workflowType !== "agentRun" || activity === "undoEffect" || !isObject(input)) return null;
  return typeof input.turn === "number" ? input.turn : null;
}

/** The wait for people's decision of a review. */
export const reviewKey = (review: string): string => `review/${review}`;

/** The wait of a mission that is parked. @param since ms since 1970 */
export const parkedKey = (since: number): string => `parked/${since}`;

/** The trace of a mission that was started without one: its own `trace_id`. 32 hex digits. */
export function traceIdOf(firstRunId: string): string {
  const bare = firstRunId.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(bare) && !/^0+$/.test(bare) ? bare : hex(`trace/${firstRunId}`, 16);
}

/** 16 hex digits. @param seed the id of a run: of the first one of the workflow, unless the key names another one */
export const spanIdOf = (seed: string, key: string): string => hex(`span/${seed}/${key}`, 8);

/**
 * The id that the attempts of one call share. It does not reveal their idempotency key: programs write a part of that.
 */
export const callIdOf = (idempotencyKey: string): string => hex(`effect/${idempotencyKey}`, 16);

function hex(text: string, bytes: number): string {
  const digest = sha256(new TextEncoder().encode(text)).subarray(0, bytes);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
