import { shownTurns } from "../../page/src/views/mission/run";
import type { StreamedCall } from "../../src/core/history/stream/transcript";
import type { Story, StoryTurn } from "../../src/core/history/trace/story";

/** The turns of a run together with what its model says. */

const turn = (number: number, invocation = 1): StoryTurn => ({
  number,
  invocation,
  at: 0,
  program: null,
  prints: [],
  calls: [],
  model_calls: 1,
});
const call = (number: number, of: number): StreamedCall => ({
  attempt_id: `${number}`,
  workflow_id: "agent/x",
  run_id: "r",
  agent: "x",
  model: "m",
  turn: of,
  call: number,
  attempt: 1,
  at: 0,
  text: `call ${number}`,
  state: "whole",
  dropped: [],
});
const story = (...turns: StoryTurn[]): Story => ({ workflow_id: "agent/x", turns, end: null, warnings: [] });

const placesOf = (shown: ReturnType<typeof shownTurns>) =>
  shown.map(({ invocation, number, calls }) => [invocation, number, ...calls.map(({ call: n }) => n)]);

test("each call stands at its turn, and one whose turn the history does not have yet at the end", () => {
  expect(placesOf(shownTurns(story(turn(1), turn(2)), [call(2, 2), call(1, 1), call(3, 3)]))).toEqual([
    [1, 1, 1],
    [1, 2, 2],
    [1, 3, 3],
  ]);
});

test("the turns of a run that a decision woke begin anew, and keep their own calls", () => {
  expect(placesOf(shownTurns(story(turn(1), turn(2), turn(1, 2)), [call(1, 1), call(2, 2), call(3, 1)]))).toEqual([
    [1, 1, 1],
    [1, 2, 2],
    [2, 1, 3],
  ]);
});

test("before the first history there are the turns that the model speaks in", () => {
  expect(placesOf(shownTurns(null, [call(1, 1)]))).toEqual([[1, 1, 1]]);
});
