import type { Priority } from "@temporalio/common";
import { cutBytes, utf8Bytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import { NavigatorError } from "../../core/base/navigator-error";

/** How work shares busy workers with other work of the same task queue. Its children inherit both. */
export interface WorkShare {
  /** Which work busy workers take first: a higher number is more important, as for tasks. Default 0. */
  priority?: number;
  /** Among work of equal priority, each key gets its turn. Default: the project. */
  fairness?: Fairness;
}

/** How the server gives turns: work of one key shares one turn, however much it is. */
export interface Fairness {
  /** A customer, a team, a kind of work; at most 64 bytes. */
  key: string;
  /** How many turns the key gets where another one gets one: 0.001 to 1000. Default 1. */
  weight?: number;
}

const MAX_KEY_BYTES = 64;
const WEIGHTS = { least: 0.001, most: 1000 } as const;

/**
 * Returns a priority and a fairness as the server takes them. undefined: neither is set, and a child inherits both from
 * its parent.
 *
 * @param ownKey the fairness key if the caller set none; cut to what a server takes
 */
export function workPriority(share: WorkShare, ownKey?: string | null): Priority | undefined {
  const { priority = 0, fairness } = checkedShare(share);
  const fairnessKey = fairness?.key ?? (ownKey ? cutBytes(ownKey, MAX_KEY_BYTES) : undefined);
  const sent = defined({
    // The server's own default is the middle.
    priorityKey: priority === 0 ? undefined : priorityKey(priority),
    fairnessKey,
    fairnessWeight: fairness?.weight,
  });
  return Object.keys(sent).length === 0 ? undefined : sent;
}

/** @throws NavigatorError `invalid_input` */
export function checkedShare({ priority, fairness }: { [part in keyof WorkShare]?: unknown }): WorkShare {
  return defined({
    priority: priority === undefined ? undefined : checkedPriority(priority),
    fairness: fairness === undefined ? undefined : checkedFairness(fairness),
  });
}

function checkedPriority(priority: unknown): number {
  if (typeof priority === "number" && Number.isFinite(priority)) return priority;
  throw wrong("priority", `must be a number, got ${JSON.stringify(priority)}`);
}

function checkedFairness(fairness: unknown): Fairness {
  if (!isObject(fairness)) throw wrong("fairness", "must be an object with a key");
  const { key, weight } = fairness as { [part in keyof Fairness]?: unknown };
  if (typeof key !== "string" || key.trim() === "") throw wrong("fairness.key", "must be a text that is not empty");
  if (utf8Bytes(key) > MAX_KEY_BYTES)
    throw wrong("fairness.key", `has ${utf8Bytes(key)} bytes; at most ${MAX_KEY_BYTES} are allowed`);
  if (weight === undefined) return { key };
  if (typeof weight === "number" && weight >= WEIGHTS.least && weight <= WEIGHTS.most) return { key, weight };
  throw wrong("fairness.weight", `must be a number from ${WEIGHTS.least} to ${WEIGHTS.most}`);
}

const wrong = (option: string, what: string) =>
  new NavigatorError("invalid_input", `${option} ${what}.`, { details: { path: option } });

/** Temporal's five levels; 1 goes first. */
function priorityKey(priority: number): number {
  if (priority >= 100) return 1;
  if (priority > 0) return 2;
  return priority > -100 ? 4 : 5;
}
