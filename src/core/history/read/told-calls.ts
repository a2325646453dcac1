import { WORKER_LOST } from "../../base/error-codes";
import type { Result } from "../../base/failure";
import { decodePayload, decodePayloads, type HistoryEvent, jsonPayloads } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { type SharedCall, sharedCallId } from "../../calls/run-calls";

/** The events that an activity of its own would have left of a call that an activity has made as one of several. */

/** When something happened, and its place in the history. */
type Moment = Pick<HistoryEvent, "id" | "at">;

/** @param n its place among the calls of the activity: 1 for the first */
export function innerScheduled(activity: HistoryEvent, call: SharedCall, n: number, { id, at }: Moment): HistoryEvent {
  const { activityId, header } = activity.attributes;
  const attributes = {
    activityId: sharedCallId(String(activityId), n),
    activityType: { name: "callTool" },
    input: jsonPayloads(call as unknown as Json),
    ...(header === undefined ? {} : { header }),
  };
  const summary = `${call.task === null ? `turn ${call.turn}` : `task ${call.task}`}: ${call.name}`;
  return { id, type: "ActivityTaskScheduled", at, attributes, summary };
}

/** @param scheduledEventId the id of the event that asked for it */
export const innerStarted = (scheduledEventId: number, { id, at }: Moment, attempt: number): HistoryEvent => ({
  ...{ id, type: "ActivityTaskStarted", at },
  attributes: { scheduledEventId, attempt },
});

/** @param answer undefined: there is none */
export function innerEnded(
  scheduledEventId: number,
  answer: Result<Json> | undefined,
  { id, at }: Moment,
): HistoryEvent {
  if (answer === undefined) return { id, type: "ActivityTaskCanceled", at, attributes: { scheduledEventId } };
  const result = jsonPayloads(answer as unknown as Json);
  return { id, type: "ActivityTaskCompleted", at, attributes: { scheduledEventId, result } };
}

/** The types of the events with which an activity ends. */
export const ENDS_OF_ACTIVITIES = [
  "ActivityTaskCompleted",
  "ActivityTaskTimedOut",
  "ActivityTaskCanceled",
  "ActivityTaskFailed",
];

/** The type of the activity that an event schedules; undefined: it schedules none. */
export const activityNameOf = ({ attributes: { activityType } }: HistoryEvent): Json | undefined =>
  isObject(activityType) ? activityType.name : undefined;

/** What an activity that timed out, or that was given back for its lost worker, had kept in its heartbeat. */
export function keptInHeartbeat({ type, attributes }: HistoryEvent): Json | undefined {
  if (type === "ActivityTaskFailed") {
    const info = isObject(attributes.failure) ? attributes.failure.applicationFailureInfo : undefined;
    return isObject(info) && info.type === WORKER_LOST ? decodePayloads(info.details) : undefined;
  }
  const timeout = type === "ActivityTaskTimedOut" ? timeoutOf(attributes.failure) : undefined;
  return timeout === undefined ? undefined : decodePayloads(timeout.lastHeartbeatDetails);
}

function timeoutOf(failure: Json | undefined): JsonObject | undefined {
  for (let inner = failure; isObject(inner); inner = inner.cause)
    if (isObject(inner.timeoutFailureInfo)) return inner.timeoutFailureInfo;
  return undefined;
}

/** All values of payloads, as far as they can be read. */
export function payloadsIn(payloads: Json | undefined): Json[] {
  const list = isObject(payloads) && Array.isArray(payloads.payloads) ? payloads.payloads : [];
  return list.map(decodePayload).filter((value) => value !== undefined);
}
