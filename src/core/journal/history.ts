import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";

/**
 * Reads an exported workflow history: JSON from `temporal workflow show --output json`, the Web UI's download or the
 * SDK's `historyToJSON`. Unknown parts are ignored; known parts must be valid.
 */

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

/** It is no exported history. The message names the place. */
export class HistoryFormatError extends Error {}

/** The events of an exported history. Throws `HistoryFormatError` with the mistake and its place. */
export function readHistory(history: unknown): HistoryEvent[] {
  const events = Array.isArray(history)
    ? history
    : isObject(history) && Array.isArray(history.events)
      ? history.events
      : undefined;
  if (!events)
    throw new HistoryFormatError('a history is {"events": [...]}, as `temporal workflow show --output json` prints it');
  return events.map(readEvent);
}

function readEvent(raw: unknown, index: number): HistoryEvent {
  if (!isObject(raw) || typeof raw.eventType !== "string")
    throw new HistoryFormatError(`events[${index}]: expected an event with a textual eventType`);
  const type = eventTypeInWords(raw.eventType);
  const attributes = raw[`${type.charAt(0).toLowerCase()}${type.slice(1)}EventAttributes`];
  const summary = isObject(raw.userMetadata) ? decodePayload(raw.userMetadata.summary) : undefined;
  return {
    id: Number(raw.eventId ?? index + 1),
    type,
    at: eventTime(raw.eventTime, index),
    attributes: isObject(attributes) ? attributes : {},
    ...(typeof summary === "string" ? { summary } : {}),
  };
}

function eventTypeInWords(type: string): string {
  if (!type.startsWith("EVENT_TYPE_")) return type;
  return type
    .slice("EVENT_TYPE_".length)
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}

function eventTime(raw: unknown, index: number): number {
  if (typeof raw === "string") {
    const ms = Date.parse(raw);
    if (!Number.isNaN(ms)) return ms;
  }
  if (isObject(raw)) return Number(raw.seconds ?? 0) * 1000 + Math.floor(Number(raw.nanos ?? 0) / 1e6);
  throw new HistoryFormatError(`events[${index}].eventTime: expected an ISO time, got ${JSON.stringify(raw)}`);
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

function decodeBase64(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
