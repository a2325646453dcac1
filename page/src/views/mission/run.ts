import type { RunSheet } from "../../../../src/client/runs/run-sheet";
import type { StreamedCall } from "../../../../src/core/history/stream/transcript";
import type { Story, StoryTurn } from "../../../../src/core/history/trace/story";

/** A run as the API returns it: `GET /api/runs/{id}`. */
export interface ShownRun extends RunSheet {
  /** What can be done to it now. */
  actions: string[];
  /** Its place in Temporal's own Web UI. */
  temporal_ui?: string;
}

/** A turn, with the text of its model calls while they were made. */
export interface ShownTurn {
  invocation: number;
  number: number;
  /** Absent: the history does not have it yet. */
  recorded?: StoryTurn;
  calls: StreamedCall[];
}

/**
 * The turns of one run: those of its history, each with the model calls of the stream. A call that is so new that the history does
 * not have its turn has a separate turn, at the end.
 *
 * @param streamed calls of this run, in the order in which they began
 */
export function shownTurns(story: Story | null, streamed: readonly StreamedCall[]): ShownTurn[] {
  const turns: ShownTurn[] = (story?.turns ?? []).map((recorded) => ({
    invocation: recorded.invocation,
    number: recorded.number,
    recorded,
    calls: [],
  }));
  let invocation = 1;
  let before = 0;
  for (const call of [...streamed].sort((a, b) => a.call - b.call)) {
    // A run that a decision woke begins with turn 1 again.
    if (call.turn < before) invocation += 1;
    before = call.turn;
    const of = turns.find((turn) => turn.invocation === invocation && turn.number === call.turn);
    if (of !== undefined) of.calls.push(call);
    else turns.push({ invocation, number: call.turn, calls: [call] });
  }
  return turns;
}
