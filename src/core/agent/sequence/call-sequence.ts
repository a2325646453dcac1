import { canonical } from "../../base/canonical";
import type { Json } from "../../base/json";
import type { BegunCall, MadeCall, ModelReplied, RunCallsResult } from "../../calls/run-calls";

/**
 * A call sequence: an activity makes calls of a program before the run's own program asks for them (engine reference, section 16).
 * This is where the run stands in it. Every function is pure; the workflow runs the activity and reports what happened.
 *
 * - `idle`: no activity runs, and no answer waits.
 * - `asking`: the activity asks a model, and may make calls of the program in the reply.
 * - `running`: the activity makes calls, and the program waits for its first answer.
 * - `reported`: the activity has reported answers, and makes a call that takes long. The program reads the answers.
 * - `awaited`: the program waits for that call. From now on the run may change.
 * - `ended`: the activity has ended, and answers may wait for the program.
 */
export type SequencePhase = "idle" | "asking" | "running" | "reported" | "awaited" | "ended";

/** How long a run has been blocked and paused, ms. */
export interface Standstill {
  blocked_ms: number;
  paused_ms: number;
}

/** How a call was tried that its run makes alone now. */
export interface Tries {
  attempts: number;
  /** When its tool wants to be asked again, ms. */
  after_ms?: number;
}

export interface Sequence {
  readonly phase: SequencePhase;
  /** Number of the last activity: 1 for the first. */
  readonly n: number;
  /** Answers that the program has not asked for yet, in their order. */
  readonly answers: readonly MadeCall[];
  /** How many answers the activity reported before its end; null: it has not reported. */
  readonly reported: number | null;
  /** Time of the program while answers wait, ms since 1970. */
  readonly clock: number;
  /** The run's standstill when the activity began. */
  readonly stood: Standstill;
  /** The activity was asked to begin no other call. */
  readonly isStopping: boolean;
  /** Calls in a row that one activity could have made. */
  readonly inRow: number;
  /** No other sequence begins: in this program, or in this run. */
  readonly off: "no" | "program" | "run";
  /** The run makes the next call alone: it ended the sequence. */
  readonly nextAlone: boolean;
  readonly tried: Tries | undefined;
  /** The call that was under way when the worker was lost. */
  readonly unanswered: BegunCall | undefined;
}

/** Before the first activity. */
export const NO_SEQUENCE: Sequence = {
  phase: "idle",
  n: 0,
  answers: [],
  reported: null,
  clock: 0,
  stood: { blocked_ms: 0, paused_ms: 0 },
  isStopping: false,
  inRow: 0,
  off: "no",
  nextAlone: false,
  tried: undefined,
  unanswered: undefined,
};

/** The calls that the activity has made when it is over, also if it failed. */
export type SequenceResult = Pick<RunCallsResult, "made" | "end" | "under_way" | "open"> & { isLost?: true };

/**
 * The calls about which an activity contradicts itself: it returned other answers than its heartbeat had kept and the run had applied.
 *
 * @param reported the calls that were applied early
 * @param isWhole the activity has returned: it returns each call that it has kept
 */
export function contradictedCalls(
  reported: readonly MadeCall[],
  returned: readonly MadeCall[],
  isWhole: boolean,
): MadeCall[] {
  return reported.flatMap((call, index) => {
    const other = returned[index];
    if (other === undefined) return isWhole ? [call] : [];
    return isSame(call, other) ? [] : [call, other];
  });
}

/** Whether two values have the same JSON. */
const isSame = (one: object, other: object): boolean =>
  canonical(one as unknown as Json) === canonical(other as unknown as Json);

/** A reply that was applied early, and another one that the activity returned. */
export const isOtherReply = (reported: ModelReplied, returned: Partial<ModelReplied>): boolean =>
  returned.reply === undefined || !isSame(reported.reply, returned.reply);

/** The events of a sequence. */
export type SequenceEvent =
  /** The program asks for a call. `may`: the tool's calls may share an activity. */
  | { type: "asked"; may: boolean }
  | { type: "began"; now: number; stood: Standstill; asks: boolean }
  /** The activity reports what it has made. `replied_at`: when the model replied; absent where none was asked. */
  | { type: "reported"; made: readonly MadeCall[]; replied_at?: number }
  /** The activity will make no call after the reply that it still waits for. */
  | { type: "only_asks" }
  | { type: "stopping" }
  | { type: "awaited" }
  /** `replied_at`: as of a report. null: the activity gave a reply alone. */
  | { type: "ended"; result: SequenceResult | null; replied_at?: number }
  | { type: "taken" }
  /** The run schedules an activity that makes calls in another way. */
  | { type: "numbered" }
  | { type: "made_alone" }
  | { type: "program_ended" }
  | { type: "too_large" };

