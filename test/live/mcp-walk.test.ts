import type { McpClient, McpRig } from "../support/mcp/client";
import { connectInMemory, openMcpRig } from "../support/mcp/client";

/**
 * One task from loading to its last confirmation, answer by answer, with each of the twelve tools (graph reference,
 * section 8).
 */

const SEED = {
  nodes: {
    start: { type: "start" },
    analyze: { type: "task", name: "Analyze requirements", agent: "architect", stage: "planning" },
    review: { type: "gate", name: "Review the plan", agent: "reviewer", stage: "verification", maxRetries: 3 },
    end: { type: "end", result: "success" },
    hitl: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "analyze" },
    { from: "analyze", to: "review" },
    { from: "review", to: "end", on: "passed" },
    { from: "review", to: "analyze", on: "failed" },
    { from: "review", to: "hitl", on: "max_retries_exceeded" },
  ],
};
const MESSAGE = "Mutations pending sync to primary store. Please persist and confirm.";
const SYNC = expect.stringMatching(/^sync-/);

let rig: McpRig;
let mcp: McpClient;
beforeAll(async () => {
  rig = await openMcpRig();
  mcp = await connectInMemory(rig.parts);
});
afterAll(async () => {
  await mcp.close();
  await rig.stop();
});

const reminded = (...taskIds: string[]) => ({
  message: MESSAGE,
  pending: taskIds.map((taskId) => ({ id: SYNC, taskId })),
});

const task = (id: string, more: { history?: object[]; [field: string]: unknown } = {}) => ({
  id,
  issueId: `I-${id}`,
  workflowType: "bug",
  currentStep: "start",
  priority: 0,
  status: "PENDING",
  retryCount: 0,
  context: {},
  stepRetries: {},
  createdAt: expect.any(Number),
  updatedAt: expect.any(Number),
  history: [],
  version: more.history?.length ?? 0,
  ...more,
});

test("1. at the beginning everything is empty", async () => {
  expect(await mcp.call("list_workflows")).toEqual({ data: { count: 0, workflows: [] } });
  expect(await mcp.call("get_next_tasks_from_tree")).toEqual({ data: { count: 0, tasks: [] } });
  expect(await mcp.call("get_pending_syncs")).toEqual({ data: { count: 0, pending: [] } });
  const counts = { PENDING: 0, IN_PROGRESS: 0, PAUSED: 0, HITL: 0, COMPLETED: 0, FAILED: 0 };
  expect(await mcp.call("get_tasks_by_status")).toEqual({ data: { counts, tasks: {} } });
});

test("2. load_workflow: the first, then the same id again", async () => {
  const loaded = { id: "bug", name: "bug", stepCount: 5, edgeCount: 5, warnings: [] };
  expect(await mcp.call("load_workflow", { id: "bug", definition: SEED })).toEqual({
    data: { ...loaded, replaced: false },
  });
  expect(
    await mcp.call("load_workflow", { id: "bug", definition: { ...SEED, name: "Bug", description: "A bug" } }),
  ).toEqual({ data: { ...loaded, name: "Bug", replaced: true } });
  expect(await mcp.call("list_workflows")).toEqual({
    data: {
      count: 1,
      workflows: [{ id: "bug", name: "Bug", description: "A bug", stepCount: 5, source: "external" }],
    },
  });
});

test("3. get_execution_plan: levels without the edge that goes back", async () => {
  expect(await mcp.call("get_execution_plan", { workflowId: "bug" })).toEqual({
    data: {
      workflowId: "bug",
      levels: [["start"], ["analyze"], ["review"], ["end", "hitl"]],
      levelCount: 4,
      stepCount: 5,
      backEdges: [{ from: "review", to: "analyze", on: "failed", kind: "retry" }],
    },
  });
});

test("4. load_task_tree: its answer, with a task whose workflow is not loaded", async () => {
  const tasks = [
    { id: "a", issueId: "I-a", workflowType: "bug", priority: 5, context: { repo: "shop" } },
    { id: "b", issueId: "I-b", workflowType: "bug", priority: 9, currentStep: "review" },
    { id: "c", issueId: "I-c", workflowType: "research", priority: 1 },
    { id: "d", issueId: "I-d", workflowType: "bug", status: "PAUSED" },
  ];
  const answer = await mcp.call("load_task_tree", { tasks });
  expect(answer).toEqual({
    data: {
      loaded: 4,
      replaced: 0,
      total: 4,
      byStatus: { PENDING: 3, IN_PROGRESS: 0, PAUSED: 1, HITL: 0, COMPLETED: 0, FAILED: 0 },
      warnings: [{ code: "workflow_not_loaded", taskId: "c", message: expect.stringContaining("research") }],
    },
  });
});

