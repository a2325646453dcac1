import { z } from "zod";
import { TaskService } from "../../../src/client/tasks/task-service";
import type { Task } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import { newNamespace } from "../../support/namespace";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** What happens to tasks besides being advanced: loaded again, paused, cancelled, driven by agents, raised as alerts. */
let rig: Rig;
let taskService: TaskService;
const raised: { kind: string; key: string; args: object }[] = [];
const raise = (kind: string) =>
  defineTool({
    name: kind,
    input: z.looseObject({ id: z.string() }),
    run: (args, { idempotencyKey: key }) => {
      raised.push({ kind, key, args });
      return "ok";
    },
  });
const done: string[] = [];
const work = defineTool({
  name: "work",
  input: z.object({ what: z.string() }),
  run: ({ what }, { idempotencyKey }) => {
    done.push(`${what} ${idempotencyKey}`);
    return what;
  },
});

const agents = {
  builder: agent({ name: "builder", tools: [work.spec] }),
  checker: agent({ name: "checker", tools: [work.spec] }),
};
beforeAll(async () => {
  rig = await openRig({
    namespace: await newNamespace(),
    tools: [raise("page"), raise("file_ticket"), work],
    escalations: { alert: "page", ticket: "file_ticket" },
    script: {
      builder: [fenced('(do (task "built" (tool/work {:what "build"})) (return {:outcome "passed"}))')],
      checker: [fenced('(return {:outcome (if (= 1 (count data/steps)) "failed" "passed")})')],
    },
  });
  taskService = new TaskService(rig.client, { agents, model: "scripted" });
});
afterAll(() => rig.stop());

const there = (id: string, check: (task: Task) => boolean) =>
  until(async () => check(await taskService.task(id).catch(() => ({}) as Task)), `${id} is as expected`);

const GRAPH = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build", agent: "builder" },
    look: { type: "task", name: "Look", agent: "nobody" },
    done: { type: "end", result: "success" },
    lost: { type: "end", result: "failure", escalation: "alert", name: "It was lost" },
    odd: { type: "end", result: "blocked", escalation: "ticket" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "look", on: "passed" },
    { from: "build", to: "lost", on: "failed" },
    { from: "look", to: "done", on: "passed" },
    { from: "look", to: "odd", on: "failed" },
  ],
};

test("an alert and a ticket reach their tools, once each, with a key", async () => {
  await taskService.loadWorkflow("graph", GRAPH);
  await taskService.loadTasks(
    [
      { id: "e1", issueId: "I-1", workflowType: "graph", currentStep: "build" },
      { id: "e2", issueId: "I-2", workflowType: "graph", currentStep: "look" },
      { id: "e3", issueId: "I-3", workflowType: "graph", currentStep: "lost", status: "FAILED", escalation: "alert" },
    ],
    "replace",
  );
  const answer = await taskService.advance("e1", { result: "failed", output: "no disk" });
  expect(answer).toMatchObject({ terminal: "failure", endResult: "failure", escalation: "alert" });
  await taskService.advance("e2", { result: "failed" });
  await until(async () => raised.length === 2, "both are raised");
  // Two tasks: which of them is served first is not decided.
  raised.sort((a, b) => a.key.localeCompare(b.key));
  expect(raised).toMatchObject([
    {
      kind: "page",
      key: "task/e1/task_alert/1",
      args: { id: "e1", issue: "I-1", step: "lost", last_output: "no disk" },
    },
    {
      kind: "file_ticket",
      key: "task/e2/task_ticket/1",
      args: { id: "e2", end_result: "blocked", last_result: "failed" },
    },
  ]);
  // The one that was loaded at its end has nothing to raise.
  await taskService.confirmSyncsOfTask("e1");
  await taskService.confirmSyncsOfTask("e2");
  expect(raised).toHaveLength(2);
  expect(await taskService.task("e1")).toMatchObject({ status: "FAILED" });
});

test("agents drive their steps, an orchestrator the rest; claims and advances wait for neither", async () => {
  await taskService.loadWorkflow("graph", GRAPH);
  const task = await taskService.createTask({ id: "a1", issueId: "I", workflowType: "graph" });
  expect(task).toMatchObject({ currentStep: "start" });
  await there("a1", ({ currentStep, status }) => currentStep === "look" && status === "PENDING");
  expect(done).toEqual([`build ${keyOf("task/a1", work.spec, { what: "build" }, { lane: "build" })}`]);
  await expect(taskService.createTask({ id: "a1", issueId: "I", workflowType: "graph" })).rejects.toMatchObject({
    code: "already_exists",
    details: { path: "a1", kind: "task" },
  });
  expect((await taskService.nextTasks(5)).map(({ id }) => id)).toContain("a1");
  expect(await taskService.advance("a1", { result: "passed" })).toMatchObject({ terminal: "success" });
  const { pending } = await taskService.pendingSyncs();
  expect(pending.filter(({ taskId }) => taskId === "a1").map(({ previousStep }) => previousStep)).toEqual([
    "start",
    "build",
    "look",
  ]);
});

