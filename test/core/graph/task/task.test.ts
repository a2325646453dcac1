import { advanceTask, newTask } from "../../../../src/core/graph/task/task";
import { parseTask } from "../../../../src/core/graph/task/task-input";
import { definition, gate, reviewed, task } from "../definition/definitions";
import { advanced, answerOf, at, NOW, walked } from "./moves";

describe("a new task", () => {
  test("starts at the start node with every default filled", () => {
    expect(newTask({ id: "t", issueId: "i", workflowType: "test-flow" }, reviewed, NOW)).toEqual({
      id: "t",
      issueId: "i",
      workflowType: "test-flow",
      currentStep: "start",
      priority: 0,
      status: "PENDING",
      retryCount: 0,
      context: {},
      stepRetries: {},
      createdAt: NOW,
      updatedAt: NOW,
      history: [],
    });
  });

  test('of a workflow that is not loaded starts at "start"', () => {
    expect(newTask({ id: "t", issueId: "i", workflowType: "research" }, undefined, NOW).currentStep).toBe("start");
  });

  test("starts at the start of its definition, whatever the node's id", () => {
    const flow = definition({ start: null, begin: { type: "start" }, work: task() }, [
      ["begin", "work"],
      ["work", "done", "passed"],
      ["work", "human", "failed"],
    ]);
    expect(newTask({ id: "t", issueId: "i", workflowType: flow.id }, flow, NOW).currentStep).toBe("begin");
  });

  test("from outside is refused with every wrong field at once", () => {
    const read = parseTask(
      { id: "", issueId: "i", priority: "high", status: "DONE", stepRetries: { a: -1 } },
      reviewed,
      NOW,
    );
    expect(read).toMatchObject({ ok: false, fail: { reason: "invalid_task" } });
    const issues = read.ok ? [] : (read.fail.details as { issues: { field: string }[] }).issues;
    const fields = issues.map(({ field }) => field);
    expect(fields.sort()).toEqual(["id", "priority", "status", "stepRetries", "workflowType"]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("with priority %p is refused", (priority) => {
    expect(parseTask({ id: "t", issueId: "i", workflowType: "w", priority }, reviewed, NOW)).toMatchObject({
      ok: false,
    });
  });

  test("from outside keeps counters of steps with unusual names", () => {
    const input: unknown = JSON.parse(
      '{"id":"t","issueId":"i","workflowType":"w","stepRetries":{"__proto__":2,"constructor":1}}',
    );
    const read = parseTask(input, undefined, NOW);
    expect(read.ok && Object.entries(read.value.stepRetries)).toEqual([
      ["__proto__", 2],
      ["constructor", 1],
    ]);
  });
});

describe("advancing", () => {
  test("does not change the given task", () => {
    const before = at("review", { stepRetries: { review: 1 } });
    const copy = JSON.stringify(before);
    advanceTask(reviewed, before, { result: "failed", output: { why: "red" } }, NOW + 1);
    expect(JSON.stringify(before)).toBe(copy);
  });

  test("returns an unconditional move with both steps and the whole task", () => {
    const answer = answerOf(at("build"));
    expect(answer).toMatchObject({ success: true, previousStep: "build", nextStep: "review", action: "unconditional" });
    expect(answer.task).toMatchObject({ id: "t-1", currentStep: "review", status: "PENDING", updatedAt: NOW + 1 });
    expect(answer).not.toHaveProperty("retriesUsed");
    expect(answer).not.toHaveProperty("terminal");
  });

  test("returns the first of three retries with 1 used and 2 left", () => {
    expect(answerOf(at("review"), "failed")).toMatchObject({
      success: true,
      previousStep: "review",
      nextStep: "build",
      action: "retry",
      retriesUsed: 1,
      retriesRemaining: 2,
      maxRetries: 3,
      task: { status: "PENDING", retryCount: 1, stepRetries: { review: 1 } },
    });
  });

  test("gives three retries with maxRetries 3, and escalates at the fourth failure", () => {
    const third = walked(at("review"), ["failed", undefined, "failed", undefined, "failed", undefined]);
    expect(third).toMatchObject({ retryCount: 3, stepRetries: { review: 3 } });
    expect(answerOf(third, "failed")).toMatchObject({
      success: true,
      nextStep: "human",
      action: "escalate",
      reason: "max_retries_exceeded",
      retriesUsed: 3,
      retriesRemaining: 0,
      maxRetries: 3,
      terminal: "hitl",
      endResult: "blocked",
      escalation: "hitl",
      task: { status: "HITL", retryCount: 3, stepRetries: { review: 3 } },
    });
  });

  test("keeps result and output of each step in the history, oldest first", () => {
    const first = advanced(at("build"), { output: "built" }, NOW + 1);
    const second = advanced(first.task, { result: "failed", output: { red: 2 } }, NOW + 2);
    expect(second.task.history).toEqual([
      { step: "build", to: "review", result: null, action: "unconditional", at: NOW + 1, output: "built" },
      { step: "review", to: "build", result: "failed", action: "retry", at: NOW + 2, output: { red: 2 } },
    ]);
    expect(second.entry).toEqual(second.task.history[1]);
  });

  test("keeps an output of null", () => {
    const moved = advanceTask(reviewed, at("build"), { output: null }, NOW);
    expect(moved.ok && moved.entry).toHaveProperty("output", null);
  });

  test("without an edge tells the beginning of a long result", () => {
    const moved = advanceTask(reviewed, at("review"), { result: "x".repeat(300_000) }, NOW + 1);
    expect(moved.ok && moved.answer).toMatchObject({ action: "no_matching_edge", result: `${"x".repeat(200)}...` });
  });

  test("without an edge changes nothing and lists the edges", () => {
    const before = at("review");
    const moved = advanceTask(reviewed, before, { result: "odd" }, NOW + 1);
    expect(moved).toMatchObject({ ok: true, entry: null });
    expect(moved.ok && moved.task).toBe(before);
    expect(moved.ok && moved.answer).toEqual({
      success: false,
      previousStep: "review",
      nextStep: null,
      action: "no_matching_edge",
      result: "odd",
      availableEdges: [
        { to: "done", on: "passed" },
        { to: "build", on: "failed" },
        { to: "human", on: "max_retries_exceeded" },
      ],
      task: before,
    });
  });

  test("fails a task at its step when retries are used up and no edge leads out", () => {
    const flow = definition({ build: task(), check: gate({ maxRetries: 1 }) }, [
      ["start", "build"],
      ["build", "check"],
      ["check", "done", "passed"],
      ["check", "build", "failed"],
    ]);
    const answer = answerOf(at("check", { stepRetries: { check: 1 } }, flow), "failed", flow);
    expect(answer).toMatchObject({ success: true, nextStep: null, action: "escalate", reason: "max_retries_exceeded" });
    expect(answer.task).toMatchObject({ currentStep: "check", status: "FAILED" });
    expect(answer).not.toHaveProperty("terminal");
  });
});
