import { request } from "node:http";
import { z } from "zod";
import { ERROR_CODES } from "../../src/core/base/error-codes";
import type { HttpServer } from "../../src/mcp/transports/http/server";
import { connectInMemory, type McpClient, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { serveAlone } from "../support/mcp/serve-alone";

/** The conventions of the MCP server (docs/reference/mcp.md), rule by rule; what needs a server is in test/live/mcp-*.test.ts. */
let mcp: McpClient;
beforeAll(async () => {
  mcp = await connectInMemory(WITHOUT_TEMPORAL);
});
afterAll(() => mcp.close());
const tools = async () => (await mcp.client.listTools()).tools;

describe("tools (mcp reference, section 2)", () => {
  test("names are snake case, and each is there once", async () => {
    const names = (await tools()).map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
  test("each has a title, a description and an input schema that takes no unknown argument", async () => {
    for (const { title, description, inputSchema } of await tools()) {
      expect([title, description].every(Boolean)).toBe(true);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });
  test("each has an output schema with data", async () => {
    for (const { outputSchema } of await tools()) expect(outputSchema).toMatchObject({ required: ["data"] });
  });
  test("every argument is described", async () => {
    const bare = (await tools()).flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties ?? {})
        .filter(([, field]) => !(field as { description?: string }).description)
        .map(([field]) => `${name}.${field}`),
    );
    expect(bare).toEqual([]);
  });
  test.each<
    [string, { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }]
  >([
    ["list_workflows", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["get_execution_plan", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    [
      "get_next_tasks_from_tree",
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    ["get_task", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["get_task_progress", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["get_tasks_by_status", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["get_pending_syncs", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["get_diagram", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["list_catalog", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ["confirm_sync", { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    [
      "confirm_sync_for_task",
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ])("2.2: %s has its four hints", async (name, hints) =>
    expect((await tools()).find((tool) => tool.name === name)?.annotations).toMatchObject(hints),
  );
  test("2.2: load_workflow replaces and says so", async () =>
    expect((await tools()).find(({ name }) => name === "load_workflow")?.annotations).toMatchObject({
      readOnlyHint: false,
    }));
});

describe("errors (mcp reference, section 2.1)", () => {
  test("an unknown argument is named", async () =>
    expect(await mcp.invalid("get_task", { taskId: "t", taskid: "u" })).toMatch(/-32602[\s\S]*taskid/));
  test("a missing argument is named", async () => expect(await mcp.invalid("get_task", {})).toContain("taskId"));
  test("a wrong type is named", async () => expect(await mcp.invalid("get_task", { taskId: 7 })).toContain("taskId"));
  test("an unknown tool is a JSON-RPC error", async () =>
    expect(mcp.client.callTool({ name: "no_such_tool" })).rejects.toMatchObject({ code: -32602 }));
  test("without a Temporal server the tools are listed, and a call says so with a code and a hint", async () => {
    const { error } = await mcp.refused("get_task", { taskId: "t" });
    expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String), hint: expect.any(String) });
    expect(Object.keys(ERROR_CODES)).toContain(error.code);
  });
  test("an unknown method is a JSON-RPC error", async () =>
    expect(mcp.client.request({ method: "tools/fly" } as never, z.any() as never)).rejects.toMatchObject({
      code: -32601,
    }));
});

describe("resources and prompts (mcp reference, section 3)", () => {
  test.each(["navigator://workflows/{id}", "navigator://tasks/{id}"])("%s is offered", async (template) => {
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(template);
  });
  test("an unknown address is a JSON-RPC error", async () =>
    expect(mcp.client.readResource({ uri: "navigator://nothing/at/all" })).rejects.toMatchObject({ code: -32602 }));
  test("there are prompts to work the queue and to resume a task", async () => {
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.length).toBeGreaterThanOrEqual(2);
    expect(prompts.map(({ name }) => name).join(" ")).toMatch(/queue[\s\S]*resume|resume[\s\S]*queue/);
  });
  test("an unknown prompt is a JSON-RPC error", async () =>
    expect(mcp.client.getPrompt({ name: "nothing" })).rejects.toMatchObject({ code: -32602 }));
  test("the instructions reach the client when it connects", () =>
    expect(mcp.client.getInstructions()?.length).toBeGreaterThan(50));
  test("the server says that its lists may change, and that it logs", () =>
    expect(mcp.client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, logging: {} }));
});

describe("Streamable HTTP (mcp reference, section 8)", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await serveAlone();
  });
  afterAll(() => server.close());
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  const USUAL = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  /** fetch sets Host itself. */
  const status = (headers: object, body: unknown = INITIALIZE): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(
        server.url,
        { method: "POST", agent: false, headers: { ...USUAL, ...headers } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      sent.on("error", reject);
      sent.end(JSON.stringify(body));
    });
  test.each<[string, object, unknown, number]>([
    ["a foreign Host is refused", { host: "evil.example" }, INITIALIZE, 403],
    ["a foreign Origin is refused", { origin: "http://evil.example" }, INITIALIZE, 403],
    ["no Origin is no browser", {}, INITIALIZE, 200],
    ["an Accept without event streams is refused", { accept: "application/json" }, INITIALIZE, 406],
    [
      "an unknown session is not found",
      { "mcp-session-id": "gone" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      404,
    ],
    ["a body that is too large is refused", {}, { ...INITIALIZE, params: { x: "x".repeat(5_000_000) } }, 413],
    ["another content type is refused", { "content-type": "text/plain" }, INITIALIZE, 415],
  ])("%s", async (_, headers, body, expected) => expect(await status(headers, body)).toBe(expected));
});

describe("errors of every kind (errors of the originals)", () => {
  test.each([
    "parse_error",
    "analysis_error",
    "eval_error",
    "loop_limit_exceeded",
    "symbol_limit_exceeded",
    "timeout",
    "memory_exceeded",
    "memory_limit_exceeded",
    "invalid_tool_args",
    "tool_not_found",
    "tool_error",
    "tool_call_limit_exceeded",
    "invalid_tool",
    "unsupported_in_parallel",
    "failed",
    "max_turns_exceeded",
    "budget_exhausted",
    "turn_budget_exhausted",
    "max_depth_exceeded",
    "mission_timeout",
    "budget_callback_exceeded",
    "validation_error",
    "return_validation_failed",
    "json_parse_error",
    "empty_response",
    "no_code_found",
    "chained_failure",
    "chain_error",
    "template_error",
    "llm_required",
    "invalid_llm_registry",
    "invalid_llm",
    "llm_registry_required",
    "llm_not_found",
    "llm_error",
    "reserved_tool_name",
    "invalid_plan_format",
    "invalid_plan",
    "verification_failed",
    "verification_error",
    "synthesis_error",
    "task_failed",
    "max_replans_exceeded",
    "repair_plan_invalid",
    "replan_generation_failed",
    "planning_failed",
    "initial_plan_invalid",
    "task_not_found",
    "workflow_not_found",
    "step_not_found",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "result_required",
    "reserved_result",
    "invalid_result",
    "step_changed",
    "child_active",
    "invalid_workflow",
    "invalid_id",
    "invalid_task",
    "duplicate_task_id",
  ])("%s is in the closed table, with a meaning", (code) =>
    expect((ERROR_CODES as unknown as { [code: string]: unknown })[code]).toBeDefined(),
  );
});
