import { isObject } from "./is-object";
import type { Json, JsonObject } from "./json";

/** One event of a history, and what its payloads say. */

/** One event of an exported history, in a form that does not depend on who exported it. */
export interface HistoryEvent {
  id: number;
  /** Without prefix, in camel case: `ActivityTaskScheduled`. */
  type: string;
  /** Ms since 1970. */
  at: number;
  attributes: JsonObject;
  /** The worker's note about the command, shown in the Web UI. */
  summary?: string;
}

/** The states in which a workflow ends, by the type of its last event. */
const END_STATES = {
  WorkflowExecutionCompleted: "completed",
  WorkflowExecutionFailed: "failed",
  WorkflowExecutionCanceled: "cancelled",
  WorkflowExecutionTerminated: "terminated",
  WorkflowExecutionTimedOut: "timed_out",
} as const;

/** The state in which a workflow ended. */
export type EndState = (typeof END_STATES)[keyof typeof END_STATES];

/** The state in which a workflow ends with an event of this type; undefined: it does not end. */
export const endStateOf = (type: string): EndState | undefined =>
  Object.hasOwn(END_STATES, type) ? END_STATES[type as keyof typeof END_STATES] : undefined;

/** Whether a word is the state in which a workflow ends. */
export const isEndState = (word: unknown): word is EndState =>
  Object.values(END_STATES).some((state) => state === word);

/** The workflows that keep a ledger of their effects and a chain: an undo keeps neither. */
const WITH_LEDGER: readonly unknown[] = ["agentRun", "navigatorTask", "planRun"];

/** Whether the run of a history keeps a ledger and a chain. @param started its first event */
export function keepsLedger(started: HistoryEvent | undefined): boolean {
  const type = started?.attributes.workflowType;
  return isObject(type) && WITH_LEDGER.includes(type.name);
}

/** The JSON value of a payload; undefined where it is absent, encrypted or not JSON. */
export function decodePayload(payload: unknown): Json | undefined {
  if (!isObject(payload) || !isObject(payload.metadata)) return undefined;
  const encoding = decodeBase64(payload.metadata.encoding);
  if (encoding === "binary/null") return null;
  if (!encoding?.startsWith("json/")) return undefined;
  try {
    return JSON.parse(decodeBase64(payload.data) ?? "") as Json;
  } catch {
    return undefined;
  }
}

/** One value of the payloads of an input or a result: the first, unless another place (0-based) is asked for. */
export function decodePayloads(payloads: unknown, place = 0): Json | undefined {
  const list = isObject(payloads) ? payloads.payloads : undefined;
  return Array.isArray(list) ? decodePayload(list[place]) : undefined;
}

/** A field of the memo that an event writes; undefined: it writes none of this name. */
export function memoFieldOf(
  { type, attributes: { upsertedMemo: memo } }: HistoryEvent,
  field: string,
): Json | undefined {
  if (type !== "WorkflowPropertiesModified" || !isObject(memo) || !isObject(memo.fields)) return undefined;
  return decodePayload(memo.fields[field]);
}

/** A failure inside an event, with the failure that caused it, and so on: the first one, which says what went wrong. */
export function rootFailure(event: HistoryEvent): JsonObject | undefined {
  let failure = event.attributes.failure;
  while (isObject(failure) && isObject(failure.cause)) failure = failure.cause;
  return isObject(failure) ? failure : undefined;
}

/**
 * What a workflow gave at its end, from its own last event or its parent's: the result, or the first of the details of
 * its failure, where a run that failed keeps its Step. undefined: nothing.
 */
export function endResultOf(event: HistoryEvent): Json | undefined {
  const info = rootFailure(event)?.applicationFailureInfo;
  if (isObject(info)) return decodePayloads(info.details);
  return decodePayloads(event.attributes.result);
}

/** A value as the payloads of an input or a result have it. */
export const jsonPayloads = (value: Json): JsonObject => ({
  payloads: [{ metadata: { encoding: btoa("json/plain") }, data: encodeBase64(JSON.stringify(value)) }],
});

function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function decodeBase64(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const binary = atob(text);
    // A loop: readers decode megabytes, and `Uint8Array.from` with a function takes twenty times as long.
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
