import { renderWay } from "../../../../src/core/graph/show/text-diagram";
import { withMovesIn, withRecentMoves } from "../../../../src/core/graph/task/recent-moves";
import { repeatedMove } from "../../../../src/core/graph/task/repeat";
import { newTask, type Task, versionOf } from "../../../../src/core/graph/task/task";
import { fitTaskInput, MAX_CONTINUED_BYTES, taskTooLong } from "../../../../src/workflows/task/continue-as-new-input";
import { definition, task } from "../definition/definitions";

const round = definition({ build: task(), review: task() }, [
  ["start", "build"],
  ["build", "review", "passed"],
  ["review", "build", "failed"],
  ["review", "done", "passed"],
]);

/** A task after so many rounds of two moves. */
function afterRounds(rounds: number, output?: string): Task {
  const begun = newTask({ id: "t", issueId: "I-1", workflowType: "round", currentStep: "build" }, round, 0);
  const history = Array.from({ length: rounds }, (_, i): Task["history"] => [
    {
      step: "build",
      to: "review",
      result: "passed",
      action: "conditional",
      at: i,
      ...(i > 0 || output === undefined ? {} : { output }),
    },
    { step: "review", to: "build", result: "failed", action: "conditional", at: i },
  ]).flat();
  return { ...begun, history };
}

test("moves that are left out are counted: the version stays, and a repeated call finds the moves that are left", () => {
  const all = afterRounds(10);
  const recent = withRecentMoves(all, 5);
  expect(recent).toMatchObject({ earlierMoves: 15, history: all.history.slice(15) });
  expect(versionOf(recent)).toBe(20);
  expect(withRecentMoves(withRecentMoves(all, 8), 5)).toEqual(recent);
  expect(withRecentMoves(all, 20)).toBe(all);
  expect(repeatedMove(round, recent, { result: "failed", version: 19 })).toMatchObject({
    ok: true,
    value: { repeated: true, previousStep: "review", nextStep: "build" },
  });
  expect(repeatedMove(round, recent, { result: "failed", version: 3 })).toMatchObject({
    ok: false,
    fail: { reason: "stale_version", message: expect.stringContaining("only counted"), details: { version: 20 } },
  });
  expect(repeatedMove(round, recent, { result: "failed", version: 21 })).toMatchObject({
    fail: { message: expect.stringContaining("never had version 21") },
  });
});

test("a drawn way begins with the number of moves that are left out, and counts on from there", () => {
  const way = renderWay(round, withRecentMoves(afterRounds(10), 5), 3)
    .split("Way:\n")[1]
    ?.split("\n");
  expect(way?.[0]).toBe("      ... 17 earlier");
  expect(way?.slice(1).map((line) => Number.parseInt(line, 10))).toEqual([18, 19, 20, 21]);
});

test("what a step gave last stays when the move is left out", () => {
  const { task: recent, outputs } = withMovesIn(afterRounds(100, "the plan"), 2_000);
  expect(recent.history.length).toBeGreaterThan(5);
  expect(recent.history.length).toBeLessThan(50);
  expect(versionOf(recent)).toBe(200);
  expect(outputs).toEqual({ build: "the plan" });
  expect(withMovesIn(afterRounds(1, "the plan"), 2_000).outputs).toEqual({});
});

describe("the input of a task that continues as new", () => {
  const input = (of: Task) => ({ task: of, definition: round, agents: {}, model: "" });

  test("is whole while it is small", () =>
    expect(fitTaskInput(input(afterRounds(100)))?.task.history).toHaveLength(200));

  test("leaves the oldest moves behind when it is large, however many there were", () => {
    const next = fitTaskInput(input(afterRounds(20_000, "the plan")));
    expect(next?.task.history.length).toBeGreaterThan(1_000);
    expect(versionOf(next?.task as Task)).toBe(40_000);
    expect(next?.outputs).toEqual({ build: "the plan" });
    expect(JSON.stringify(next).length).toBeLessThan(MAX_CONTINUED_BYTES);
  });

  test("cannot be made of a task that is too large without its moves, and the failure says how large", () => {
    const large = input({ ...afterRounds(2), context: { text: "x".repeat(1_900_000) } });
    expect(fitTaskInput(large)).toBeNull();
    expect(taskTooLong(large)).toMatchObject({
      reason: "payload_too_large",
      message: expect.stringMatching(/190\d{4} bytes; 1900000 may be passed.*references instead of data/),
      details: { limit: 1_900_000 },
    });
  });
});
