import type { JsonObject } from "../../../../src/core/base/json";
import { type BegunCall, type CallsJournal, type MadeCall, RUN_CALLS } from "../../../../src/core/calls/run-calls";
import { readHistory } from "../../../../src/core/history/read/history";
import { projectEffects } from "../../../../src/core/history/read/project-effects";

/** Exported histories with activities that make calls, event by event. */
export interface ExportedEvent {
  eventId: string;
  eventType: string;
  eventTime: string;
  [attributes: string]: unknown;
}
export interface Exported {
  events: ExportedEvent[];
}

export const key = (n: number): string => `agent/m~${"a".repeat(43)}~${n}`;

export const payloads = (...values: unknown[]): JsonObject => ({
  payloads: values.map((value) => ({
    metadata: { encoding: btoa("json/plain") },
    data: Buffer.from(JSON.stringify(value)).toString("base64"),
  })),
});

/** Call number `n` of the run, as a program asks for it. */
export const shared = (n: number) => ({
  name: "charge",
  args: { n },
  idempotency_key: key(n),
  agent: null,
  task: n === 1 ? "pay" : null,
  turn: 1,
  effect: { kind: "write" as const, at: 5, call: n },
});

/** The same with its answer. */
export const made = (n: number, more: Partial<MadeCall> = {}): MadeCall => ({
  ...{ n, input: shared(n), began: 1_000 + n, at: 1_001 + n },
  answer: { ok: true, value: { tx: n } },
  ...more,
});

/** The same before it has an answer. */
export const begun = (n: number, more: Partial<BegunCall> = {}): BegunCall => ({
  ...{ n, input: shared(n), began: 1_000 + n },
  ...more,
});

/** What the heartbeat of activity `n` keeps. */
export const journal = (calls: MadeCall[], more: Partial<CallsJournal> = {}): CallsJournal => ({
  ...{ activity: "5", n: 1, made: calls },
  ...more,
});

export const event = (id: number, type: string, at: number, attributes: object = {}): ExportedEvent => ({
  ...{ eventId: String(id), eventType: type, eventTime: new Date(at).toISOString() },
  [`${type.charAt(0).toLowerCase()}${type.slice(1)}EventAttributes`]: attributes,
});

export const begins = event(1, "WorkflowExecutionStarted", 900);

/** @param carried changes of the journal that the activity carries for readers */
export const scheduled = (id: number, input: object, carried: object[] = [], at = 1_000): ExportedEvent =>
  event(id, "ActivityTaskScheduled", at, {
    activityId: String(id),
    activityType: { name: RUN_CALLS },
    input: payloads(input, ...carried),
  });

export const started = (of: number): ExportedEvent =>
  event(of + 1, "ActivityTaskStarted", 1_000, { scheduledEventId: String(of) });

/** @param of the event that scheduled the activity */
export const completed = (id: number, of: number, result: object, at = 2_000): ExportedEvent =>
  event(id, "ActivityTaskCompleted", at, { scheduledEventId: String(of), result: payloads(result) });

/** The end of an activity whose worker was lost. */
export const lost = (id: number, of: number, kept?: object, at = 2_000): ExportedEvent =>
  event(id, "ActivityTaskTimedOut", at, {
    scheduledEventId: String(of),
    failure: {
      message: "activity timeout",
      timeoutFailureInfo: kept === undefined ? {} : { lastHeartbeatDetails: payloads(kept) },
    },
  });

/** The same, as a worker gives its calls back when it starts again. */
export const givenBack = (id: number, of: number, kept: object, at = 2_000): ExportedEvent =>
  event(id, "ActivityTaskFailed", at, {
    scheduledEventId: String(of),
    failure: { message: "lost", applicationFailureInfo: { type: "worker_lost", details: payloads(kept) } },
  });

export const cancelled = (id: number, of: number, at = 2_000): ExportedEvent =>
  event(id, "ActivityTaskCanceled", at, { scheduledEventId: String(of) });

export const terminated = (id: number, ...kept: object[]): ExportedEvent =>
  event(id, "WorkflowExecutionTerminated", 9_000, { reason: "anna", details: payloads(...kept) });

/** The run has decided what it does. */
export const decided = (id: number): ExportedEvent => event(id, "WorkflowTaskCompleted", 2_100);

export const runCancelled = (id: number): ExportedEvent => event(id, "WorkflowExecutionCancelRequested", 2_050);

/** The run has read what the heartbeat of its activity keeps. null: there was none. */
export const report = (id: number, kept: object | null, at = 1_500): ExportedEvent =>
  event(id, "MarkerRecorded", at, {
    markerName: "core_local_activity",
    details: { data: payloads({ activity_type: "readKeptCalls" }), result: payloads(kept) },
  });

/** Anybody can send it. */
export const signal = (id: number, input: object): ExportedEvent =>
  event(id, "WorkflowExecutionSignaled", 1_400, { signalName: "callsReported", input: payloads(input) });

export const history = (...events: ExportedEvent[]): Exported => ({ events });

/** Their kinds, or how they ended; their ids must be in their order. */
export function types(given: Exported): string[] {
  const facts = readHistory(given);
  const ids = facts.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  return facts.map((fact) => {
    if (fact.kind === "activity_ended") return fact.outcome;
    return fact.kind === "ended" ? fact.state : fact.kind.replace(/^activity_/, "");
  });
}

/** The states of the effects, in their order. */
export const states = (given: Exported): string[] => projectEffects(given).map(({ state }) => state);

/** The events of a call that was made. */
export const CALL = ["scheduled", "started", "completed"];
/** The events of a call that was begun. */
export const BEGUN = ["scheduled", "started"];
