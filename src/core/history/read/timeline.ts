import { decodePayloads, endResultOf, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import { joinLines } from "../../base/one-line";
import { LISTS_TIMER } from "../../base/search-attributes";
import { effectChangeText } from "../../effects/effect-notes";
import type { EffectEntry } from "../../effects/entry";
import { changesIn, effectChangesIn, isReset } from "../../journal/changes";
import { localCallOf } from "./local-call";
import { refusedSignals } from "./refused-signals";
import { failOf, workflowEnd, workflowEndText } from "./workflow-end";

/** One thing that a mission did or was told, with its time: a line of the timeline. */
export interface TimelineEntry {
  /** Ms since 1970. */
  at: number;
  kind: "start" | "model" | "tool" | "child" | "record" | "reset" | "effect" | "signal" | "update" | "wait" | "end";
  text: string;
  /** From schedule to result, ms; absent while it runs. */
  duration_ms?: number;
  /** Its outcome, if it is worth showing. */
  outcome?: "ok" | "failed" | "retried";
  attempts?: number;
}

type Reader = (event: HistoryEvent, open: Map<number, TimelineEntry>) => TimelineEntry | undefined;

/** The timeline in the events of one history, in their order. */
export function timelineOf(events: readonly HistoryEvent[]): TimelineEntry[] {
  const open = new Map<number, TimelineEntry>();
  const entries: TimelineEntry[] = [];
  const told = new Map<string, EffectEntry>();
  const signals = new Map<number, TimelineEntry>();
  for (const event of events) {
    entries.push(...recorded(event), ...becameOfEffects(event, told));
    const entry = READERS[event.type]?.(event, open);
    if (entry) entries.push(entry);
    if (entry?.kind === "signal") signals.set(event.id, entry);
  }
  for (const { event } of refusedSignals(events)) refuse(signals.get(event));
  return entries;
}

function refuse(entry: TimelineEntry | undefined): void {
  if (entry === undefined) return;
  entry.text += ", refused";
  entry.outcome = "failed";
}

const READERS: Record<string, Reader> = {
  WorkflowExecutionStarted: (e) => ({ at: e.at, kind: "start", text: `started ${nameOf(e.attributes.workflowType)}` }),
  ActivityTaskScheduled: (e, open) => {
    const type = nameOf(e.attributes.activityType);
    return remember(open, e, { at: e.at, kind: type === "callModel" ? "model" : "tool", text: e.summary ?? type });
  },
  ActivityTaskStarted: (e, open) => {
    const entry = open.get(Number(e.attributes.scheduledEventId));
    const attempt = Number(e.attributes.attempt ?? 1);
    if (entry && attempt > 1) entry.attempts = attempt;
    return undefined;
  },
  ActivityTaskCompleted: (e, open) => close(open, e, e.attributes.scheduledEventId, toolOutcome(e)),
  ActivityTaskFailed: (e, open) => close(open, e, e.attributes.scheduledEventId, "failed"),
  ActivityTaskTimedOut: (e, open) => close(open, e, e.attributes.scheduledEventId, "failed"),
  MarkerRecorded: (e) => localActivity(e),
  StartChildWorkflowExecutionInitiated: (e, open) =>
    remember(open, e, {
      at: e.at,
      kind: "child",
      text: `${nameOf(e.attributes.workflowType)} ${String(e.attributes.workflowId)}`,
    }),
  ChildWorkflowExecutionCompleted: (e, open) =>
    close(open, e, e.attributes.initiatedEventId, failOf(endResultOf(e)) === null ? "ok" : "failed"),
  ChildWorkflowExecutionFailed: (e, open) => close(open, e, e.attributes.initiatedEventId, "failed"),
  WorkflowExecutionSignaled: (e) => ({
    at: e.at,
    kind: "signal",
    text: `signal ${String(e.attributes.signalName)}${decisionText(e.attributes.input)}`,
  }),
  // Who asked for it, and why, if that was said.
  WorkflowExecutionCancelRequested: ({ at, attributes: { cause } }) =>
    typeof cause === "string" && cause !== ""
      ? { at, kind: "signal", text: joinLines(`cancel requested by ${cause}`) }
      : undefined,
  WorkflowExecutionUpdateAccepted: (e, open) => {
    const input = updateInput(e);
    const text = `update ${String(input?.name ?? "")}${decisionText(input?.args)}`;
    return remember(open, e, { at: e.at, kind: "update", text });
  },
  WorkflowExecutionUpdateCompleted: (e, open) => updateRefused(e, open),
  // Nobody waits for what lists are told.
  TimerStarted: (e, open) =>
    e.summary === LISTS_TIMER ? undefined : remember(open, e, { at: e.at, kind: "wait", text: e.summary ?? "timer" }),
  TimerFired: (e, open) => close(open, e, e.attributes.startedEventId, "ok"),
  TimerCanceled: (e, open) => close(open, e, e.attributes.startedEventId, "ok"),
  WorkflowExecutionCompleted: (e) => ended(e),
  WorkflowExecutionFailed: (e) => ended(e),
  WorkflowExecutionCanceled: (e) => ended(e),
  WorkflowExecutionTerminated: (e) => ended(e),
  WorkflowExecutionTimedOut: (e) => ended(e),
  WorkflowExecutionContinuedAsNew: (e) => ({ at: e.at, kind: "end", text: "continued as new" }),
};

function ended(event: HistoryEvent): TimelineEntry | undefined {
  const end = workflowEnd(event);
  if (end === null) return undefined;
  const bad = end.state !== "completed" && end.state !== "cancelled";
  return { at: event.at, kind: "end", text: workflowEndText(end), ...(bad ? { outcome: "failed" } : {}) };
}

function remember(open: Map<number, TimelineEntry>, event: HistoryEvent, entry: TimelineEntry): TimelineEntry {
  open.set(event.id, entry);
  return entry;
}

function close(
  open: Map<number, TimelineEntry>,
  event: HistoryEvent,
  opener: unknown,
  outcome: "ok" | "failed",
): undefined {
  const entry = open.get(Number(opener));
  if (!entry) return;
  entry.duration_ms = Math.max(0, event.at - entry.at);
  entry.outcome = outcome;
}

/** An update that was taken into the history and then refused changed nothing: the line says so. */
function updateRefused({ attributes }: HistoryEvent, open: Map<number, TimelineEntry>): undefined {
  const entry = open.get(Number(attributes.acceptedEventId));
  const failure = isObject(attributes.outcome) ? attributes.outcome.failure : undefined;
  if (entry === undefined || !isObject(failure)) return;
  const { applicationFailureInfo: info } = failure;
  const code = isObject(info) && typeof info.type === "string" ? `: ${info.type}` : "";
  entry.text += `, refused${code}`;
  entry.outcome = "failed";
}

/** A tool that answered with a failure completed its activity all the same: the answer says so. */
function toolOutcome(event: HistoryEvent): "ok" | "failed" {
  const result = decodePayloads(event.attributes.result);
  return isObject(result) && result.ok === false ? "failed" : "ok";
}

/** What was recorded before this event. A record that rides on a later command says itself when it was made. */
function recorded(event: HistoryEvent): TimelineEntry[] {
  return changesIn(event).map((change) =>
    isReset(change)
      ? { at: event.at, kind: "reset", text: `reset ${change.id}` }
      : { at: timeOf(change.at, event), kind: "record", text: `recorded ${change.id}` },
  );
}

/** What became of effects without a call of their own: they were refused, not done again, or cleared up. */
function becameOfEffects(event: HistoryEvent, told: Map<string, EffectEntry>): TimelineEntry[] {
  return effectChangesIn(event).map(({ effect }) => {
    const text = joinLines(effectChangeText(effect, told.get(effect.key)));
    told.set(effect.key, effect);
    return { at: event.at, kind: "effect", text };
  });
}

const timeOf = (at: unknown, event: HistoryEvent): number =>
  typeof at === "number" && event.type !== "WorkflowPropertiesModified" ? Math.min(at, event.at) : event.at;

function localActivity(event: HistoryEvent): TimelineEntry | undefined {
  const local = localCallOf(event);
  // A run that looks at its own activity calls nobody.
  if (local === null || local.activity_type === "readKeptCalls") return undefined;
  const { activity_type: type, answer } = local;
  const bad = event.attributes.failure || (isObject(answer) && answer.ok === false);
  const kind = type === "callModel" ? "model" : "tool";
  return { at: event.at, kind, text: event.summary ?? (type || "local activity"), outcome: bad ? "failed" : "ok" };
}

function updateInput(event: HistoryEvent): { [key: string]: unknown } | undefined {
  const request = event.attributes.acceptedRequest;
  const input = isObject(request) ? request.input : undefined;
  return isObject(input) ? input : undefined;
}

/** The author of a message, if it names one: `: approve, by anna`. */
function decisionText(payloads: unknown): string {
  const said = decodePayloads(payloads);
  if (!isObject(said) || typeof said.by !== "string") return "";
  const { choice, id, by, note } = said;
  const what = typeof choice === "string" ? choice : typeof id === "string" ? id : "";
  return joinLines(`: ${what}, by ${by}${typeof note === "string" ? ` (${note})` : ""}`);
}

function nameOf(named: unknown): string {
  return isObject(named) && typeof named.name === "string" ? named.name : "";
}
