import { decodePayload, decodePayloads, type HistoryEvent } from "../../src/core/base/history-event";
import { isObject } from "../../src/core/base/is-object";
import type { Json, JsonObject } from "../../src/core/base/json";
import { readHistory } from "../../src/core/history/read/history";
import { readRecorded, recordedFiles } from "../support/recorded";

/** What happened in a recorded run, as its history tells it. */
export interface RecordedRun {
  file: string;
  workflow: string;
  input: JsonObject;
  events: HistoryEvent[];
  /** Messages that reached it, oldest first. */
  signals: Message[];
  updates: Message[];
  /** Signals that it sent. */
  sent: string[];
  activities: Activity[];
  /** Children that it started: their workflow types. */
  children: string[];
  /** Names of `patched`. */
  patches: string[];
  end: "completed" | "failed" | "canceled" | "terminated" | "continued" | "open";
  /** What it returned, also as the details of the failure of a run that failed. */
  result: JsonObject;
}

export interface Message {
  name: string;
  /** Its first argument. */
  argument: Json;
}

export interface Activity {
  name: string;
  local: boolean;
  input: JsonObject;
  /** The retry policy and the times that it was given; of a local one nothing is known. */
  options: JsonObject;
  /** How it ended; `lost`: out of time, or its worker was lost. */
  end: "completed" | "failed" | "lost" | "canceled" | "open";
  result: Json | undefined;
}

let all: RecordedRun[] | undefined;

export function recordedRuns(): RecordedRun[] {
  all ??= recordedFiles().map((file) => runOf(file, readRecorded(file)));
  return all;
}

function runOf(file: string, history: unknown): RecordedRun {
  const events = readHistory(history);
  const [started] = events;
  const messages = (type: string, of: (attributes: JsonObject) => JsonObject) =>
    events.filter((event) => event.type === type).map(({ attributes }) => messageOf(of(attributes)));
  return {
    file,
    workflow: nameOf(started?.attributes.workflowType),
    input: asObject(decodePayloads(started?.attributes.input)),
    events,
    signals: messages("WorkflowExecutionSignaled", ({ signalName, input }) => ({
      name: signalName ?? "",
      ...asObject(input),
    })),
    updates: messages("WorkflowExecutionUpdateAccepted", ({ acceptedRequest }) => {
      const { name, args } = asObject(asObject(acceptedRequest).input);
      return { name: name ?? "", ...asObject(args) };
    }),
    sent: events
      .filter(({ type }) => type === "SignalExternalWorkflowExecutionInitiated")
      .map(({ attributes }) => String(attributes.signalName)),
    activities: [...scheduledActivities(events), ...localActivities(events)],
    children: events
      .filter(({ type }) => type === "StartChildWorkflowExecutionInitiated")
      .map(({ attributes }) => nameOf(attributes.workflowType)),
    patches: markers(events, "core_patch").map((details) => String(asObject(decodePayloads(details["patch-data"])).id)),
    end: endOf(events.at(-1)?.type ?? ""),
    result: resultOf(events.at(-1)),
  };
}

function resultOf(end: HistoryEvent | undefined): JsonObject {
  const { result, failure } = end?.attributes ?? {};
  const { details } = asObject(asObject(failure).applicationFailureInfo);
  return asObject(decodePayloads(result ?? details));
}

const messageOf = ({ name, payloads }: JsonObject): Message => ({
  name: String(name),
  argument: (Array.isArray(payloads) ? decodePayload(payloads[0]) : undefined) ?? null,
});

function scheduledActivities(events: HistoryEvent[]): Activity[] {
  return events.flatMap(({ id, type, attributes }): Activity[] => {
    if (type !== "ActivityTaskScheduled") return [];
    const closed = events.find(
      (event) =>
        /^ActivityTask(Completed|Failed|TimedOut|Canceled)$/.test(event.type) &&
        Number(event.attributes.scheduledEventId) === id,
    );
    const end = {
      ActivityTaskCompleted: "completed",
      ActivityTaskFailed: "failed",
      ActivityTaskTimedOut: "lost",
      ActivityTaskCanceled: "canceled",
    } as const;
    return [
      {
        name: nameOf(attributes.activityType),
        local: false,
        input: asObject(decodePayloads(attributes.input)),
        options: attributes,
        end: closed === undefined ? "open" : end[closed.type as keyof typeof end],
        result: decodePayloads(closed?.attributes.result),
      },
    ];
  });
}

function localActivities(events: HistoryEvent[]): Activity[] {
  return markers(events, "core_local_activity").map((details) => ({
    name: String(asObject(decodePayloads(details.data)).activity_type),
    local: true,
    input: {},
    options: {},
    end: "completed",
    result: decodePayloads(details.result),
  }));
}

function markers(events: HistoryEvent[], name: string): JsonObject[] {
  return events
    .filter(({ type, attributes }) => type === "MarkerRecorded" && attributes.markerName === name)
    .map(({ attributes }) => asObject(attributes.details));
}

function endOf(type: string): RecordedRun["end"] {
  const ends = {
    Completed: "completed",
    Failed: "failed",
    Canceled: "canceled",
    Terminated: "terminated",
    ContinuedAsNew: "continued",
  } as const;
  return ends[type.replace(/^WorkflowExecution/, "") as keyof typeof ends] ?? "open";
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
const nameOf = (type: unknown): string => String(asObject(type).name ?? "");
