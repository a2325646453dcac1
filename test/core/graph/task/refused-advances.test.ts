import { parseAdvance } from "../../../../src/core/graph/task/advance-input";
import { advanceTask } from "../../../../src/core/graph/task/task";
import { definition, reviewed, task } from "../definition/definitions";
import { answerOf, at, NOW } from "./moves";

/** What is no advance, and when there is none (graph reference, section 4). */
describe("an advance from outside", () => {
  test.each([
    { raw: null, fields: [""] },
    { raw: "passed", fields: [""] },
    { raw: { result: 7, expectedStep: ["review"] }, fields: ["result", "expectedStep"] },
  ])("$raw is refused, and every wrong field is named", ({ raw, fields }) => {
    const read = parseAdvance(raw);
    expect(read).toMatchObject({ ok: false, fail: { reason: "invalid_input", details: { path: fields[0] } } });
    const issues = read.ok ? [] : (read.fail.details?.issues as { field: string }[]);
    expect(issues.map(({ field }) => field)).toEqual(fields);
  });

  test.each([{}, { result: "passed" }, { output: null }, { result: "odd", output: [{}], expectedStep: "review" }])(
    "%j is accepted",
    (raw) => expect(parseAdvance(raw)).toEqual({ ok: true, value: raw }),
  );
});

describe("a task that cannot be advanced refuses and stays", () => {
  test.each([
    {
      name: "completed",
      current: at("done", { status: "COMPLETED" }),
      given: { result: "passed" },
      reason: "task_closed",
    },
    { name: "failed", current: at("review", { status: "FAILED" }), given: { result: "passed" }, reason: "task_closed" },
    { name: "paused", current: at("review", { status: "PAUSED" }), given: { result: "passed" }, reason: "task_paused" },
    {
      name: "waiting for a person, told failed",
      current: at("human", { status: "HITL" }),
      given: { result: "failed" },
      reason: "task_in_hitl",
    },
    {
      name: "waiting for a person, told nothing",
      current: at("human", { status: "HITL" }),
      given: {},
      reason: "task_in_hitl",
    },
    { name: "at a step that is gone", current: at("gone"), given: { result: "passed" }, reason: "step_not_found" },
    {
      name: "at a step that is a property of every object",
      current: at("constructor"),
      given: {},
      reason: "step_not_found",
    },
    {
      name: "elsewhere than expected",
      current: at("review"),
      given: { result: "passed", expectedStep: "build" },
      reason: "step_changed",
    },
    {
      name: "ended after the first of two equal calls",
      current: at("done", { status: "COMPLETED" }),
      given: { result: "passed", expectedStep: "review" },
      reason: "step_changed",
    },
    { name: "at a gate, told nothing", current: at("review"), given: {}, reason: "result_required" },
    {
      name: "told the engine's own result",
      current: at("review"),
      given: { result: "max_retries_exceeded" },
      reason: "reserved_result",
    },
  ])("$name: $reason", ({ current, given, reason }) => {
    expect(advanceTask(reviewed, current, given as object, NOW)).toMatchObject({ ok: false, fail: { reason } });
  });

  test("step_changed names the current step", () => {
    const moved = advanceTask(reviewed, at("review"), { expectedStep: "build" }, NOW);
    expect(moved).toMatchObject({ fail: { details: { currentStep: "review" } } });
  });

  test("in HITL without a recovery edge even passed is refused", () => {
    const flow = definition({ work: task() }, [
      ["start", "work"],
      ["work", "done", "passed"],
      ["work", "human", "failed"],
    ]);
    const moved = advanceTask(flow, at("human", { status: "HITL" }, flow), { result: "passed" }, NOW);
    expect(moved).toMatchObject({ ok: false, fail: { reason: "task_in_hitl", details: { recoverable: false } } });
  });
});

test("an orchestrator's IN_PROGRESS task may be advanced", () => {
  expect(answerOf(at("review", { status: "IN_PROGRESS" }), "passed")).toMatchObject({ nextStep: "done" });
});
