import type { Result } from "../base/failure";
import type { Json } from "../base/json";
import type { ToldCall } from "../effects/call-entry";

/** What a history has of the calls that a stretch has made (engine reference, section 16). */

/** The name of its activity. */
export const STRETCH_ACTIVITY = "runStretch";
/** The same where it begins with the reply of a model. To readers of a history it is a model call. */
export const TURN_ACTIVITY = "runTurn";

/** The activity id of one of its calls. @param n its place among them: 1 for the first */
export const innerCallId = (activityId: string, n: number): string => `${activityId}.${n}`;

/** A call by its tool, its arguments and its place in the run. */
export interface CallInStretch extends ToldCall {
  agent: string | null;
}

/** A call that was made in a stretch. */
export interface StretchCall {
  /** As an activity of its own would have had it, without what no reader asks for. */
  input: CallInStretch;
  /** Workflow time when it began and when its answer was there, ms since 1970. */
  began: number;
  at: number;
  answer: Result<Json>;
  /** Attempts; absent = 1. */
  attempts?: number;
}

/** A call that was begun. Its `attempts` count the attempt that was begun; absent = 1. */
export type BegunCall = Pick<StretchCall, "input" | "began" | "attempts">;

/** The reply of the model with which a stretch begins. */
export interface StretchReply {
  /** A `ModelReply`. */
  reply: { content: string };
  /** Workflow time when it was there, ms since 1970. */
  replied_at: number;
}

/** What its heartbeat keeps, for its next attempt. */
export interface StretchJournal extends Partial<StretchReply> {
  /** The answers so far. */
  stretch: StretchCall[];
  /** The call that is being made. */
  under_way?: BegunCall;
  /** It has reported to its workflow, or is about to. */
  reported?: true;
}

/**
 * What a stretch tells its workflow while a call takes long: that call, and what was answered before it. One whose model has not
 * replied tells, when it was cancelled for the time behind the reply alone, that it will make no call: without `under_way`.
 */
export interface StretchReport extends Partial<StretchReply> {
  n: number;
  stretch: StretchCall[];
  under_way?: BegunCall;
}

/** The name of the signal with a `StretchReport`. */
export const STRETCH_REPORTED = "stretchReported";