test("pause, resume, cancel", async () => {
  await taskService.loadTasks([{ id: "p1", issueId: "I", workflowType: "graph", currentStep: "look" }], "replace");
  const { token } = await taskService.claim("p1", { owner: "one", leaseMs: 60_000 });
  expect(await taskService.pause("p1")).toMatchObject({ status: "PAUSED" });
  await expect(taskService.advance("p1", { result: "passed" })).rejects.toMatchObject({ code: "task_paused" });
  await expect(taskService.advance("p1", { result: "passed", claim: token })).rejects.toMatchObject({
    code: "claim_lost",
  });
  await expect(taskService.claim("p1", { owner: "two", leaseMs: 60_000 })).rejects.toMatchObject({
    code: "task_paused",
  });
  expect(await taskService.nextTasks(5)).toEqual([]);
  expect(await taskService.resume("p1")).toMatchObject({ status: "PENDING" });
  await expect(taskService.resume("p1")).rejects.toMatchObject({ code: "not_paused" });
  expect(await taskService.cancel("p1", "not wanted")).toMatchObject({ status: "FAILED", endResult: "cancelled" });
  await expect(taskService.cancel("p1")).rejects.toMatchObject({ code: "task_closed" });
  await expect(taskService.pause("p1")).rejects.toMatchObject({ code: "task_closed" });
});

test("loading again: the list is authoritative, unconfirmed moves stay, places are kept", async () => {
  await taskService.loadTasks(
    [
      { id: "r1", issueId: "I", workflowType: "graph", currentStep: "look" },
      { id: "r2", issueId: "I", workflowType: "graph", currentStep: "look" },
    ],
    "replace",
  );
  await taskService.confirmSyncs((await taskService.pendingSyncs()).pending.map(({ id }) => id));
  await taskService.advance("r1", { result: "passed" });
  const merged = await taskService.loadTasks(
    [
      { id: "r3", issueId: "I", workflowType: "graph", currentStep: "look" },
      { id: "r1", issueId: "I", workflowType: "graph", currentStep: "build" },
    ],
    "merge",
  );
  expect(merged).toMatchObject({ loaded: 2, replaced: 1, total: 3, byStatus: { PENDING: 3 } });
  expect((await taskService.nextTasks(5)).map(({ id, currentStep }) => [id, currentStep])).toEqual([
    ["r1", "build"],
    ["r2", "look"],
    ["r3", "look"],
  ]);
  expect((await taskService.pendingSyncs()).pending).toMatchObject([
    { taskId: "r1", previousStep: "look", nextStep: "done" },
  ]);
  // Gone from the tree, but not what it had to say.
  expect(await taskService.loadTasks([], "replace")).toMatchObject({ loaded: 0, replaced: 3, total: 0 });
  expect(await taskService.nextTasks(5)).toEqual([]);
  await expect(taskService.advance("r1", { result: "passed" })).rejects.toMatchObject({ code: "task_not_found" });
  expect(await taskService.confirmSyncsOfTask("r1")).toMatchObject({
    confirmed: [expect.stringMatching(/^sync-/)],
    remaining: 0,
  });
});

test("a bad list changes nothing", async () => {
  await taskService.loadTasks([{ id: "b1", issueId: "I", workflowType: "graph", currentStep: "look" }], "replace");
  const bad = taskService.loadTasks(
    [
      { id: "b2", issueId: "I", workflowType: "graph" },
      { id: "b3", workflowType: "graph" },
    ],
    "replace",
  );
  await expect(bad).rejects.toMatchObject({ code: "invalid_task", details: { index: 1, field: "issueId" } });
  const twice = { id: "b4", issueId: "I", workflowType: "graph" };
  await expect(taskService.loadTasks([twice, twice], "replace")).rejects.toMatchObject({ code: "duplicate_task_id" });
  const large = { ...twice, id: "b5", context: { text: "x".repeat(2_000_000) } };
  await expect(taskService.loadTasks([twice, large], "replace")).rejects.toMatchObject({
    code: "payload_too_large",
    message: expect.stringContaining('task "b5"'),
  });
  expect((await taskService.nextTasks(5)).map(({ id }) => id)).toEqual(["b1"]);
});

test("a load that the network breaks off says how far it came; the same load, repeated, finishes it", async () => {
  const tasks = ["i1", "i2", "i3"].map((id) => ({ id, issueId: "I", workflowType: "graph", currentStep: "look" }));
  const broken = jest.spyOn(rig.client.temporal.workflow, "start");
  const { start } = Object.getPrototypeOf(rig.client.temporal.workflow) as typeof rig.client.temporal.workflow;
  broken.mockImplementation((type, options) =>
    options.workflowId.endsWith("/i3")
      ? Promise.reject(new Error("connection reset"))
      : start.call(rig.client.temporal.workflow, type, options),
  );
  const cut = taskService.loadTasks(tasks, "merge").finally(() => broken.mockRestore());
  await expect(cut).rejects.toMatchObject({
    code: "load_incomplete",
    exitCode: 3,
    message: expect.stringMatching(/^Loaded \d of 3 tasks, then: .*connection reset/),
    hint: expect.stringContaining("Repeat the same load"),
    details: { total: 3 },
  });
  expect(await taskService.loadTasks(tasks, "merge")).toMatchObject({ loaded: 3 });
  for (const { id } of tasks) expect(await taskService.task(id)).toMatchObject({ id, currentStep: "look" });
});