/** An activity runs. */
export const hasActivity = ({ phase }: Sequence): boolean => phase !== "idle" && phase !== "ended";

/** Answers wait, or are waited for: until then nothing from outside may change the run, whose program was run without it. */
export const isSequenceOpen = ({ phase, answers }: Sequence): boolean =>
  answers.length > 0 || phase === "asking" || phase === "running" || phase === "reported";

/** The time of the program, ms since 1970; undefined: workflow time. */
export const clockOf = ({ phase, answers, clock }: Sequence): number | undefined =>
  answers.length > 0 || phase === "reported" ? clock : undefined;

/**
 * Whether a sequence begins with the call that the program has just asked for. One call does not pay: the activity gets the state of the
 * run, and the history keeps it.
 *
 * @param several the program names tools in several places, so more calls are likely to follow
 */
export function mayBeginSequence(at: Sequence, { several }: { several: boolean }): boolean {
  if (isSequenceOpen(at) || hasActivity(at) || at.off !== "no" || at.nextAlone) return false;
  return at.inRow >= (several ? 1 : 2);
}

/** Whether the activity that asks the model may make calls of its program. */
export const mayFollowReply = (at: Sequence): boolean => !isSequenceOpen(at) && !hasActivity(at) && at.off !== "run";

/** Where the run stands after an event. */
export function advanceSequence(at: Sequence, event: SequenceEvent): Sequence {
  switch (event.type) {
    case "asked":
      if (isSequenceOpen(at) || hasActivity(at) || at.off !== "no" || at.nextAlone) return at;
      return { ...at, inRow: event.may ? at.inRow + 1 : 0 };
    case "began":
      return began(at, event);
    case "reported":
      return {
        ...at,
        phase: "reported",
        answers: [...at.answers, ...event.made],
        reported: event.made.length,
        clock: event.replied_at ?? at.clock,
      };
    case "only_asks":
      return { ...at, phase: "awaited" };
    case "stopping":
      return { ...at, isStopping: true };
    case "awaited":
      return { ...at, phase: "awaited" };
    case "ended":
      return ended(at, event);
    case "taken": {
      const [next, ...answers] = at.answers;
      return { ...at, answers, clock: next?.at ?? at.clock };
    }
    case "numbered":
      return { ...at, n: at.n + 1 };
    case "made_alone":
      return { ...at, nextAlone: false, tried: undefined, unanswered: undefined };
    case "program_ended":
      return { ...at, inRow: 0, off: at.off === "run" ? "run" : "no", nextAlone: false };
    case "too_large":
      return { ...at, off: "run" };
  }
}

function began(at: Sequence, { now, stood, asks }: Extract<SequenceEvent, { type: "began" }>): Sequence {
  const begun: Sequence = {
    ...at,
    phase: asks ? "asking" : "running",
    n: at.n + 1,
    reported: null,
    clock: now,
    stood,
    isStopping: false,
    tried: undefined,
    unanswered: undefined,
  };
  if (!asks) return begun;
  return { ...begun, inRow: 0, off: at.off === "run" ? "run" : "no", nextAlone: false };
}

function ended(at: Sequence, { result, replied_at }: Extract<SequenceEvent, { type: "ended" }>): Sequence {
  const over: Sequence = { ...at, phase: "ended", isStopping: false, reported: null };
  if (result === null) return over;
  const { made, end, under_way, open: [open] = [], isLost } = result;
  const answers = [...at.answers, ...made.slice(at.reported ?? 0)];
  const clock = at.reported === null && replied_at !== undefined ? replied_at : at.clock;
  // Where calls take long, the run makes them alone at a lower cost.
  const isSlow = at.reported !== null && made.length < WORTH_A_REPORT;
  const off = (isOff: boolean): Sequence["off"] => (at.off === "no" && isOff ? "program" : at.off);
  const tried = under_way === undefined ? undefined : { attempts: under_way.attempts ?? 1, after_ms: 0 };
  const given = { ...over, answers, clock };
  // Another sequence begins with the call that was under way.
  if (isLost) return { ...given, inRow: 1, nextAlone: false, off: off(isSlow), unanswered: under_way, tried };
  const continues = end === "limit" || (end === "stopped" && at.isStopping);
  const isRefused = end === "other" && made.length === 0 && replied_at === undefined;
  const isStopped = end === "stopped" && !at.isStopping;
  return {
    ...given,
    inRow: continues ? 1 : 0,
    nextAlone: !continues,
    off: end === "off" ? "run" : off(isSlow || isStopped || isRefused),
    tried:
      open === undefined
        ? tried
        : { attempts: open.attempts, ...(open.after_ms === undefined ? {} : { after_ms: open.after_ms }) },
  };
}

/** Calls of an activity that has reported: a report costs as many events as a call. */
const WORTH_A_REPORT = 3;