test("5. get_next_tasks_from_tree: by priority, only PENDING tasks", async () => {
  const a = task("a", { priority: 5, context: { repo: "shop" } });
  const b = task("b", { priority: 9, currentStep: "review" });
  expect(await mcp.call("get_next_tasks_from_tree")).toEqual({ data: { count: 1, tasks: [b] } });
  const all = await mcp.data("get_next_tasks_from_tree", { limit: 100 });
  expect(all).toEqual({ count: 3, tasks: [b, a, task("c", { workflowType: "research", priority: 1 })] });
});

test("6. advance_task: an unconditional edge, and from now on every answer lists the unconfirmed moves", async () => {
  const moved = await mcp.call("advance_task", { taskId: "a", output: "begun" });
  const entry = { step: "start", to: "analyze", result: null, action: "unconditional", at: expect.any(Number) };
  expect(moved).toEqual({
    data: {
      success: true,
      previousStep: "start",
      nextStep: "analyze",
      action: "unconditional",
      task: task("a", {
        priority: 5,
        context: { repo: "shop" },
        currentStep: "analyze",
        history: [{ ...entry, output: "begun" }],
      }),
      version: 1,
    },
    _sync_reminder: reminded("a"),
  });
  expect((await mcp.call("list_workflows"))._sync_reminder).toEqual(reminded("a"));
  expect((await mcp.refused("get_task", { taskId: "nobody" }))._sync_reminder).toEqual(reminded("a"));
});

test("7. advance_task: three retries of a gate, the fourth failure escalates to a person", async () => {
  for (const used of [1, 2, 3]) {
    expect(await mcp.data("advance_task", { taskId: "b", result: "failed", expectedStep: "review" })).toMatchObject({
      success: true,
      previousStep: "review",
      nextStep: "analyze",
      action: "retry",
      retriesUsed: used,
      retriesRemaining: 3 - used,
      maxRetries: 3,
      task: { status: "PENDING", retryCount: used, stepRetries: { review: used } },
    });
    await mcp.call("advance_task", { taskId: "b", result: "passed" });
  }
  const escalated = await mcp.data("advance_task", { taskId: "b", result: "failed" });
  expect(escalated).toEqual({
    success: true,
    previousStep: "review",
    nextStep: "hitl",
    action: "escalate",
    reason: "max_retries_exceeded",
    retriesUsed: 3,
    retriesRemaining: 0,
    maxRetries: 3,
    terminal: "hitl",
    endResult: "blocked",
    escalation: "hitl",
    task: expect.objectContaining({ id: "b", status: "HITL", currentStep: "hitl", retryCount: 3 }),
    version: 7,
    waitingFor: {
      review: expect.stringMatching(/^b\/hitl\/\d+$/),
      title: expect.stringContaining("b needs a person"),
      choices: ["send back to analyze", "send back to review", "close"],
      answer: "not_asked",
      hint: expect.stringContaining("navigator review decide b/hitl/"),
    },
  });
});

test("8. get_task_progress: the current step, by level", async () => {
  expect(await mcp.data("get_task_progress", { taskId: "a" })).toEqual({
    taskId: "a",
    workflowType: "bug",
    currentStep: "analyze",
    stepName: "Analyze requirements",
    stage: "planning",
    agent: "architect",
    status: "PENDING",
    level: 1,
    levelCount: 4,
    percent: 33,
    visited: [{ step: "start", result: null, action: "unconditional", at: expect.any(Number) }],
    retryCount: 0,
    stepRetries: {},
    retriesRemaining: 0,
    nextSteps: [{ to: "review" }],
  });
  expect(await mcp.data("get_task_progress", { taskId: "b" })).toMatchObject({ percent: 100, terminal: "hitl" });
});

test("9. advance_task to the end, and get_task with its history", async () => {
  await mcp.call("advance_task", { taskId: "a" });
  expect(await mcp.data("advance_task", { taskId: "a", result: "passed" })).toMatchObject({
    success: true,
    nextStep: "end",
    action: "conditional",
    terminal: "success",
    endResult: "success",
    task: { status: "COMPLETED" },
  });
  const { task: a } = await mcp.data("get_task", { taskId: "a" });
  expect(a).toMatchObject({ id: "a", status: "COMPLETED", currentStep: "end", endResult: "success" });
  expect(a.history.map((entry: { step: string }) => entry.step)).toEqual(["start", "analyze", "review"]);
});

test("10. get_tasks_by_status: counts of all, tasks of one or all", async () => {
  const counts = { PENDING: 1, IN_PROGRESS: 0, PAUSED: 1, HITL: 1, COMPLETED: 1, FAILED: 0 };
  const all = await mcp.data("get_tasks_by_status");
  expect(all.counts).toEqual(counts);
  expect(Object.keys(all.tasks).sort()).toEqual(["COMPLETED", "HITL", "PAUSED", "PENDING"]);
  const one = await mcp.data("get_tasks_by_status", { status: "HITL" });
  expect({ ...one, tasks: one.tasks.HITL.map(({ id }: { id: string }) => id) }).toEqual({ counts, tasks: ["b"] });
});

