import type { Json, JsonObject } from "../../../src/core/base/json";

/** Histories as `temporal workflow show --output json` writes them, made by hand. */
const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

export function payload(value: Json): JsonObject {
  if (value === null) return { metadata: { encoding: base64("binary/null") } };
  return { metadata: { encoding: base64("json/plain") }, data: base64(JSON.stringify(value)) };
}

export const payloads = (...values: Json[]): JsonObject => ({ payloads: values.map(payload) });

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** `["ActivityTaskScheduled", {...}, at, summary?]`; events are numbered from 1. */
export type Written = [type: string, attributes: JsonObject, at: number, summary?: string | undefined];

export function historyOf(events: Written[]): { events: JsonObject[] } {
  return {
    events: events.map(([type, attributes, at, summary], index) => ({
      eventId: String(index + 1),
      eventTime: isoTime(at),
      eventType: `EVENT_TYPE_${type.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}`,
      [`${type.charAt(0).toLowerCase()}${type.slice(1)}EventAttributes`]: attributes,
      ...(summary === undefined ? {} : { userMetadata: { summary: payload(summary) } }),
    })),
  };
}

export const started = (input: JsonObject, at: number, type = "agentRun"): Written => [
  "WorkflowExecutionStarted",
  { workflowType: { name: type }, input: payloads(input) },
  at,
];

export const memo = (fields: { [key: string]: Json }, at: number): Written => [
  "WorkflowPropertiesModified",
  { upsertedMemo: { fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, payload(value)])) } },
  at,
];
