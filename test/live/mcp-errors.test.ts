import path from "node:path";
import { z } from "zod";
import { TOOLS } from "../../src/mcp/tools";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { connectInMemory, type McpClient, type McpRig, openMcpRig, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { until } from "../support/until";

/** Every error code of every tool, each by a call that earns it. Nothing is changed by any of them. */

const GRAPH = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build", outputs: ["passed", "failed", "unclear"] },
    split: { type: "fork", join: "merge" },
    left: { type: "task", name: "Left" },
    right: { type: "task", name: "Right" },
    merge: { type: "join", fork: "split" },
    pause: { type: "wait", for: "1d" },
    done: { type: "end", result: "success" },
    hitl: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "split", on: "passed" },
    { from: "build", to: "hitl", on: "failed" },
    { from: "split", to: "left" },
    { from: "split", to: "right" },
    { from: "left", to: "merge" },
    { from: "right", to: "merge" },
    { from: "merge", to: "pause", on: "passed" },
    { from: "pause", to: "done" },
    { from: "merge", to: "hitl", on: "failed" },
    { from: "hitl", to: "build", on: "passed" },
  ],
};
const at = (id: string, currentStep: string, more: object = {}) => ({
  id,
  issueId: "I",
  workflowType: "graph",
  currentStep,
  ...more,
});
const TASKS = [
  at("at-start", "start"),
  at("at-build", "build"),
  at("claimed", "build"),
  at("paused", "build", { status: "PAUSED" }),
  at("closed", "done", { status: "COMPLETED" }),
  at("in-hitl", "hitl", { status: "HITL" }),
  at("vanished", "gone"),
  at("forked", "build"),
  at("waiting", "pause"),
  { id: "unloaded", issueId: "I", workflowType: "research" },
];

let rig: McpRig;
const charge = defineAgent({ name: "charge", prompt: "Charge.", input: z.object({ order_id: z.int() }) });
let mcp: McpClient;
let web: McpClient;
let review: string;
let token: string;
beforeAll(async () => {
  rig = await openMcpRig({ project: { ...WITHOUT_TEMPORAL.project, agents: { charge } } });
  // A server whose agents may decide: what they may not do even so is refused here, too.
  mcp = await connectInMemory({ ...rig.parts, mayDecide: true });
  web = await connectInMemory({ ...rig.parts, files: false });
  await mcp.call("load_workflow", { id: "graph", definition: GRAPH });
  await mcp.call("load_task_tree", { tasks: TASKS });
  await mcp.call("advance_task", { taskId: "forked", result: "passed" });
  token = (await mcp.data("claim_task", { taskId: "claimed", owner: "ana" })).token;
  await until(async () => {
    const { counts } = await mcp.data("get_tasks_by_status");
    return Object.values<number>(counts).reduce((sum, n) => sum + n, 0) === TASKS.length + 2;
  }, "the branches are listed");
  review = (await mcp.data("list_reviews", { taskId: "in-hitl" })).open[0].review.id;
});
afterAll(async () => {
  await Promise.all([mcp.close(), web.close()]);
  await rig.stop();
});

const broken = { nodes: { start: { type: "start" }, a: { type: "task" } }, edges: [{ from: "start", to: "b" }] };

