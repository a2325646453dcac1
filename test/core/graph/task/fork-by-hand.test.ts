import { renderWay } from "../../../../src/core/graph/show/text-diagram";
import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { type Arrow, definition, task } from "../definition/definitions";
import { branches } from "../definition/findings";

/** A result given on the fork itself: the join's edges decide (graph reference, section 9.1). */
const forks = (...out: Arrow[]) =>
  definition(branches, [["start", "split"], ["split", "a"], ["split", "b"], ["a", "merge"], ["b", "merge"], ...out]);

const usual = forks(["merge", "done", "passed"], ["merge", "human", "failed"]);

const onFork = (flow = usual, more: Partial<Task> = {}): Task =>
  newTask(
    { id: "t", issueId: "i", workflowType: flow.id, currentStep: "split", status: "IN_PROGRESS", ...more },
    flow,
    0,
  );

test.each([
  { result: "passed", to: "done", status: "COMPLETED", terminal: "success" },
  { result: "failed", to: "human", status: "HITL", terminal: "hitl" },
])("$result on a fork goes to $to, past the join", ({ result, to, status, terminal }) => {
  const moved = advanceTask(usual, onFork(), { result, output: "all in" }, 7);
  expect(moved).toMatchObject({
    ok: true,
    answer: { success: true, previousStep: "split", nextStep: to, action: "conditional", terminal },
    task: { currentStep: to, status, stepRetries: {}, retryCount: 0 },
    entry: { step: "split", to, result, action: "conditional", at: 7, output: "all in" },
  });
  expect(moved.ok && moved.task.history).toHaveLength(1);
});

test("the fork's own edges are never taken by result, not even unconditional ones", () => {
  expect(advanceTask(usual, onFork(), {}, 1)).toMatchObject({ ok: false, fail: { reason: "result_required" } });
  expect(advanceTask(usual, onFork(), { result: "odd" }, 1)).toMatchObject({
    ok: true,
    entry: null,
    answer: {
      success: false,
      previousStep: "split",
      action: "no_matching_edge",
      availableEdges: [
        { to: "done", on: "passed" },
        { to: "human", on: "failed" },
      ],
    },
  });
  expect(advanceTask(usual, onFork(), { result: "max_retries_exceeded" }, 1)).toMatchObject({
    fail: { reason: "reserved_result" },
  });
});

test("an unconditional edge out of the join is taken with and without a result", () => {
  const flow = forks(["merge", "done"]);
  for (const given of [{}, { result: "failed" }, { result: "passed" }])
    expect(advanceTask(flow, onFork(flow), given, 1)).toMatchObject({
      answer: { nextStep: "done", action: "result" in given ? "conditional" : "unconditional" },
    });
});

test("a join that leads both back and out has no retries: the first failure escalates", () => {
  const flow = definition({ ...branches, before: task() }, [
    ["start", "before"],
    ["before", "split"],
    ["split", "a"],
    ["split", "b"],
    ["a", "merge"],
    ["b", "merge"],
    ["merge", "done", "passed"],
    ["merge", "before", "failed"],
    ["merge", "human", "failed"],
  ]);
  expect(advanceTask(flow, onFork(flow), { result: "failed" }, 1)).toMatchObject({
    answer: { previousStep: "split", nextStep: "human", action: "escalate", retriesUsed: 0, maxRetries: 0 },
  });
});

test("the path shows the join's edge as taken", () => {
  const moved = advanceTask(usual, onFork(), { result: "passed" }, 1);
  expect(renderWay(usual, (moved as { task: Task }).task)).toMatch(/merge +─ passed → done {3}┄ failed → human/);
});
