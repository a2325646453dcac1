import { connectInMemory, type McpClient, type McpRig, openMcpRig } from "../../support/mcp/client";

/** An id that no workflow can have is refused at once, wherever a tool takes one: a server does not manage to answer that it has none. */

const LONG = "x".repeat(100_000);
const GRAPH = {
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, done: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done" },
  ],
};
const TASK = { id: "t", issueId: "I", workflowType: "graph" };

let rig: McpRig;
let mcp: McpClient;
beforeAll(async () => {
  rig = await openMcpRig();
  mcp = await connectInMemory(rig.parts);
  await mcp.call("load_workflow", { id: "graph", definition: GRAPH });
});
afterAll(async () => {
  await mcp.close();
  await rig.stop();
});

test.each<[tool: string, args: object, code?: string]>([
  ...["get_task", "get_task_progress", "get_diagram", "start", "current", "next", "advance_task"].map(
    (tool): [string, object] => [tool, { taskId: LONG }],
  ),
  ...["pause_task", "resume_task", "cancel_task", "wait_for_task", "list_reviews"].map((tool): [string, object] => [
    tool,
    { taskId: LONG },
  ]),
  ["confirm_sync_for_task", { taskId: LONG }],
  ["claim_task", { taskId: LONG, owner: "bo" }],
  ["release_claim", { taskId: LONG, token: "a" }],
  ["init", { taskId: LONG, workflowType: "graph" }],
  ["init", { taskId: "t-1", workflowType: LONG }],
  ["create_task", { workflowType: LONG, id: "t-1" }],
  ["create_task", { task: { ...TASK, id: LONG } }, "invalid_task"],
  ["create_task", { task: { ...TASK, workflowType: LONG } }],
  ["load_task_tree", { tasks: [{ ...TASK, id: LONG }], mode: "merge" }, "invalid_task"],
  ["start_task", { workflowId: "graph", taskId: LONG }, "invalid_task"],
  ["start_task", { workflowId: LONG }],
  ["load_workflow", { id: LONG, definition: GRAPH }],
  ["get_diagram", { workflowId: LONG }],
  ["get_execution_plan", { workflowId: LONG }],
  ["get_review", { reviewId: LONG }],
  ["get_review", { reviewId: "r/1/1", taskId: LONG }],
  ["decide_review", { reviewId: `${LONG}/step/1`, choice: "passed" }],
  ...["get_journal", "get_mission_log", "get_effects"].map((tool): [string, object] => [tool, { id: LONG }]),
  ["get_journal", { id: `task/${LONG}` }],
  ["get_run", { runId: LONG }],
])("%s", async (tool, args, code = "invalid_id") => {
  const { error } = await mcp.refused(tool, args);
  expect([error.code, error.message.length < 2_000]).toEqual([code, true]);
  expect(error.message).toMatch(/limit|at most/);
});

const HALF = "a\ud800";

test.each<[tool: string, args: object]>([
  ["get_execution_plan", { workflowId: HALF }],
  ["get_task", { taskId: HALF }],
  ["get_run", { runId: HALF }],
  ["get_journal", { id: HALF }],
  ["get_effects", { id: HALF }],
  ["confirm_sync_for_task", { taskId: HALF }],
  ["init", { taskId: HALF, workflowType: "graph" }],
  ["get_review", { reviewId: `${HALF}/step/1` }],
  ["get_review", { reviewId: `task/${HALF}/step/1` }],
])("%s refuses an id with half of a character, which cannot be sent", async (tool, args) => {
  const { error } = await mcp.refused(tool, args);
  expect([error.code, error.message]).toEqual(["invalid_id", expect.stringContaining("half of a character")]);
});
