import type { Result } from "../base/failure";
import { hasTexts, isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import type { JsonDelta } from "../base/json/json-delta";
import type { CallEntryInput } from "../effects/call-entry";
import type { ChainEnd } from "../effects/chain/head";
import type { ModelReply } from "./host";
import type { CallModelInput } from "./model-call";
import { ownActivityReason } from "./own-activity";
import type { Owner } from "./owner";
import type { ToolCallSettings, ToolSpec } from "./tool";

/**
 * The input, the heartbeat and the result of the activity `runCalls` (engine reference, section 16). It asks a model,
 * or no model, and makes calls: those of the program that follow each other, or calls of one tool side by side. Its
 * heartbeat keeps each answer.
 */

/** The type of the activity. */
export const RUN_CALLS = "runCalls";

/** The signal by which the activity asks its run to read what its heartbeat has kept. */
export const CALLS_REPORTED = "callsReported";

/** The input of the activity. */
export interface RunCallsInput {
  /** Its number among the activities of this type in its workflow: 1 for the first. */
  n: number;
  /** The workflow id of the run. */
  mission: string;
  /** Name of the agent, for tools and logs. */
  agent: string | null;
  /** The turn of the run: 1 for the first. */
  turn: number;
  /** Workflow time when it was scheduled, ms since 1970. */
  now: number;
  /** How long the run had been paused by then, ms. */
  paused_ms: number;
  /** The time that the mission had left at `now`, ms; absent: it has no limit. */
  left_ms?: number;
  /** The model that is asked first. */
  model?: CallModelInput;
  /** The run whose program makes the calls. Absent: the activity runs no program. */
  run?: RunDelta;
  /** Calls of one tool, made side by side. Absent: the program decides which calls follow. */
  calls?: ListedCall[];
  /** How often `calls` were tried by workers that were lost; absent: never. */
  attempts_before?: number;
  /** The heartbeat details of an activity whose worker was lost. */
  kept?: CallsJournal;
  /** The end of the run's chain, to be signed by the worker. */
  ledger_head?: ChainEnd;
  /** As for a tool. */
  owner?: Owner;
  /** As for a tool. */
  blocked_ms?: number;
}

/** A run as it asks its model, or stands before a call: an `AgentInput` and an `AgentState`. */
export interface RunAsAsked {
  run: JsonObject;
  state: JsonObject;
}

/**
 * A run, as what has changed since an earlier activity. A worker that does not have `base` in its cache asks the workflow's
 * `conversation` query for the whole.
 */
export interface RunDelta {
  /** The `n` of that activity; 0 = there is none, and `delta` is the whole. */
  base: number;
  /** Absent: nothing has changed. */
  delta?: JsonDelta;
}

/** A call by its tool, its arguments and its place in the run. */
export interface SharedCall extends CallEntryInput {
  agent: string | null;
}

/** A call that is made side by side with others. */
export interface ListedCall extends SharedCall {
  /** How long after it was scheduled the call is given up, ms; absent: never. */
  left_ms?: number;
  /** As for a tool. */
  settings?: ToolCallSettings;
}

/** A call that the activity has begun. */
export interface BegunCall {
  /** Its place among the calls of the activity: 1 for the first. */
  n: number;
  /** Absent for a listed call: the input of the activity has it. */
  input?: SharedCall;
  /** Workflow time, ms since 1970. */
  began: number;
  /** Counts the attempt that was begun; absent = 1. */
  attempts?: number;
}

/** A call that has its answer. */
export interface MadeCall extends BegunCall {
  /** Workflow time of the answer, ms since 1970. */
  at: number;
  answer: Result<Json>;
}

/** A call that the activity leaves to its run, which makes it alone with the same key. */
export interface LeftCall {
  /** As of a `BegunCall`. */
  n: number;
  attempts: number;
  /** When its tool wants to be asked again, ms. Absent: the policy decides. */
  after_ms?: number;
}

/** The reply of the model, after which the activity runs the program. */
export interface ModelReplied {
  reply: ModelReply;
  /** Workflow time of the reply, ms since 1970. In a result: absent where no program ran. */
  replied_at: number;
}

/** The heartbeat details for the next attempt, and for the readers of a terminated run. */
export interface CallsJournal extends Partial<ModelReplied> {
  /** The activity id: a run may have several activities at the same time. */
  activity: string;
  /** The `n` of the activity. */
  n: number;
  made: MadeCall[];
  /** The call of a program that is being made. */
  under_way?: BegunCall;
  /** The signature of the head that came with the input. */
  ledger_signature?: string;
  /** The activity has asked its run to read this, or is about to: it begins no other call. */
  reported?: true;
}

/**
 * Whether heartbeat details can be read. Anybody who knows the id of the activity can write them, and what cannot be read would fail the
 * run's workflow task for ever.
 */
export function isCallsJournal(raw: unknown): raw is CallsJournal {
  if (!isObject(raw) || !Array.isArray(raw.made) || !raw.made.every(isMadeCall)) return false;
  if (raw.reply === undefined && raw.replied_at === undefined) return true;
  return Number.isFinite(raw.replied_at) && isObject(raw.reply) && typeof raw.reply.content === "string";
}

function isMadeCall(raw: unknown): boolean {
  if (!isObject(raw) || ![raw.n, raw.began, raw.at].every(Number.isFinite) || !isObject(raw.answer)) return false;
  const { answer, input } = raw;
  const isAnswer = answer.ok === true ? "value" in answer : answer.ok === false && isFailure(answer.fail);
  return isAnswer && (input === undefined || (isObject(input) && isObject(input.args) && hasTexts(input, ["name"])));
}

const isFailure = (raw: unknown): boolean => isObject(raw) && hasTexts(raw, ["reason", "message"]);

/**
 * Why it ended. `other`: the program asks for something that is made alone, or is over; all listed calls were tried. `limit`: of
 * time, calls or bytes. `stopped`: the run was cancelled or paused, or the worker shuts down. `open`: a call has no answer, because its
 * tool asks for another attempt or took too long. `off`: the worker makes no calls here.
 */
export type CallsEnd = "other" | "limit" | "stopped" | "open" | "off";

/** The result of the activity. */
export interface RunCallsResult extends Partial<ModelReplied> {
  /** The calls in their order. */
  made: MadeCall[];
  end: CallsEnd;
  /** The call of a program that was begun and has no answer. */
  under_way?: BegunCall;
  open?: LeftCall[];
  ledger_signature?: string;
}

/** After this time the activity reports what it has made, and begins no other call, ms. */
export const REPORT_MS = 2_000;
/** The most calls of a program in one activity. */
export const MOST_CALLS = 200;
/** Bytes of the run that an activity without a model gets, and of all that it keeps. */
export const SEQUENCE_BYTES = 64 * 1024;
/** Bytes of what has changed in a run since the turn before: the history has them once a turn. */
export const TURN_DELTA_BYTES = 16 * 1024;
/** Bytes of the first snapshot and of all changes after it. */
export const SNAPSHOT_BYTES = 256 * 1024;
/** Bytes of the arguments of a call in a sequence. */
export const SEQUENCE_CALL_BYTES = 256 * 1024;

/** The most calls side by side, if the tool gives no number. */
export const BATCH_CALLS = 50;
/** Bytes of the calls side by side. */
export const BATCH_BYTES = 64 * 1024;
/** Bytes that a call counts besides its arguments. */
export const BATCH_CALL_BYTES = 256;
/** Bytes of the answers of calls side by side: they are one heartbeat, and one result. */
export const BATCH_ANSWER_BYTES = 1024 * 1024;

/** Whether a program's calls of this tool may share an activity, by its spec. */
export const mayShare = (tool: ToolSpec): boolean => tool.alone !== true && ownActivityReason(tool) === undefined;

/** How many calls of this tool may be made side by side in one activity, by its spec; undefined: none. */
export const batchSize = (tool: ToolSpec): number | undefined =>
  tool.batch !== undefined && ownActivityReason(tool) === undefined ? tool.batch : undefined;

/** The activity id that a call would have as an activity. @param n its place among the calls of its activity */
export const sharedCallId = (activityId: string, n: number): string => `${activityId}.${n}`;
