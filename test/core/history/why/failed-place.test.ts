import type { JsonObject } from "../../../../src/core/base/json";
import type { MissionHistories } from "../../../../src/core/history/trace/read-mission";
import { failedPlace } from "../../../../src/core/history/why/failed-place";
import { readRecorded } from "../../../support/recorded";
import { historyOf, payloads, started } from "../../journal/history";

/** Where the failure of a mission began, from its histories alone. */

const failedTool = (workflow_id: string): MissionHistories => ({
  workflow_id,
  runs: [readRecorded("agent-failed-tool.json")],
  children: [],
});

const failedTask = (children: MissionHistories[], fail: JsonObject): MissionHistories => ({
  workflow_id: "task/t",
  runs: [
    historyOf([
      started({}, 0, "navigatorTask"),
      ["WorkflowExecutionCompleted", { result: payloads({ status: "error", reason: fail }) }, 10],
    ]),
  ],
  children,
});

test("a run of an agent names its turn, its program and the call that failed", () => {
  expect(failedPlace(failedTool("agent/a"))).toMatchObject({
    workflow_id: "agent/a",
    path: ["agent/a"],
    turn: 1,
    program: "(return (tool/print_label {:order 42}))",
    call: { name: "print_label", args: { order: 42 }, error: expect.stringContaining("out of paper") },
  });
});

test("the failure of a task leads down to the run in which it began", () => {
  const mission = failedTask([failedTool("task/t/pack/1"), failedTool("task/t/ship/1")], { reason: "x", message: "y" });
  expect(failedPlace(mission)).toMatchObject({
    workflow_id: "task/t/ship/1",
    path: ["task/t", "task/t/ship/1"],
    call: { name: "print_label" },
  });
});

test("a failure that no run below explains is its own, with what helps; what did not fail has none", () => {
  expect(failedPlace(failedTask([], { reason: "mission_timeout", message: "It took too long." }))).toEqual({
    workflow_id: "task/t",
    path: ["task/t"],
    code: "mission_timeout",
    message: "It took too long.",
    meaning: expect.any(String),
    hint: expect.any(String),
  });
  const runs = [
    historyOf([started({}, 0, "navigatorTask"), ["WorkflowExecutionCompleted", { result: payloads({}) }, 10]]),
  ];
  expect(failedPlace({ workflow_id: "task/t", runs, children: [] })).toBeNull();
});
