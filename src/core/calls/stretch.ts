import type { JsonObject } from "../base/json";
import type { JsonDelta } from "../base/json/json-delta";
import type { ChainEnd } from "../effects/chain/head";
import type { BegunCall, StretchCall, StretchJournal, StretchReply } from "../journal/stretch";
import type { Owner } from "./owner";
import { ownActivityReason } from "./shared-activity";
import type { ToolSpec } from "./tool";

/**
 * A stretch: calls of a program that follow each other are made by one activity, which runs the program itself and keeps
 * each answer in its heartbeat before it makes the next call (engine reference, section 16).
 */

/** What the activity gets: a run in the middle of a turn, as another process continues it. */
export interface StretchInput {
  /** Which one of its workflow. */
  n: number;
  /** An `AgentInput`. */
  run: JsonObject;
  /** An `AgentState`, before the first call of the stretch. */
  state: JsonObject;
  /** The workflow id of the run. */
  mission: string;
  /** Name of the agent, for tools and logs. */
  agent: string | null;
  /** Workflow time, ms since 1970, when the stretch was asked for. */
  now: number;
  /** How long the run had been paused by then, ms. */
  paused_ms: number;
  /** The end of the run's chain, to be signed by the worker. */
  ledger_head?: ChainEnd;
  /** What an activity whose worker was lost has kept, as far as the run does not know it: of a turn all, else the call under way. */
  kept?: StretchJournal;
  /** As for a tool. */
  owner?: Owner;
}

/** The same for a stretch that begins with the reply of a model: the activity is that of the model call. */
export interface TurnStretchInput extends Omit<StretchInput, "run" | "state" | "ledger_head"> {
  /** Absent: too much has changed, and no call is made ahead. */
  run?: RunDelta;
  /** The time that the mission had left at `now`, ms; absent: it has no limit. */
  left_ms?: number;
}

/** A run as it asks its model: `run` and `state` of a `StretchInput`. */
export type AskingRun = Pick<StretchInput, "run" | "state">;

/**
 * What has changed since an earlier model call. A run is told as its conversation is: a worker that does not hold `base` asks the
 * workflow's `conversation` query for the whole.
 */
export interface RunDelta {
  /** The `n` of that call; 0 = there is none, and it is told from nothing. */
  base: number;
  /** Absent: nothing. */
  delta?: JsonDelta;
}

/** What was made behind the reply, beside it in the answer of the activity. */
export interface TurnStretchResult extends StretchResult, Pick<StretchReply, "replied_at"> {}

/**
 * Why a stretch ended. `other`: the program asks for something that is not made in a stretch, or is over. `limit`: of time,
 * calls or bytes. `stopped`: the run was cancelled, or the worker shuts down. `open`: a call has no answer, because its tool asks for
 * another attempt or took too long; the run makes it by itself, with the same key. `off`: this
 * project makes none.
 */
export type StretchEnd = "other" | "limit" | "stopped" | "open" | "off";

/** What the activity gives: the calls in their order. */
export interface StretchResult {
  stretch: StretchCall[];
  end: StretchEnd;
  /** The call that was begun, and has no answer (`open`, `stopped`). */
  under_way?: BegunCall;
  /** Attempts of the call that has no answer (`open`). */
  attempts?: number;
  /** When its tool wants to be asked again, ms. Absent: as its policy says. */
  after_ms?: number;
  ledger_signature?: string;
}

/** How long the workflow hears nothing of a stretch, ms: then it reports, and ends behind the call that is under way. */
export const STRETCH_MS = 2_000;
/** The most calls of a stretch. */
export const STRETCH_CALLS = 200;
/** Bytes of the state that a stretch begins with, and of all that it keeps. */
export const STRETCH_BYTES = 64 * 1024;

/** Bytes of what has changed since the turn before, for a stretch behind a model's reply: the history has it once a turn. */
export const TURN_STRETCH_BYTES = 16 * 1024;
/** Bytes of the run that such stretches begin with, counted with all that has changed. */
export const SNAPSHOT_BYTES = 256 * 1024;

/** Bytes of the arguments of a call in a stretch. */
export const STRETCH_CALL_BYTES = 256 * 1024;

/** Whether a call of this tool may be made in a stretch, by what its spec says. */
export const isForStretch = (tool: ToolSpec): boolean =>
  tool.stretch !== false && ownActivityReason(tool) === undefined;