test("a list without step and status keeps place, history and claim, also of what has ended; else it names what it would set back", async () => {
  const about = (id: string) => ({ id, issueId: "I", workflowType: "graph" });
  await taskService.loadTasks(
    ["k-over", "k-claimed"].map((id) => ({ ...about(id), currentStep: "look" })),
    "merge",
  );
  await taskService.advance("k-over", { result: "passed", output: "seen" });
  await taskService.confirmSyncsOfTask("k-over");
  const { token } = await taskService.claim("k-claimed", { owner: "one", leaseMs: 60_000 });
  const list = [about("k-over"), { ...about("k-claimed"), priority: 7 }];
  expect(await taskService.losingProgress(list, "merge")).toEqual([]);
  expect(await taskService.loadTasks(list, "merge")).toMatchObject({ loaded: 2 });
  expect(await taskService.task("k-over")).toMatchObject({ status: "COMPLETED", history: [{ output: "seen" }] });
  expect(await taskService.task("k-claimed")).toMatchObject({
    currentStep: "look",
    priority: 7,
    claim: { owner: "one" },
  });
  const placed = list.map((one) => ({ ...one, currentStep: "look" }));
  expect((await taskService.losingProgress(placed, "merge")).sort()).toEqual(["k-claimed", "k-over"]);
  expect(await taskService.losingProgress(list, "replace")).toEqual(["k-over"]);
  await taskService.release("k-claimed", token);
  expect(await taskService.losingProgress(placed, "merge")).toEqual(["k-over"]);
});

test("a priority beyond 64 bits is loaded, and a context time in seconds is refused with the time that it is", async () => {
  const about = { issueId: "I", workflowType: "graph", currentStep: "look" };
  await taskService.loadTasks([{ ...about, id: "p-huge", priority: 1e300 }], "merge");
  expect(await taskService.task("p-huge")).toMatchObject({ priority: 1e300 });
  const wait = { type: "wait", name: "Later", until: "context.at" };
  await taskService.loadWorkflow("later", {
    nodes: { start: { type: "start" }, wait, end: { type: "end", result: "success" } },
    edges: [
      { from: "start", to: "wait" },
      { from: "wait", to: "end", on: "passed" },
    ],
  });
  const load = (at: unknown) =>
    taskService.loadTasks([{ id: "p-wait", issueId: "I", workflowType: "later", context: { at } }], "merge");
  await expect(load(1_800_000_000)).rejects.toMatchObject({
    code: "invalid_task",
    message: expect.stringContaining("context.at is 1800000000: in milliseconds since 1970 that is 1970-01-21T"),
    details: { index: 0, field: "context.at" },
  });
  await expect(load("2027-02-30T09:00:00Z")).rejects.toMatchObject({ code: "invalid_task" });
  expect(await load(1_800_000_000_000)).toMatchObject({ loaded: 1 });
});

test("definitions: versions, a removed step, one that is loaded after its task", async () => {
  const changed = { ...GRAPH, nodes: { ...GRAPH.nodes, look: undefined, see: GRAPH.nodes.look } };
  const edges = GRAPH.edges.map(({ from, to, ...on }) => ({
    from: from === "look" ? "see" : from,
    to: to === "look" ? "see" : to,
    ...on,
  }));
  const { look: _, ...nodes } = changed.nodes;
  await taskService.loadTasks([{ id: "v1", issueId: "I", workflowType: "graph", currentStep: "look" }], "replace");
  const loaded = await taskService.loadWorkflow("graph", { nodes, edges });
  expect(loaded).toMatchObject({ version: 2, replaced: true });
  expect(loaded.warnings).toMatchObject([{ code: "step_removed", taskId: "v1", nodeId: "look" }]);
  expect(await taskService.workflow("graph", 1)).toMatchObject({
    version: 1,
    definition: { nodes: { look: { name: "Look" } } },
  });
  // A running task keeps the version that it was loaded with.
  expect(await taskService.advance("v1", { result: "passed" })).toMatchObject({ nextStep: "done" });
  await taskService.loadTasks([{ id: "v2", issueId: "I", workflowType: "late", currentStep: "look" }], "replace");
  await expect(taskService.progress("v2")).rejects.toMatchObject({ code: "workflow_not_found" });
  await taskService.loadWorkflow("late", GRAPH);
  expect(await taskService.advance("v2", { result: "passed" })).toMatchObject({ nextStep: "done" });
  expect(await taskService.progress("v2")).toMatchObject({ percent: 100, terminal: "success" });
});
