import { decodePayload, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import { withSharedCalls } from "./shared-calls";

/**
 * Reads an exported workflow history: JSON from `temporal workflow show --output json`, the Web UI's download or the
 * SDK's `historyToJSON`. Unknown parts are ignored; known parts must be valid.
 */

/** It is no exported history. The message names the place. */
export class HistoryFormatError extends Error {}

/** The events of an exported history. Throws `HistoryFormatError` with the mistake and its place. */
export const readHistory = (history: unknown): HistoryEvent[] => withSharedCalls(writtenEvents(history));

/**
 * The events as the server has them: calls that share an activity are not told apart.
 *
 * @throws HistoryFormatError for what is no history
 */
export function writtenEvents(history: unknown): HistoryEvent[] {
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