const CASES: [tool: string, args: object, code: string, more?: object][] = [
  ["load_workflow", { id: "broken", definition: broken }, "invalid_workflow", { issues: expect.any(Array) }],
  ["load_workflow", { id: "broken", definition: {} }, "invalid_workflow", { issues: expect.any(Array) }],
  ["load_workflow", { id: "Bad Id", definition: GRAPH }, "invalid_id"],
  ["load_workflow", { id: "graph", definition: { ...GRAPH, id: "other" } }, "id_mismatch"],
  ["get_execution_plan", { workflowId: "nope" }, "workflow_not_found"],
  ["load_task_tree", { tasks: [at("x", "build"), { id: "y" }] }, "invalid_task", { index: 1, field: "issueId" }],
  ["load_task_tree", { tasks: ["text"] }, "invalid_task", { index: 0 }],
  ["load_task_tree", { tasks: [at("x", "build"), at("x", "build")] }, "duplicate_task_id"],
  [
    "load_task_tree",
    { tasks: [at("x", "build")], mode: "replace" },
    "confirmation_required",
    // The branches of `forked` belong to the tree, too.
    { removes: TASKS.length + 2 },
  ],
  [
    "load_task_tree",
    { tasks: [at("x", "build"), at("y", "build", { context: { text: "x".repeat(2_000_000) } })] },
    "payload_too_large",
    { message: expect.stringContaining('task "y"') },
  ],
  ["get_task", { taskId: "nobody" }, "task_not_found", { hint: expect.stringContaining('create_task {"id":"nobody"') }],
  ["get_task_progress", { taskId: "nobody" }, "task_not_found"],
  ["get_task_progress", { taskId: "unloaded" }, "workflow_not_found"],
  ["advance_task", { taskId: "nobody" }, "task_not_found"],
  ["advance_task", { taskId: "unloaded" }, "workflow_not_found"],
  ["advance_task", { taskId: "vanished" }, "step_not_found", { currentStep: "gone" }],
  ["advance_task", { taskId: "closed" }, "task_closed"],
  ["advance_task", { taskId: "paused", result: "passed" }, "task_paused"],
  ["advance_task", { taskId: "in-hitl", result: "failed" }, "task_in_hitl"],
  ["advance_task", { taskId: "at-build" }, "result_required"],
  ["advance_task", { taskId: "at-build", result: "max_retries_exceeded" }, "reserved_result"],
  ["advance_task", { taskId: "at-build", result: "great" }, "invalid_result"],
  [
    "advance_task",
    { taskId: "forked", result: "passed" },
    "child_active",
    { waitingFor: ["forked/left", "forked/right"] },
  ],
  ["advance_task", { taskId: "waiting", result: "passed" }, "task_waiting", { waitingUntil: expect.any(Number) }],
  [
    "advance_task",
    { taskId: "at-build", result: "passed", expectedStep: "start" },
    "step_changed",
    { currentStep: "build" },
  ],
  ["advance_task", { taskId: "at-build", result: "passed", version: 99 }, "stale_version", { version: 0 }],
  ["advance_task", { taskId: "claimed", result: "passed" }, "task_claimed", { owner: "ana" }],
  ["advance_task", { taskId: "claimed", result: "passed", claim: "99" }, "claim_lost"],
  ["get_diagram", { workflowId: "nope" }, "workflow_not_found"],
  ["get_diagram", { taskId: "nobody" }, "task_not_found"],
  ["get_diagram", {}, "invalid_input", { path: "workflowId" }],
  ["create_task", {}, "invalid_input", { path: "task" }],
  ["create_task", { workflowType: "graph", task: at("x", "build") }, "invalid_input", { path: "task" }],
  ["create_task", { task: { id: "x" } }, "invalid_task"],
  ["create_task", { task: at("at-build", "build") }, "already_exists", { kind: "task", path: "at-build" }],
  ["create_task", { task: { id: "x", issueId: "I", workflowType: "nope" } }, "workflow_not_found"],
  ["start_task", { workflowId: "nope" }, "workflow_not_found"],
  ["start_task", { workflowId: "graph", taskId: "at-build" }, "already_exists", { kind: "task", path: "at-build" }],
  ["claim_task", { taskId: "nobody", owner: "bo" }, "task_not_found"],
  ["claim_task", { taskId: "claimed", owner: "bo" }, "task_claimed", { owner: "ana" }],
  ["claim_task", { taskId: "claimed", owner: "ana", token: "99" }, "claim_lost"],
  ["claim_task", { taskId: "closed", owner: "bo" }, "task_closed"],
  ["claim_task", { taskId: "paused", owner: "bo" }, "task_paused"],
  ["claim_task", { taskId: "in-hitl", owner: "bo" }, "task_in_hitl"],
  ["claim_task", { taskId: "forked", owner: "bo" }, "child_active"],
  ["claim_task", { taskId: "waiting", owner: "bo" }, "task_waiting"],
  ["claim_task", { taskId: "at-build", owner: "b".repeat(201) }, "invalid_input", { path: "owner" }],
  ["claim_next_tasks", { owner: "b".repeat(201) }, "invalid_input", { path: "owner" }],
  ["release_claim", { taskId: "nobody", token: "1" }, "task_not_found"],
  ["release_claim", { taskId: "at-build", token: "1" }, "claim_lost"],
  ["pause_task", { taskId: "nobody" }, "task_not_found"],
  ["pause_task", { taskId: "closed" }, "task_closed"],
  ["resume_task", { taskId: "nobody" }, "task_not_found"],
  ["resume_task", { taskId: "at-build" }, "not_paused"],
  ["cancel_task", { taskId: "nobody" }, "task_not_found"],
  ["cancel_task", { taskId: "closed" }, "task_closed"],
  ["wait_for_task", { taskId: "nobody" }, "task_not_found"],
  ["list_reviews", { taskId: "nobody" }, "task_not_found"],
  ["list_reviews", { page: "nope" }, "invalid_input", { path: "page" }],
  ["get_review", { reviewId: "nobody/x/1" }, "review_not_found"],
  ["decide_review", { reviewId: "nobody/x/1", choice: "close" }, "review_not_found"],
  ["decide_review", { reviewId: "REVIEW", choice: "fly" }, "invalid_decision", { path: "choice" }],
  [
    "decide_review",
    { reviewId: "REVIEW", choice: "close", by: "ana" },
    "agents_may_not_decide",
    { choices: expect.any(Array) },
  ],
  ["decide_review", { reviewId: "REVIEW" }, "invalid_decision", { choices: expect.any(Array) }],
  ["get_journal", { id: "nobody" }, "not_found", { kind: "run", path: "agent/nobody" }],
  ["get_journal", { id: "task/nobody" }, "task_not_found"],
  ["get_mission_log", { id: "task/nobody" }, "task_not_found"],
  ["get_mission_log", { id: "task/nobody/build/1" }, "not_found", { kind: "run" }],
  ["get_effects", { id: "nobody" }, "not_found", { kind: "run", path: "agent/nobody" }],
  ["get_effects", { id: "task/nobody" }, "task_not_found"],
  ["record_decision", { id: "nobody", journalId: "a", value: 1 }, "not_found", { kind: "run", path: "agent/nobody" }],
  ["record_decision", { id: "task/at-build", journalId: "a", value: 1 }, "wrong_kind"],
  ["record_decision", { id: "nobody", journalId: "a", value: 1, by: "ana" }, "agents_may_not_decide"],
  ["run_agent", { agent: "nobody" }, "agent_not_found", { agents: ["charge"] }],
  [
    "run_agent",
    { agent: "charge", context: { order_id: "abc" }, id: "never" },
    "validation_error",
    { issues: [expect.objectContaining({ path: "order_id" })] },
  ],
  ["get_run", { runId: "never" }, "not_found", { kind: "run", path: "agent/never" }],
  ["run_agent", { agent: "constructor" }, "agent_not_found"],
  ["get_run", { runId: "nobody" }, "not_found", { kind: "run", path: "agent/nobody" }],
  ["init", { workflowType: "graph" }, "invalid_input", { path: "taskId" }],
  ["init", { taskId: "x", taskFilePath: "x.json", workflowType: "graph" }, "invalid_input", { path: "taskId" }],
  ["init", { taskId: "x", workflowType: "nope" }, "workflow_not_found"],
  ["init", { taskId: "x", workflowType: "graph", stepId: "nope" }, "step_not_found"],
  ["init", { taskId: "x", workflowType: "graph", stepId: "done" }, "invalid_input", { path: "stepId" }],
  ["init", { taskFilePath: "nowhere.json", workflowType: "graph" }, "not_found", { kind: "file" }],
  ["init", { taskFilePath: __filename, workflowType: "graph" }, "invalid_input", { path: __filename }],
  ["start", { taskId: "nobody" }, "task_not_found"],
  ["current", { taskId: "nobody" }, "task_not_found"],
  ["current", { taskId: "unloaded" }, "workflow_not_found"],
  ["next", { taskId: "nobody" }, "task_not_found"],
  ["next", { taskId: "at-build" }, "result_required"],
  ["next", { taskId: "at-build", result: "passed", version: 99 }, "stale_version", { currentStep: "build" }],
  ["next", { taskId: "at-build", result: "unclear" }, "no_matching_edge", { availableEdges: expect.any(Array) }],
  ["load_workflows", {}, "not_found", { kind: "file" }],
  ["load_workflows", { path: path.join(__dirname, "nowhere") }, "not_found", { kind: "file" }],
];

