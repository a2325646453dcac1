import { defined } from "../../base/defined";
import { type Failure, failed } from "../../base/failure";
import {
  decodePayload,
  decodePayloads,
  endResultOf,
  type HistoryEvent,
  memoFieldOf,
  rootFailure,
} from "../../base/history-event";
import { isBelow, toolOfRun } from "../../base/ids";
import type { Missing } from "../../base/input/missing";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { ParkedWait } from "../../review/inbox/inbox-entry";
import { readShortReviews, type ShortReview } from "../../review/inbox/short-review";
import { workflowEnd } from "../read/workflow-end";

/** What the history of one workflow tells to those who follow a conversation with it (web reference, section 9). */
export type MissionFact =
  /** A model is asked. `call` is the 1-based number of the call in its run. */
  | { type: "asked_model"; call: number }
  /** The model answered: this text counts, whatever the stream had. `calls`: the tools that it asks for besides. */
  | { type: "reply"; call: number; content: string; calls?: string[] }
  /** `missing`: the worker that was asked lacks what the call needs (see `blocked`). */
  | { type: "no_reply"; call: number; missing?: MissingThing }
  /** A tool is called, or an agent as a tool, in the workflow `child`. `review`: people approved this call. */
  | { type: "tool"; id: string; name: string; args: JsonObject; review?: string; child?: string }
  | {
      type: "tool_result";
      id: string;
      answer: { ok: true; value: Json } | { ok: false; message: string };
      missing?: MissingThing;
    }
  /** The run waits for a worker that has what a call needs; null: no call waits for that any more. */
  | { type: "blocked"; missing: MissingThing | null }
  /** What waits for people now: all open reviews, and the park of a run that waits for a decision in its journal. */
  | { type: "waits"; reviews: ShortReview[] }
  | { type: "parked"; parked: ParkedWait | null }
  | { type: "over"; end: MissionOver };

/** What a call needs that the worker does not have: see `core/calls/missing`. */
export type MissingThing = Pick<Missing, "kind" | "name" | "text" | "help">;

/** How a mission ended, with what it returned. */
export type MissionOver =
  | { state: "completed"; value: Json }
  | { state: "cancelled" }
  | { state: "failed"; fail: Pick<Failure, "reason" | "message"> };

/**
 * The facts in the events of one run of a workflow, in their order.
 *
 * @param runId of Temporal: ids of tool calls have its beginning, so that no two runs have the same
 */
export const missionFacts = (workflowId: string, runId: string, events: readonly HistoryEvent[]): MissionFact[] =>
  timedFacts(workflowId, runId, events).map(({ fact }) => fact);

/** The same, each with the time of its event, ms since 1970. */
export function timedFacts(
  workflowId: string,
  runId: string,
  events: readonly HistoryEvent[],
): { fact: MissionFact; at: number }[] {
  const scheduled = new Map<number, HistoryEvent>();
  const run = runId.slice(0, 8);
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" || event.type === "StartChildWorkflowExecutionInitiated")
      scheduled.set(event.id, event);
    const facts = factsOf(event, { workflowId, scheduled, idOf: (id) => `${workflowId}#${run}.${id}` });
    return facts.map((fact) => ({ fact, at: event.at }));
  });
}

interface Place {
  workflowId: string;
  scheduled: ReadonlyMap<number, HistoryEvent>;
  idOf(event: number): string;
}

function factsOf(event: HistoryEvent, place: Place): MissionFact[] {
  switch (event.type) {
    case "ActivityTaskScheduled":
      return asked(event, place);
    case "StartChildWorkflowExecutionInitiated":
      return childAsked(event, place);
    case "ActivityTaskCompleted":
    case "ActivityTaskFailed":
    case "ActivityTaskTimedOut":
    case "ActivityTaskCanceled":
      return activityOver(event, place);
    case "ChildWorkflowExecutionCompleted":
    case "ChildWorkflowExecutionFailed":
    case "ChildWorkflowExecutionTimedOut":
    case "ChildWorkflowExecutionCanceled":
    case "ChildWorkflowExecutionTerminated":
      return childOver(event, place);
    case "WorkflowExecutionStarted":
    case "WorkflowPropertiesModified":
      return waits(event);
    default:
      return over(event);
  }
}

const activityOf = (event: HistoryEvent): string =>
  isObject(event.attributes.activityType) ? String(event.attributes.activityType.name) : "";

/** The input of an activity, as its first argument has it. */
const inputOf = (event: HistoryEvent): JsonObject => {
  const input = decodePayloads(event.attributes.input);
  return isObject(input) ? input : {};
};

function asked(event: HistoryEvent, { idOf }: Place): MissionFact[] {
  const type = activityOf(event);
  const input = inputOf(event);
  if (type === "callModel" && typeof input.call === "number") return [{ type: "asked_model", call: input.call }];
  if (type !== "callTool" || typeof input.name !== "string") return [];
  const args = isObject(input.args) ? input.args : {};
  const review = isObject(input.approval) ? input.approval.review : undefined;
  return [
    {
      type: "tool",
      id: toolIdOf(event, idOf),
      name: input.name,
      args,
      ...(typeof review === "string" ? { review } : {}),
    },
  ];
}

