import { WORKER_LOST } from "../../base/error-codes";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { decodePayload, decodePayloads } from "../../base/payload";
import { CHANGES, type Change, changesFrom } from "../../journal/changes";
import type { EndState, FactFailure, FactFields, FactKind, HistoryFact } from "./facts";

/**
 * Decodes the events of an exported history into facts. Only this file knows Temporal's names of events and of their fields. A payload is
 * decoded when a reader asks for it first: a history may have 50,000 events, and most readers skip most of them.
 */

/** It is no exported history. The message names the place. */
export class HistoryFormatError extends Error {}

/** One event as it was exported, in a form that does not depend on who exported it. */
export interface ExportedEvent {
  id: number;
  /** Without prefix, in camel case: `ActivityTaskScheduled`. */
  type: string;
  /** Ms since 1970. */
  at: number;
  attributes: JsonObject;
  summary?: string;
}

/**
 * The events of an exported history: JSON from `temporal workflow show --output json`, the Web UI's download or the SDK's
 * `historyToJSON`. Unknown parts are ignored; known parts must be valid.
 *
 * @throws HistoryFormatError with the mistake and its place
 */
export function exportedEvents(history: unknown): ExportedEvent[] {
  const events = Array.isArray(history) ? history : isObject(history) ? history.events : undefined;
  if (!Array.isArray(events))
    throw new HistoryFormatError('a history is {"events": [...]}, as `temporal workflow show --output json` prints it');
  return withAdmittedRequests(events.map(exportedEvent));
}

/** After a reset the server sends an update again: the event that admits it has the request, and the one that accepts it has not. */
function withAdmittedRequests(events: ExportedEvent[]): ExportedEvent[] {
  const requests = new Map<unknown, Json>();
  for (const { type, attributes } of events)
    if (type === "WorkflowExecutionUpdateAdmitted" && isObject(attributes.request))
      requests.set(objectOf(attributes.request.meta).updateId, attributes.request as JsonObject);
  if (requests.size === 0) return events;
  return events.map((event) => {
    const { type, attributes } = event;
    const request = requests.get(attributes.protocolInstanceId);
    if (type !== "WorkflowExecutionUpdateAccepted" || isObject(attributes.acceptedRequest) || request === undefined)
      return event;
    return { ...event, attributes: { ...attributes, acceptedRequest: request } };
  });
}

/**
 * The facts as the server has them: calls that share an activity are not shown apart.
 *
 * @throws HistoryFormatError if the value is no history
 */
export const writtenFacts = (history: unknown): HistoryFact[] => exportedEvents(history).map(factOf);

function exportedEvent(raw: unknown, index: number): ExportedEvent {
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
  const ms = typeof raw === "string" ? Date.parse(raw) : (msOf(raw) ?? Number.NaN);
  if (Number.isNaN(ms))
    throw new HistoryFormatError(`events[${index}].eventTime: expected an ISO time, got ${JSON.stringify(raw)}`);
  return ms;
}

/** A time as protobuf has it, in ms since 1970; undefined: it is none. */
const msOf = (time: unknown): number | undefined =>
  isObject(time) ? Number(time.seconds ?? 0) * 1000 + Math.floor(Number(time.nanos ?? 0) / 1e6) : undefined;

// --- one event -------------------------------------------------------------------------------------------------------

function factOf({ id, type, at, attributes, summary }: ExportedEvent): HistoryFact {
  const decoded = (Object.hasOwn(DECODERS, type) ? DECODERS[type]?.(attributes) : undefined) ?? OTHER;
  const { kind, plain, payloads } = decoded;
  const fact = { kind, id, at, changes: NO_CHANGES, ...plain, ...(summary === undefined ? {} : { summary }) };
  for (const field of Object.keys(payloads)) addPayload(fact, field, payloads[field] as () => unknown);
  return fact as unknown as HistoryFact;
}

const NO_CHANGES: readonly Change[] = [];

/** Adds a field that its first reader decodes. */
function addPayload(fact: object, field: string, decode: () => unknown): void {
  const get = () => {
    const value = decode();
    Object.defineProperty(fact, field, { value, enumerable: true });
    return value;
  };
  Object.defineProperty(fact, field, { get, enumerable: true, configurable: true });
}

interface Decoded {
  kind: FactKind;
  plain: object;
  payloads: { [field: string]: (() => unknown) | undefined };
}

/** @param payloads the fields that are decoded later */
function decoded<K extends FactKind, P extends Partial<FactFields[K]>>(
  kind: K,
  plain: P,
  payloads: { [F in Exclude<keyof FactFields[K], keyof P>]: () => FactFields[K][F] } & {
    changes?: () => readonly Change[];
  },
): Decoded {
  return { kind, plain, payloads };
}

const OTHER: Decoded = { kind: "other", plain: {}, payloads: {} };

type Attributes = JsonObject;