test.each(CASES)("%s %j: %s", async (tool, args, code, more = {}) => {
  const given = "reviewId" in args && args.reviewId === "REVIEW" ? { ...args, reviewId: review } : args;
  const before = JSON.stringify(await mcp.data("get_pending_syncs"));
  const { error } = await mcp.refused(tool, given);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/\S/), ...more });
  // What a caller of tools cannot use: commands, options of commands, ids of workflows. What is for people is told with
  // the command that they use.
  if (code !== "agents_may_not_decide")
    expect(error.hint ?? "").not.toMatch(/\bnavigator \w|--\w|\b(?:task|agent|plan)\//);
  expect(JSON.stringify(await mcp.data("get_pending_syncs"))).toBe(before);
});

test.each([
  ["init", { taskFilePath: "x.json", workflowType: "graph" }],
  ["current", { taskFilePath: "x.json" }],
  ["load_workflows", { path: "/" }],
])("over HTTP %s %j: no file of the server", async (tool, args) => {
  expect((await web.refused(tool, args)).error.code).toBe("forbidden");
});

/** Those that need more than one call, or an agent: below, in mcp-long.test.ts, in mcp/newer-era.test.ts (`version_required`), and in task-tree.test.ts (`load_incomplete`). */
const ELSEWHERE = [
  "version_required",
  "invalid_id",
  "id_in_use",
  "load_incomplete",
  "forbidden",
  "already_decided",
  "agents_may_not_decide",
  "already_over",
  "already_exists",
  "payload_too_large",
  "validation_error",
];

