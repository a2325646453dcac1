import { ErrorCode, LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import type { Backend } from "../../src/mcp/server";
import { connectInMemory, type McpClient, WITHOUT_TEMPORAL } from "../support/mcp/client";

/** What a client sees of the server before anything is there to work on. */

const SEED = [
  "list_workflows",
  "load_workflow",
  "get_execution_plan",
  "load_task_tree",
  "get_next_tasks_from_tree",
  "advance_task",
  "get_task",
  "get_task_progress",
  "get_tasks_by_status",
  "get_pending_syncs",
  "confirm_sync",
  "confirm_sync_for_task",
];
const READING = /^(list_|get_|current$|wait_for_task$)/;

let mcp: McpClient;
beforeAll(async () => {
  mcp = await connectInMemory(WITHOUT_TEMPORAL);
});
afterAll(() => mcp.close());

test("the twelve tools of graph reference, section 8, come first in the list, under their names", async () => {
  const { tools } = await mcp.client.listTools();
  expect(tools.slice(0, 12).map(({ name }) => name)).toEqual(SEED);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
});

test("every tool has a title, a description, both schemas and all four hints", async () => {
  for (const tool of (await mcp.client.listTools()).tools) {
    expect(tool).toMatchObject({
      name: expect.stringMatching(/^[a-z_]+$/),
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/\.$|\)$/),
      inputSchema: { type: "object", additionalProperties: false },
      outputSchema: { type: "object", required: ["data"] },
      annotations: {
        readOnlyHint: READING.test(tool.name),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      },
    });
    const fields = Object.entries(tool.inputSchema.properties ?? {});
    expect(fields.filter(([, field]) => !(field as { description?: string }).description)).toEqual([]);
    const reminded = Object.hasOwn(tool.outputSchema?.properties ?? {}, "_sync_reminder");
    expect({ tool: tool.name, reminded }).toEqual({ tool: tool.name, reminded: tool.name !== "get_pending_syncs" });
  }
});

test.each([
  ["get_task", { taskId: "t", taskid: "u" }, "taskid"],
  ["get_task", {}, "taskId"],
  ["get_task", { taskId: 7 }, "taskId"],
  ["advance_task", { taskId: "t", outcome: "passed" }, "outcome"],
  ["advance_task", { taskId: "t", result: true }, "result"],
  ["get_next_tasks_from_tree", { limit: 0 }, "limit"],
  ["claim_task", { taskId: "t", owner: "bo", leaseSeconds: 0.5 }, "leaseSeconds"],
  ["claim_next_tasks", { owner: "bo", leaseSeconds: 0.5 }, "leaseSeconds"],
  ["get_next_tasks_from_tree", { limit: 101 }, "limit"],
  ["load_task_tree", {}, "tasks"],
  ["load_task_tree", { tasks: [], mode: "append" }, "mode"],
  ["load_workflow", { id: "a" }, "definition"],
  ["load_workflow", { id: "a", definition: "text" }, "definition"],
  ["confirm_sync", { syncIds: [] }, "syncIds"],
  ["confirm_sync", { syncIds: "sync-1" }, "syncIds"],
  ["get_tasks_by_status", { status: "DONE" }, "status"],
  ["get_pending_syncs", { limit: 1 }, "limit"],
  ["list_catalog", { all: true }, "all"],
  ["copy_workflows", { workflowIds: [] }, "workflowIds"],
  ["claim_task", { taskId: "t" }, "owner"],
])("%s with %j is refused with the name of the mistake", async (name, args, field) => {
  const text = await mcp.invalid(name, args);
  expect(text).toContain("-32602");
  expect(text).toContain(field);
});

test("an unknown tool, and arguments with too many elements, are refused", async () => {
  await expect(mcp.client.callTool({ name: "fly" })).rejects.toMatchObject({
    code: ErrorCode.InvalidParams,
    message: expect.stringContaining("Tool fly not found"),
  });
  expect(await mcp.invalid("load_task_tree", { tasks: Array(50_001).fill(1) })).toContain("50000");
});

test("without Temporal a call returns its code, and the tools, prompts and fixed resources are listed", async () => {
  for (const [name, args] of [
    ["list_workflows", {}],
    ["get_pending_syncs", {}],
    ["advance_task", { taskId: "t" }],
    ["run_agent", { agent: "a" }],
  ] as const)
    expect(await mcp.refused(name, args)).toEqual({
      error: {
        code: "temporal_unavailable",
        message: "No Temporal server runs at 127.0.0.1:1.",
        hint: "Start one.",
        cause: "temporal_unavailable",
      },
    });
  const { prompts } = await mcp.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["work-the-queue", "resume"]);
  const { resources } = await mcp.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(["navigator://workflows", "navigator://syncs"]);
  await expect(mcp.client.readResource({ uri: "navigator://workflows" })).rejects.toMatchObject({
    code: ErrorCode.InternalError,
    data: { code: "temporal_unavailable" },
  });
});

test("unknown resources, prompts and arguments are errors of the protocol", async () => {
  await expect(mcp.client.readResource({ uri: "navigator://nothing" })).rejects.toMatchObject({ code: -32602 });
  await expect(mcp.client.getPrompt({ name: "rest" })).rejects.toMatchObject({ code: -32602 });
  await expect(mcp.client.getPrompt({ name: "resume" })).rejects.toMatchObject({ code: -32602 });
  await expect(mcp.client.readResource({ uri: "navigator://tasks/%zz" })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('"%zz" is no id'),
  });
  for (const name of ["__proto__", "constructor"])
    await expect(mcp.client.getPrompt({ name })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("not found"),
    });
});

test("the prompts contain their arguments", async () => {
  const text = async (name: string, args: { [name: string]: string }) => {
    const { messages } = await mcp.client.getPrompt({ name, arguments: args });
    return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
  };
  expect(await text("resume", { taskId: "task-7" })).toContain('list_reviews with taskId "task-7"');
  expect(await text("work-the-queue", {})).toContain("get_next_tasks_from_tree");
  expect(await text("work-the-queue", { owner: "ana", limit: "3" })).toMatch(/claim_next_tasks.*"ana"[\s\S]*3 steps/);
});

test("the server sends its instructions at once, and speaks the newest protocol", () => {
  expect(mcp.client.getInstructions()).toContain("_sync_reminder");
  expect(mcp.client.getServerVersion()).toMatchObject({ name: "navigator" });
  expect(LATEST_PROTOCOL_VERSION).toBe("2025-11-25");
});

test("a tool that throws tells the caller only that; its message goes to the log", async () => {
  const error = jest.fn();
  const broken = {
    taskService: { listWorkflows: () => Promise.reject(new Error("password=hunter2")), syncReminder: () => none },
    client: { temporal: { withDeadline: (_: number, work: () => unknown) => work() } },
  } as unknown as Backend;
  const parts = { ...WITHOUT_TEMPORAL, backend: async () => broken, log: { ...WITHOUT_TEMPORAL.log, error } };
  const other = await connectInMemory(parts);
  const answer = await other.refused("list_workflows");
  expect(answer.error.code).toBe("internal_error");
  expect(JSON.stringify(answer)).not.toContain("hunter2");
  expect(error).toHaveBeenCalledWith("mcp_tool_failed", { error: expect.stringContaining("hunter2") });
  await other.close();
});
const none = Promise.resolve({ total: 0, pending: [] });
