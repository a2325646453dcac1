import { isObject } from "../../src/core/base/is-object";
import type { Json, JsonObject } from "../../src/core/base/json";
import { decodePayloads } from "../../src/core/base/payload";
import { type ExportedEvent, exportedEvents } from "../../src/core/history/read/decode-events";
import type { HistoryFact } from "../../src/core/history/read/facts";
import { endedIn, readHistory, startedIn } from "../../src/core/history/read/history";
import { readRecorded, recordedFiles } from "../support/recorded";

/** What happened in a recorded run, as its history tells it. */
export interface RecordedRun {
  file: string;
  workflow: string;
  input: JsonObject;
  events: ExportedEvent[];
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
  const events = exportedEvents(history);
  const facts = readHistory(history);
  const started = startedIn(history);
  // Of a wrong message, which may be no map, facts have nothing.
  const messages = (type: string, of: (attributes: JsonObject) => [name: unknown, input: unknown]) =>
    events.flatMap((event) => {
      if (event.type !== type) return [];
      const [name, input] = of(event.attributes);
      return [{ name: String(name), argument: decodePayloads(input) ?? null }];
    });
  return {
    file,
    workflow: started?.workflow_type ?? "",
    input: started?.input ?? {},
    events,
    signals: messages("WorkflowExecutionSignaled", ({ signalName, input }) => [signalName, input]),
    updates: messages("WorkflowExecutionUpdateAccepted", ({ acceptedRequest }) => {
      const { name, args } = asObject(asObject(acceptedRequest).input);
      return [name, args];
    }),
    sent: events
      .filter(({ type }) => type === "SignalExternalWorkflowExecutionInitiated")
      .map(({ attributes }) => String(attributes.signalName)),
    activities: [...scheduledActivities(facts, events), ...localActivities(facts)],
    children: facts.flatMap((fact) => (fact.kind === "child_asked" ? [fact.workflow_type] : [])),
    patches: events
      .filter(({ attributes }) => attributes.markerName === "core_patch")
      .map(({ attributes }) => String(asObject(decodePayloads(asObject(attributes.details)["patch-data"])).id)),
    end: endIn(facts.at(-1)),
    result: asObject(endedIn(history)?.result),
  };
}

function scheduledActivities(facts: HistoryFact[], events: ExportedEvent[]): Activity[] {
  const ends = new Map(facts.flatMap((fact) => (fact.kind === "activity_ended" ? [[fact.call, fact]] : [])));
  const options = new Map(events.map(({ id, attributes }) => [id, attributes]));
  const words = { completed: "completed", failed: "failed", timed_out: "lost", cancelled: "canceled" } as const;
  return facts.flatMap((fact): Activity[] => {
    if (fact.kind !== "activity_scheduled") return [];
    const { id, activity: name, input = {} } = fact;
    const end = ends.get(id);
    return [
      {
        ...{ name, local: false, input, options: options.get(id) ?? {} },
        end: end === undefined ? "open" : words[end.outcome],
        result: end?.result,
      },
    ];
  });
}

const localActivities = (facts: HistoryFact[]): Activity[] =>
  facts.flatMap((fact): Activity[] =>
    fact.kind === "local_activity"
      ? [{ name: fact.activity, local: true, input: {}, options: {}, end: "completed", result: fact.answer }]
      : [],
  );

function endIn(last: HistoryFact | undefined): RecordedRun["end"] {
  if (last?.kind === "continued_as_new") return "continued";
  if (last?.kind !== "ended" || last.state === "timed_out") return "open";
  return last.state === "cancelled" ? "canceled" : last.state;
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
