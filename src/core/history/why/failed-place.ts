import { defined } from "../../base/defined";
import { ERROR_CODES, isErrorCode } from "../../base/error-codes";
import type { Failure } from "../../base/failure";
import { readHistory } from "../read/history";
import { historyEnd } from "../read/workflow-end";
import type { MissionHistories } from "../trace/read-mission";
import { type Story, type StoryCall, type StoryTurn, storyOf } from "../trace/story";

/** Why a mission failed, and where that began: in itself, or in a run below it. */
export interface FailedPlace {
  /** The run in which it began. */
  workflow_id: string;
  /** From the mission down to that run. */
  path: string[];
  code: string;
  message: string;
  /** When the engine raises this code; absent for a reason that a program chose. */
  meaning?: string;
  /** What helps. */
  hint?: string;
  /** Of an agent's run: the turn that failed, or else its last one. */
  turn?: number;
  invocation?: number;
  /** The mistakes that the feedback of that turn names. */
  turn_error?: string;
  program?: string;
  /** Place in the program, 1-based. */
  line?: number;
  column?: number;
  /** The call that failed in that turn, or else the last one that failed before. */
  call?: StoryCall;
  /** The turn of that call, if it is an earlier one: what went wrong later may have begun there. */
  call_turn?: number;
}

/**
 * Finds the place where the failure of a mission began, from its histories alone: no worker is needed.
 *
 * @returns null if it did not fail
 * @throws HistoryFormatError for what is no history
 */
export function failedPlace(mission: MissionHistories): FailedPlace | null {
  const fail = failOfRun(mission);
  return fail === undefined ? null : placeIn(mission, fail, []);
}

const failOfRun = ({ runs }: MissionHistories): Failure | undefined => {
  const end = historyEnd(readHistory(runs.at(-1) ?? []));
  return end?.state === "cancelled" ? undefined : end?.fail;
};

function placeIn(run: MissionHistories, fail: Failure, above: readonly string[]): FailedPlace {
  const path = [...above, run.workflow_id];
  const story = storyOf(run.runs);
  const turn = story === null ? undefined : failedTurn(story);
  const call = turn?.calls.findLast(({ error }) => error !== undefined);
  const earlier = call === undefined ? lastFailedIn(story) : undefined;
  const below = failedBelow(run, story, call);
  if (below !== undefined) return placeIn(below.run, below.fail, path);
  const known = isErrorCode(fail.reason) ? ERROR_CODES[fail.reason] : undefined;
  const { line, column } = fail.details ?? {};
  return {
    workflow_id: run.workflow_id,
    path,
    code: fail.reason,
    message: fail.message,
    ...defined({
      meaning: known?.meaning,
      hint: known?.hint,
      turn: turn?.number,
      invocation: turn?.invocation,
      turn_error: turn?.error,
      program: turn?.program ?? undefined,
      line: typeof line === "number" ? line : undefined,
      column: typeof column === "number" ? column : undefined,
      call: call ?? earlier?.call,
      call_turn: earlier?.turn,
    }),
  };
}

function lastFailedIn(story: Story | null): { turn: number; call: StoryCall } | undefined {
  const calls = story?.turns.flatMap(({ number, calls }) => calls.map((call) => ({ turn: number, call }))) ?? [];
  return calls.findLast(({ call }) => call.error !== undefined);
}

/** A turn that failed stands before later ones that had no chance. */
function failedTurn({ turns }: Story): StoryTurn | undefined {
  const last = turns.at(-1);
  return turns.findLast((turn) => turn.invocation === last?.invocation && turn.error !== undefined) ?? last;
}

/** The run below that made this one fail: the one that its failed call started, or for a task and a plan the last that failed. */
function failedBelow({ children }: MissionHistories, story: Story | null, call: StoryCall | undefined) {
  const among = story === null ? children : children.filter(({ workflow_id }) => workflow_id === call?.child);
  for (const run of [...among].reverse()) {
    const fail = failOfRun(run);
    if (fail !== undefined) return { run, fail };
  }
  return undefined;
}