test.each(TOOLS.map(({ name, errors = [] }) => [name, errors] as const))(
  "a test provokes every code that %s names",
  (tool, errors) => {
    const earned = CASES.filter(([name]) => name === tool).map(([, , code]) => code);
    expect(errors.filter((code) => !earned.includes(code) && !ELSEWHERE.includes(code))).toEqual([]);
    expect(earned.filter((code) => !(errors as readonly string[]).includes(code))).toEqual([]);
  },
);

test("after all that every task is at its step", async () => {
  const { counts, tasks } = await mcp.data("get_tasks_by_status");
  expect(counts).toEqual({ PENDING: 6, IN_PROGRESS: 3, PAUSED: 1, HITL: 1, COMPLETED: 1, FAILED: 0 });
  expect(tasks.IN_PROGRESS.map(({ id }: { id: string }) => id).sort()).toEqual(["claimed", "forked", "waiting"]);
});

test("a second decision on a decided review is refused by name, and the task has moved", async () => {
  const decided = await mcp.data("decide_review", { reviewId: review, choice: "passed", note: "go" });
  const by = "agent:test";
  expect(decided).toMatchObject({
    workflowId: "task/in-hitl",
    review: { status: "decided", decision: { by, kind: "agent", via: "mcp" } },
  });
  const { error } = await mcp.refused("decide_review", { reviewId: review, choice: "close" });
  expect(error).toMatchObject({ code: "already_decided", choice: "passed", by });
  expect((await mcp.data("get_task", { taskId: "in-hitl" })).task).toMatchObject({
    currentStep: "build",
    status: "PENDING",
  });
});

describe("where a review names people", () => {
  const named = { nodes: { ...GRAPH.nodes, build: { type: "gate", name: "Build?", review: { assignees: ["ana"] } } } };
  const task = { ...at("asked", "build"), workflowType: "named" };
  let reviewId: string;
  beforeAll(async () => {
    await mcp.call("load_workflow", { id: "named", definition: { ...named, edges: GRAPH.edges } });
    await mcp.call("create_task", { task });
    const open = await until(async () => (await mcp.data("list_reviews", { taskId: "asked" })).open[0], "it is asked");
    reviewId = open.review.id;
  });

  test.each<[tool: string, args: object]>([
    ["decide_review", { choice: "passed" }],
    ["decide_review", { choice: "passed", by: "ana" }],
    ["advance_task", { taskId: "asked", result: "passed" }],
    ["next", { taskId: "asked", result: "passed" }],
    ["load_task_tree", { tasks: [{ ...task, currentStep: "done", status: "COMPLETED" }] }],
  ])("%s %j is refused, although the agents of this server may decide", async (tool, args) => {
    const { error } = await mcp.refused(tool, tool === "decide_review" ? { ...args, reviewId } : args);
    expect(error).toMatchObject({ code: "agents_may_not_decide", message: expect.stringMatching(/ana\b/) });
    expect((await mcp.data("get_review", { reviewId })).review).toMatchObject({ status: "open" });
  });

  test("a new graph that names nobody does not reach the task", async () => {
    await mcp.call("load_workflow", { id: "named", definition: GRAPH });
    const { error } = await mcp.refused("load_task_tree", { tasks: [task] });
    expect(error.code).toBe("agents_may_not_decide");
    await mcp.call("load_workflow", { id: "named", definition: { ...named, edges: GRAPH.edges } });
    await mcp.call("load_task_tree", { tasks: [task] });
    expect((await mcp.data("list_reviews", { taskId: "asked" })).open).toMatchObject([
      { review: { assignees: ["ana"] } },
    ]);
  });
});

test("a review that was withdrawn cannot be decided", async () => {
  await mcp.call("create_task", { task: at("left", "hitl", { status: "HITL" }) });
  const open = await until(async () => (await mcp.data("list_reviews", { taskId: "left" })).open[0], "it is asked");
  await mcp.call("advance_task", { taskId: "left", result: "passed", version: 0 });
  const { error } = await mcp.refused("decide_review", { reviewId: open.review.id, choice: "close" });
  expect(error).toMatchObject({ code: "already_over", kind: "review", path: open.review.id });
});

test("the token of a claim advances the task, an older token does not", async () => {
  expect(await mcp.data("advance_task", { taskId: "claimed", result: "failed", claim: token })).toMatchObject({
    success: true,
    nextStep: "hitl",
  });
  const { error } = await mcp.refused("advance_task", { taskId: "claimed", result: "passed", claim: token });
  expect(error.code).toBe("claim_lost");
});