const DECODERS: { [type: string]: (attributes: Attributes) => Decoded } = {
  WorkflowExecutionStarted: (a) =>
    decoded(
      "started",
      {
        workflow_type: nameOf(a.workflowType),
        workflow_id: textOf(a.workflowId),
        run_id: textOf(a.originalExecutionRunId),
        first_run_id: textOf(a.firstExecutionRunId),
        continued_run_id: textOf(a.continuedExecutionRunId),
        priority: a.priority,
      },
      { input: () => mapIn(a.input), memo: () => fieldsOf(a.memo), header: () => fieldsOf(a.header) },
    ),
  ActivityTaskScheduled: (a) =>
    decoded(
      "activity_scheduled",
      { activity: nameOf(a.activityType), activity_id: textOf(a.activityId) },
      {
        input: () => mapIn(a.input),
        header: () => fieldsOf(a.header),
        changes: () => changesIn(decodePayloads(a.input, 1)),
      },
    ),
  ActivityTaskStarted: (a) =>
    decoded("activity_started", { call: Number(a.scheduledEventId), attempt: Number(a.attempt ?? 1) }, {}),
  ActivityTaskCancelRequested: (a) => decoded("activity_cancel_requested", { call: Number(a.scheduledEventId) }, {}),
  ActivityTaskCompleted: (a) => activityEnded("completed", a),
  ActivityTaskFailed: (a) => activityEnded("failed", a),
  ActivityTaskTimedOut: (a) => activityEnded("timed_out", a),
  ActivityTaskCanceled: (a) => activityEnded("cancelled", a),
  MarkerRecorded: localActivity,
  StartChildWorkflowExecutionInitiated: (a) =>
    decoded(
      "child_asked",
      { workflow_type: nameOf(a.workflowType), workflow_id: textOf(a.workflowId) },
      { input: () => mapIn(a.input) },
    ),
  ChildWorkflowExecutionStarted: (a) =>
    decoded("child_started", { call: Number(a.initiatedEventId), ...executionOf(a.workflowExecution) }, {}),
  StartChildWorkflowExecutionFailed: (a) => childEnded("not_started", a),
  ChildWorkflowExecutionCompleted: (a) => childEnded("completed", a),
  ChildWorkflowExecutionFailed: (a) => childEnded("failed", a),
  ChildWorkflowExecutionCanceled: (a) => childEnded("cancelled", a),
  ChildWorkflowExecutionTerminated: (a) => childEnded("terminated", a),
  ChildWorkflowExecutionTimedOut: (a) => childEnded("timed_out", a),
  WorkflowExecutionSignaled: (a) => decoded("signal", { name: textOf(a.signalName) }, { input: () => mapIn(a.input) }),
  WorkflowExecutionUpdateAccepted: ({ acceptedRequest }) => {
    const { meta, input } = objectOf(acceptedRequest);
    const { name, args } = objectOf(input);
    return decoded(
      "update_accepted",
      { update_id: textOf(objectOf(meta).updateId), name: textOf(name) },
      { input: () => mapIn(args) },
    );
  },
  WorkflowExecutionUpdateCompleted: ({ acceptedEventId, outcome }) =>
    decoded(
      "update_completed",
      { accepted: Number(acceptedEventId) },
      { failure: () => failureIn(objectOf(outcome).failure) },
    ),
  WorkflowExecutionCancelRequested: (a) => decoded("cancel_requested", { cause: textOf(a.cause) }, {}),
  TimerStarted: () => decoded("timer_started", {}, {}),
  TimerFired: (a) => decoded("timer_ended", { timer: Number(a.startedEventId) }, {}),
  TimerCanceled: (a) => decoded("timer_ended", { timer: Number(a.startedEventId) }, {}),
  WorkflowPropertiesModified: ({ upsertedMemo }) => {
    const memo = onFirstUse(() => fieldsOf(upsertedMemo));
    return decoded("memo_changed", {}, { memo, changes: () => changesFrom(memo()[CHANGES]) });
  },
  // null: of an attribute that cannot be read it counts that it was set.
  UpsertWorkflowSearchAttributes: ({ searchAttributes }) =>
    decoded("attributes_changed", {}, { attributes: () => fieldsOf(searchAttributes, "indexedFields", null) }),
  WorkflowTaskCompleted: () => decoded("workflow_task_completed", {}, {}),
  WorkflowTaskFailed: (a) =>
    decoded("workflow_task_failed", { new_run_id: textOf(a.newRunId), base_run_id: textOf(a.baseRunId) }, {}),
  WorkflowExecutionCompleted: (a) => ended("completed", a),
  WorkflowExecutionFailed: (a) => ended("failed", a),
  WorkflowExecutionCanceled: (a) => ended("cancelled", a),
  WorkflowExecutionTerminated: (a) => ended("terminated", a),
  WorkflowExecutionTimedOut: (a) => ended("timed_out", a),
  WorkflowExecutionContinuedAsNew: (a) => decoded("continued_as_new", { next_run_id: textOf(a.newExecutionRunId) }, {}),
};