test("11. a result without an edge is an answer and not an error: nothing moves, nothing is to be confirmed", async () => {
  const open = {
    nodes: { start: { type: "start" }, look: { type: "task", name: "Look" }, end: { type: "end", result: "success" } },
    edges: [
      { from: "start", to: "look" },
      { from: "look", to: "end", on: "passed" },
    ],
  };
  await mcp.call("load_workflow", { id: "open-ended", definition: open });
  await mcp.call("load_task_tree", {
    tasks: [{ id: "e", issueId: "I-e", workflowType: "open-ended", currentStep: "look" }],
    mode: "merge",
  });
  const before = await mcp.data("get_pending_syncs");
  expect(await mcp.data("advance_task", { taskId: "e", result: "failed" })).toEqual({
    success: false,
    previousStep: "look",
    nextStep: null,
    action: "no_matching_edge",
    result: "failed",
    availableEdges: [{ to: "end", on: "passed" }],
    task: task("e", { workflowType: "open-ended", currentStep: "look" }),
    version: 0,
  });
  expect(await mcp.data("get_pending_syncs")).toEqual(before);
});

test("12. get_pending_syncs: every move, oldest first, and no reminder beside it", async () => {
  const answer = await mcp.call("get_pending_syncs");
  expect(Object.keys(answer)).toEqual(["data"]);
  const { count, pending } = answer.data;
  expect(count).toBe(10);
  expect(pending[0]).toEqual({
    id: SYNC,
    taskId: "a",
    issueId: "I-a",
    kind: "advance",
    previousStep: "start",
    nextStep: "analyze",
    status: "PENDING",
    output: "begun",
    createdAt: expect.any(Number),
  });
  expect(pending.map(({ kind }: { kind: string }) => kind)).toEqual([
    "advance",
    "retry",
    "advance",
    "retry",
    "advance",
    "retry",
    "advance",
    "escalate",
    "advance",
    "advance",
  ]);
  expect(new Set(pending.map(({ id }: { id: string }) => id)).size).toBe(10);
  const times = pending.map(({ createdAt }: { createdAt: number }) => createdAt);
  expect(times).toEqual([...times].sort((x, y) => x - y));
});

test("13. confirm_sync: known ids, unknown ids, and a second time", async () => {
  const { pending } = await mcp.data("get_pending_syncs");
  const [first, second] = pending.map(({ id }: { id: string }) => id);
  expect(await mcp.data("confirm_sync", { syncIds: [first, "sync-nope", first] })).toEqual({
    confirmed: [first],
    notFound: ["sync-nope"],
    remaining: 9,
  });
  expect(await mcp.data("confirm_sync", { syncIds: [first, second] })).toEqual({
    confirmed: [second],
    notFound: [first],
    remaining: 8,
  });
});

test("14. reloading the tree confirms nothing; the syncs of a removed task are kept", async () => {
  const list = { tasks: [{ id: "f", issueId: "I-f", workflowType: "bug" }], mode: "replace" };
  const { error } = await mcp.refused("load_task_tree", list);
  expect(error).toMatchObject({ code: "confirmation_required", hint: expect.stringContaining("confirm: true") });
  expect(error.message).toMatch(/removes \d+ task\(s\) that the list does not have: .*\bb\b/);
  const answer = await mcp.call("load_task_tree", { ...list, confirm: true });
  expect(answer.data).toMatchObject({ loaded: 1, total: 1, byStatus: { PENDING: 1 } });
  expect(answer._sync_reminder.pending).toHaveLength(8);
  expect((await mcp.refused("get_task", { taskId: "b" })).error.code).toBe("task_not_found");
  const { confirmed, remaining } = await mcp.data("confirm_sync_for_task", { taskId: "b" });
  expect({ confirmed: confirmed.length, remaining }).toEqual({ confirmed: 6, remaining: 2 });
});

test("15. confirm_sync_for_task of the last: no reminder any more, and none for an unknown task", async () => {
  const last = await mcp.call("confirm_sync_for_task", { taskId: "a" });
  expect(last).toEqual({ data: { taskId: "a", confirmed: [SYNC, SYNC], remaining: 0 } });
  expect(await mcp.call("confirm_sync_for_task", { taskId: "nobody" })).toEqual({
    data: { taskId: "nobody", confirmed: [], remaining: 0 },
  });
  expect(Object.keys(await mcp.call("list_workflows"))).toEqual(["data"]);
});
