import { decodePayload, type HistoryEvent, rootFailure } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { ContentOptions } from "./content";
import type { SpanError } from "./plain-span";
import { errorOf, runError, thrownError } from "./span-error";
import { contextOfCarrier, TRACE_HEADER, type TraceContext } from "./trace-context";

/** Where the header of an event says that what it asks for belongs. */
export function contextIn(header: Json | undefined): TraceContext | null {
  const fields = isObject(header) ? header.fields : undefined;
  return isObject(fields) ? contextOfCarrier(decodePayload(fields[TRACE_HEADER])) : null;
}

/** The error of an activity, as the event that tells of it has it. */
export function callError(event: HistoryEvent, options: ContentOptions): SpanError {
  const failure = rootFailure(event) ?? {};
  const { applicationFailureInfo: info, message } = failure;
  return isObject(info) && typeof info.type === "string" && info.type !== ""
    ? thrownError(info.type, message, options)
    : errorOf(endingOf(event, failure), message, options);
}

/** The error of a run that has failed, for one whose result does not tell it. */
export function endError(event: HistoryEvent, options: ContentOptions): SpanError {
  const { applicationFailureInfo: info, message } = rootFailure(event) ?? {};
  return runError(isObject(info) ? info.type : undefined, message, options);
}

function endingOf({ type }: HistoryEvent, { timeoutFailureInfo, canceledFailureInfo }: JsonObject): string {
  if (timeoutFailureInfo !== undefined || type.endsWith("TimedOut")) return "timed_out";
  return canceledFailureInfo !== undefined || type.endsWith("Canceled") ? "cancelled" : "failed";
}

/** A time of a history, in ms since 1970; null for none. */
export function timeOf(time: Json | undefined): number | null {
  if (!isObject(time)) return null;
  return Number(time.seconds ?? 0) * 1_000 + Math.floor(Number(time.nanos ?? 0) / 1e6);
}
