import { decodePayloads, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";

/** What the marker of a local activity says. */
export interface LocalCall {
  activity_type: string;
  /** What the SDK wrote of the call: times and attempts. */
  data: JsonObject;
  /** undefined: it failed. */
  answer: Json | undefined;
}

/** The local activity of an event; null for any other event. */
export function localCallOf({ type, attributes }: HistoryEvent): LocalCall | null {
  const { markerName, details, failure } = attributes;
  if (type !== "MarkerRecorded" || markerName !== "core_local_activity" || !isObject(details)) return null;
  const data = decodePayloads(details.data);
  if (!isObject(data)) return null;
  const activity_type = typeof data.activity_type === "string" ? data.activity_type : "";
  return { activity_type, data, answer: failure ? undefined : decodePayloads(details.result) };
}
