import { TaskService } from "../../../src/client/tasks/task-service";
import type { Task } from "../../../src/core/graph/task/task";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Branches and subflows: tasks that others wait for (graph reference, sections 9.1 and 9.3). */
let rig: Rig;
let taskService: TaskService;
beforeAll(async () => {
  rig = await openRig({ namespace: await newNamespace() });
  taskService = new TaskService(rig.client);
});
afterAll(() => rig.stop());

const FEATURE = (strategy: string) => ({
  nodes: {
    start: { type: "start" },
    split: { type: "fork", join: "merge", maxConcurrency: 2 },
    api: { type: "task", name: "API" },
    api_check: { type: "gate", name: "Check", maxRetries: 1 },
    web: { type: "task", name: "Web" },
    docs: { type: "task", name: "Docs" },
    merge: { type: "join", fork: "split", strategy },
    ship: { type: "task", name: "Ship" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "blocked", escalation: "hitl" },
    missing: { type: "end", result: "blocked" },
  },
  edges: [
    { from: "start", to: "split" },
    { from: "split", to: "api" },
    { from: "split", to: "web" },
    { from: "split", to: "docs" },
    { from: "api", to: "api_check" },
    { from: "api_check", to: "merge", on: "passed" },
    { from: "api_check", to: "api", on: "failed" },
    { from: "api_check", to: "stuck", on: "max_retries_exceeded" },
    { from: "stuck", to: "api", on: "passed" },
    { from: "web", to: "merge" },
    { from: "docs", to: "merge" },
    { from: "merge", to: "ship", on: "passed" },
    { from: "merge", to: "missing", on: "failed" },
    { from: "ship", to: "done" },
  ],
});

const there = (id: string, check: (task: Task) => boolean) =>
  until(async () => check(await taskService.task(id).catch(() => ({}) as Task)), `${id} is as expected`);

async function load(id: string, workflowType: string, more: object = {}) {
  await taskService.loadTasks(
    [{ id, issueId: "F-1", workflowType, priority: 3, context: { repo: "shop" }, ...more }],
    "replace",
  );
}

test("a fork: parallel branches within the limit, a person in one, the parent moves at the join", async () => {
  await taskService.loadWorkflow("feature", FEATURE("all-pass"));
  await load("f1", "feature");
  const forked = await taskService.advance("f1", {});
  expect(forked).toMatchObject({
    nextStep: "split",
    task: { status: "IN_PROGRESS", waitingFor: ["f1/api", "f1/web"] },
  });
  expect((await taskService.nextTasks(10)).map(({ id }) => id)).toEqual(["f1/api", "f1/web"]);
  expect(await taskService.task("f1/api")).toMatchObject({
    ...{ parentTaskId: "f1", branch: "api", currentStep: "api", status: "PENDING" },
    ...{ issueId: "F-1", priority: 3, context: { repo: "shop" }, workflowType: "feature" },
  });
  await expect(taskService.advance("f1", { result: "passed" })).rejects.toMatchObject({ code: "child_active" });
  expect(await taskService.advance("f1/web", {})).toMatchObject({ nextStep: "merge", task: { status: "COMPLETED" } });
  await there("f1/docs", ({ status }) => status === "PENDING");
  await taskService.advance("f1/docs", { result: "passed" });
  await taskService.advance("f1/api", {});
  await taskService.advance("f1/api", { result: "failed" });
  await taskService.advance("f1/api", {});
  expect(await taskService.advance("f1/api", { result: "failed" })).toMatchObject({
    nextStep: "stuck",
    task: { status: "HITL" },
  });
  expect(await taskService.task("f1")).toMatchObject({ currentStep: "split", status: "IN_PROGRESS" });
  // Back to work by a person: only then the parent goes on.
  await taskService.advance("f1/api", { result: "passed" });
  await taskService.advance("f1/api", {});
  await taskService.advance("f1/api", { result: "passed" });
  await there("f1", ({ currentStep }) => currentStep === "ship");
  const parent = await taskService.task("f1");
  expect(parent).toMatchObject({ status: "PENDING", stepRetries: {} });
  expect(parent.waitingFor).toBeUndefined();
  expect(parent.history.at(-1)).toMatchObject({ step: "split", to: "ship", result: "passed" });
  const { pending } = await taskService.pendingSyncs();
  expect(
    pending.filter(({ taskId }) => taskId === "f1").map(({ previousStep, nextStep }) => [previousStep, nextStep]),
  ).toEqual([
    ["start", "split"],
    ["split", "ship"],
  ]);
});