const activityEnded = (outcome: FactFields["activity_ended"]["outcome"], a: Attributes): Decoded =>
  decoded(
    "activity_ended",
    { call: Number(a.scheduledEventId), outcome },
    {
      result: () => decodePayloads(a.result),
      failure: () => failureIn(rootFailure(a.failure)),
      kept: () => keptInHeartbeat(outcome, a.failure),
    },
  );

/** Of a local activity, if its marker can be read. */
function localActivity({ markerName, details, failure }: Attributes): Decoded {
  const data = markerName === "core_local_activity" ? decodePayloads(objectOf(details).data) : undefined;
  if (!isObject(data)) return OTHER;
  return decoded(
    "local_activity",
    {
      activity: textOf(data.activity_type),
      activity_id: String(data.activity_id),
      attempt: Number(data.attempt ?? 1),
      scheduled_at: msOf(data.original_schedule_time),
      completed_at: msOf(data.complete_time),
    },
    {
      answer: () => (failure ? undefined : decodePayloads(objectOf(details).result)),
      failure: () => failureIn(rootFailure(failure)),
    },
  );
}

const childEnded = (outcome: FactFields["child_ended"]["outcome"], a: Attributes): Decoded =>
  decoded(
    "child_ended",
    {
      call: Number(a.initiatedEventId),
      workflow_id: executionOf(a.workflowExecution).workflow_id,
      outcome,
      cause: typeof a.cause === "string" ? a.cause : undefined,
    },
    { result: () => resultIn(a), failure: () => failureIn(rootFailure(a.failure)) },
  );

function ended(state: EndState, a: Attributes): Decoded {
  // A failure with a cause is another workflow's, so its details are, too.
  const isOwn = state === "completed" || (state === "failed" && !isObject(objectOf(a.failure).cause));
  const result = onFirstUse(() => resultIn(a));
  return decoded(
    "ended",
    { state, reason: textOf(a.reason), next_run_id: textOf(a.newExecutionRunId) },
    {
      result,
      failure: () => failureIn(rootFailure(a.failure)),
      details: () => payloadsIn(a.details),
      ...(isOwn ? { changes: () => changesIn(result()) } : {}),
    },
  );
}

// --- parts of an event -----------------------------------------------------------------------------------------------

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const nameOf = (named: Json | undefined): string => textOf(objectOf(named).name);

function executionOf(execution: Json | undefined): { workflow_id: string; run_id: string } {
  const { workflowId, runId } = objectOf(execution);
  return { workflow_id: textOf(workflowId), run_id: textOf(runId) };
}

function mapIn(payloads: Json | undefined): JsonObject | undefined {
  const value = decodePayloads(payloads);
  return isObject(value) ? value : undefined;
}

/** The fields of a memo, a header or search attributes. Of those that cannot be read it has `unread`. */
function fieldsOf(holder: Json | undefined, name = "fields", unread: Json | undefined = undefined): JsonObject {
  const fields = Object.entries(objectOf(objectOf(holder)[name]));
  return Object.fromEntries(
    fields.flatMap(([field, payload]) => {
      const value = decodePayload(payload);
      const kept = value === undefined ? unread : value;
      return kept === undefined ? [] : [[field, kept]];
    }),
  );
}

/** All values of payloads that can be read. */
function payloadsIn(payloads: Json | undefined): Json[] {
  const list = objectOf(payloads).payloads;
  return Array.isArray(list) ? list.map(decodePayload).filter((value) => value !== undefined) : [];
}

const changesIn = (bearer: Json | undefined): Change[] => changesFrom(objectOf(bearer)[CHANGES]);

function rootFailure(failure: Json | undefined): Json | undefined {
  let root = failure;
  while (isObject(root) && isObject(root.cause)) root = root.cause;
  return root;
}

function failureIn(failure: Json | undefined): FactFailure | undefined {
  if (!isObject(failure)) return undefined;
  const { applicationFailureInfo: info, message, timeoutFailureInfo, canceledFailureInfo } = failure;
  return {
    type: isObject(info) ? textOf(info.type) : null,
    message: typeof message === "string" ? message : undefined,
    ending: timeoutFailureInfo !== undefined ? "timed_out" : canceledFailureInfo !== undefined ? "cancelled" : "failed",
    details: isObject(info) ? decodePayloads(info.details) : undefined,
  };
}

function resultIn({ failure, result }: Attributes): Json | undefined {
  const { applicationFailureInfo: info } = objectOf(rootFailure(failure));
  return isObject(info) ? decodePayloads(info.details) : decodePayloads(result);
}

function keptInHeartbeat(outcome: string, failure: Json | undefined): Json | undefined {
  if (outcome === "failed") {
    const { type, details } = objectOf(objectOf(failure).applicationFailureInfo);
    return type === WORKER_LOST ? decodePayloads(details) : undefined;
  }
  if (outcome !== "timed_out") return undefined;
  for (let inner = failure; isObject(inner); inner = inner.cause)
    if (isObject(inner.timeoutFailureInfo)) return decodePayloads(inner.timeoutFailureInfo.lastHeartbeatDetails);
  return undefined;
}
