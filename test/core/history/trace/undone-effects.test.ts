import type { MissionHistories } from "../../../../src/core/history/trace/read-mission";
import { missionLedger } from "../../../../src/core/history/trace/undo-of-mission";
import { readRecorded } from "../../../support/recorded";

/** When an effect was undone and who asked for it, from recorded histories (effects reference, section 9). */
const undoneOf = (mission: Omit<MissionHistories, "workflow_id" | "children">) =>
  missionLedger({ workflow_id: "any", children: [], ...mission }).map(({ state, undone }) => ({ state, undone }));

test.each([
  { it: "a program", files: ["agent-undoes-a-task.json"], because: /^\(undo ".+"\) in a program$/, count: 2 },
  { it: "a task of a plan", files: ["plan-undoes-a-failed-task.json"], because: /^on_failure of task ".+"$/, count: 2 },
  {
    it: "a node of a graph",
    files: ["task-undoes-a-failed-step.json"],
    because: /^on_failure of node ".+"$/,
    count: 2,
  },
  {
    it: "an edge, in the run that follows",
    files: ["task-continued-before-it-undoes.json", "task-continued-before-it-undoes-2.json"],
    because: /^on_failure of edge .+ -> .+$/,
    count: 1,
  },
])("what of the mission asked for it, and when, is known: $it", ({ files, because, count }) => {
  const told = undoneOf({ runs: files.map(readRecorded) }).filter(({ state }) => state === "undone");
  expect(told).toEqual(
    Array.from({ length: count }, () => ({
      state: "undone",
      undone: { at: expect.any(Number), because: expect.stringMatching(because) },
    })),
  );
});

test("an undo of the mission is named, with the time at which its tool answered", () => {
  const undo = readRecorded("undo-running-mission-2.json");
  const [first] = undoneOf({ runs: [readRecorded("undo-running-mission.json")], undos: [undo] });
  const ended = undo.events.findLast(({ activityTaskCompletedEventAttributes: done }) => done !== undefined);
  expect(first).toEqual({
    state: "undone",
    undone: { at: Date.parse(String(ended?.eventTime)), undo: expect.stringMatching(/^undo\/agent\/.*\/1$/) },
  });
});

test("what is not undone has nothing", () =>
  expect(undoneOf({ runs: [readRecorded("undo-running-mission.json")] }).at(-1)).toEqual({
    state: "done",
    undone: undefined,
  }));