test("any-pass, by hand with force, and the branches left behind", async () => {
  await taskService.loadWorkflow("feature", FEATURE("any-pass"));
  await load("f2", "feature");
  await taskService.advance("f2", {});
  const forced = await taskService.advance("f2", { result: "failed", force: true });
  expect(forced).toMatchObject({ previousStep: "split", nextStep: "missing", task: { status: "FAILED" } });
  await there("f2/api", ({ status, endResult }) => status === "FAILED" && endResult === "cancelled");

  await load("f3", "feature");
  await taskService.advance("f3", {});
  await taskService.advance("f3/web", { result: "failed" });
  await there("f3/docs", ({ status }) => status === "PENDING");
  await taskService.advance("f3/docs", {});
  await taskService.advance("f3/api", {});
  await taskService.advance("f3/api", { result: "passed" });
  await there("f3", ({ currentStep }) => currentStep === "ship");
});

test("a subflow: a child on another definition, its inputs, its end as the parent's result", async () => {
  await taskService.loadWorkflow("outer", {
    nodes: {
      start: { type: "start" },
      check: { type: "subflow", workflow: "inner", inputs: { who: "context.customer.id", kind: "full" } },
      done: { type: "end", result: "success" },
      refused: { type: "end", result: "failure" },
    },
    edges: [
      { from: "start", to: "check" },
      { from: "check", to: "done", on: "passed" },
      { from: "check", to: "refused", on: "failed" },
    ],
  });
  await load("s1", "outer", { context: { customer: { id: "C-1" } } });
  expect(await taskService.advance("s1", {})).toMatchObject({
    task: { status: "PENDING", blockedBy: "subflow_not_loaded" },
  });
  expect(await taskService.advance("s1", { result: "passed" })).toMatchObject({ nextStep: "done" });

  await taskService.loadWorkflow("inner", {
    nodes: {
      start: { type: "start" },
      look: { type: "task", name: "Look" },
      ok: { type: "end", result: "success" },
      no: { type: "end", result: "blocked" },
    },
    edges: [
      { from: "start", to: "look" },
      { from: "look", to: "ok", on: "passed" },
      { from: "look", to: "no", on: "failed" },
    ],
  });
  for (const [id, result, step] of [
    ["s2", "passed", "done"],
    ["s3", "failed", "refused"],
  ] as const) {
    await load(id, "outer", { context: { customer: { id: "C-1" } } });
    expect(await taskService.advance(id, {})).toMatchObject({
      task: { status: "IN_PROGRESS", waitingFor: [`${id}/check`] },
    });
    expect(await taskService.task(`${id}/check`)).toMatchObject({
      workflowType: "inner",
      context: { who: "C-1", kind: "full" },
      currentStep: "start",
    });
    await expect(taskService.advance(id, { result: "passed" })).rejects.toMatchObject({ code: "child_active" });
    await taskService.advance(`${id}/check`, {});
    await taskService.advance(`${id}/check`, { result });
    await there(id, ({ currentStep }) => currentStep === step);
  }
});

test("a fork inside a branch", async () => {
  await taskService.loadWorkflow("nested", {
    nodes: {
      start: { type: "start" },
      out: { type: "fork", join: "in" },
      a: { type: "task", name: "A" },
      b: { type: "task", name: "B" },
      out2: { type: "fork", join: "in2" },
      c: { type: "task", name: "C" },
      d: { type: "task", name: "D" },
      in2: { type: "join", fork: "out2" },
      in: { type: "join", fork: "out" },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "out" },
      { from: "out", to: "a" },
      { from: "out", to: "b" },
      { from: "b", to: "out2" },
      { from: "out2", to: "c" },
      { from: "out2", to: "d" },
      { from: "c", to: "in2" },
      { from: "d", to: "in2" },
      { from: "in2", to: "in" },
      { from: "a", to: "in" },
      { from: "in", to: "done" },
    ],
  });
  await load("n1", "nested");
  await taskService.advance("n1", {});
  await taskService.advance("n1/a", {});
  expect(await taskService.advance("n1/b", {})).toMatchObject({ task: { waitingFor: ["n1/b/c", "n1/b/d"] } });
  await taskService.advance("n1/b/c", {});
  await taskService.advance("n1/b/d", {});
  await there("n1", ({ status }) => status === "COMPLETED");
});