/** A call that people approved has the id of its review: it was shown with it before it was made. */
function toolIdOf(event: HistoryEvent, idOf: Place["idOf"]): string {
  const { approval } = inputOf(event);
  return isObject(approval) && typeof approval.review === "string" ? approval.review : idOf(event.id);
}

/** An agent that is called as a tool runs below the one that calls it. */
function childAsked(event: HistoryEvent, { workflowId, idOf }: Place): MissionFact[] {
  const child = String(event.attributes.workflowId);
  if (!isBelow(child, workflowId)) return [];
  const { context } = inputOf(event);
  const args = isObject(context) ? context : {};
  return [{ type: "tool", id: idOf(event.id), name: toolOfRun(workflowId, child), args, child }];
}

function activityOver(event: HistoryEvent, { scheduled, idOf }: Place): MissionFact[] {
  const begun = scheduled.get(Number(event.attributes.scheduledEventId));
  if (begun === undefined) return [];
  const result = event.type === "ActivityTaskCompleted" ? decodePayloads(event.attributes.result) : undefined;
  const type = activityOf(begun);
  if (type === "callModel") {
    const call = Number(inputOf(begun).call);
    return isObject(result) && typeof result.content === "string"
      ? [{ type: "reply", call, content: result.content, ...defined({ calls: calledIn(result.tool_calls) }) }]
      : [{ type: "no_reply", call, ...missingIn(event) }];
  }
  if (type !== "callTool") return [];
  return [
    {
      type: "tool_result",
      id: toolIdOf(begun, idOf),
      answer: answerOf(result) ?? failureOf(event),
      ...missingIn(event),
    },
  ];
}

const calledIn = (calls: Json | undefined): string[] | undefined =>
  Array.isArray(calls) && calls.length > 0
    ? calls.flatMap((call) => (isObject(call) ? [String(call.name)] : []))
    : undefined;

function missingIn(event: HistoryEvent): { missing?: MissingThing } {
  const info = rootFailure(event)?.applicationFailureInfo;
  if (!isObject(info) || info.type !== "configuration_error") return {};
  return defined({ missing: missingThing(decodePayloads(info.details)) });
}

function missingThing(found: Json | undefined): MissingThing | undefined {
  if (!isObject(found) || typeof found.text !== "string") return undefined;
  const { kind, name, text, help } = found as unknown as Missing;
  return { kind, name, text, help };
}

function answerOf(result: Json | undefined): (MissionFact & { type: "tool_result" })["answer"] | null {
  if (!isObject(result)) return null;
  if (result.ok === true) return { ok: true, value: result.value ?? null };
  return isObject(result.fail) ? { ok: false, message: String(result.fail.message) } : null;
}

function failureOf(event: HistoryEvent): { ok: false; message: string } {
  const message = rootFailure(event)?.message;
  return { ok: false, message: typeof message === "string" && message !== "" ? message : "The call did not end." };
}

function childOver(event: HistoryEvent, { workflowId, scheduled, idOf }: Place): MissionFact[] {
  const initiated = scheduled.get(Number(event.attributes.initiatedEventId));
  if (initiated === undefined || !isBelow(String(initiated.attributes.workflowId), workflowId)) return [];
  const step = endResultOf(event);
  const id = idOf(initiated.id);
  if (!isObject(step)) return [{ type: "tool_result", id, answer: failureOf(event) }];
  if (isObject(step.fail))
    return [{ type: "tool_result", id, answer: { ok: false, message: String(step.fail.message) } }];
  return [{ type: "tool_result", id, answer: { ok: true, value: step.return ?? null } }];
}

function waits(event: HistoryEvent): MissionFact[] {
  const reviews = memoOf(event, "reviews");
  const parked = memoOf(event, "parked");
  const blocked = memoOf(event, "blocked");
  return [
    ...(reviews === undefined ? [] : [{ type: "waits" as const, reviews: readShortReviews(reviews).open }]),
    ...(parked === undefined ? [] : [{ type: "parked" as const, parked: isObject(parked) ? (parked as never) : null }]),
    ...(blocked === undefined ? [] : [{ type: "blocked" as const, missing: missingThing(blocked) ?? null }]),
  ];
}

/** A field of the memo that an event writes; null: it is taken away. A run that continues another one begins with what waits in it. */
function memoOf(event: HistoryEvent, field: string): Json | undefined {
  const { memo } = event.attributes;
  if (event.type !== "WorkflowExecutionStarted") return memoFieldOf(event, field);
  return isObject(memo) && isObject(memo.fields) ? decodePayload(memo.fields[field]) : undefined;
}

function over(event: HistoryEvent): MissionFact[] {
  const end = workflowEnd(event);
  if (end === null) return [];
  if (end.state === "cancelled") return [{ type: "over", end: { state: "cancelled" } }];
  if (end.state !== "completed") {
    const { fail = failed("agent_lost", "The mission did not end by itself.").fail } = end;
    return [{ type: "over", end: { state: "failed", fail: { reason: fail.reason, message: fail.message } } }];
  }
  const step = endResultOf(event);
  return [
    { type: "over", end: { state: "completed", value: isObject(step) ? (step.return ?? null) : (step ?? null) } },
  ];
}
