// An MCP server of protocol 2026-07-28 alone, on the official SDK: `node newer-server.mjs` over stdio, `node newer-server.mjs http` on a port that
// it prints. Its tools do what that protocol brings: tasks, questions, arguments in headers, changes for those who listen.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const note = (text) => process.env.NOTES && appendFileSync(process.env.NOTES, `${text}\n`);
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const object = (properties = {}) => ({ type: "object", properties });
const reads = { readOnlyHint: true };

let tools = [
  { name: "key", inputSchema: object() },
  { name: "pid", inputSchema: object(), annotations: reads },
  { name: "region", inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }) },
  { name: "ask", inputSchema: object() },
  { name: "again", inputSchema: object() },
  { name: "grow", inputSchema: object() },
  { name: "work", inputSchema: object({ kind: { type: "string" } }) },
  { name: "read_work", inputSchema: object({ kind: { type: "string" } }), annotations: reads },
];

const QUESTION = { mode: "form", message: "Which one?", requestedSchema: object({ which: { type: "string" } }) };
const CALLS = {
  key: (_, { _meta }) => text(_meta?.["navigator/idempotency-key"]),
  pid: () => text(process.pid),
  region: ({ region }, { headers }) => text(`${region} ${headers?.get("mcp-param-region") ?? "without a header"}`),
  ask: () => ({
    resultType: "input_required",
    inputRequests: { which: { method: "elicitation/create", params: QUESTION } },
  }),
  again: (_, { state }) =>
    state === undefined ? { resultType: "input_required", requestState: "seen" } : text(`again with ${state}`),
  grow: () => {
    tools = [...tools.filter(({ name }) => name !== "pid"), { name: "grown", inputSchema: object() }];
    changed();
    return text("grown");
  },
  grown: () => text("I am new"),
  work: ({ kind }) => begin(kind),
  read_work: ({ kind }) => begin(kind),
};

/** Of each task how often somebody looked at it. */
const tasks = new Map();
const begin = (kind) => {
  const taskId = `${kind}-${tasks.size}`;
  tasks.set(taskId, 0);
  note(`began ${taskId}`);
  return { content: [], ...stateOf(taskId, "working"), resultType: "task" };
};
const stateOf = (taskId, status, more = {}) => ({
  ...{ taskId, status, ttlMs: null, pollIntervalMs: 100, ...more },
  ...{ createdAt: new Date(0).toISOString(), lastUpdatedAt: new Date(0).toISOString() },
});
const LOOKS = {
  good: (id) => stateOf(id, "completed", { result: { resultType: "complete", ...text("the work is done") } }),
  bad: (id) => stateOf(id, "failed", { error: { code: -32603, message: "no paper" } }),
  refused: (id) => stateOf(id, "completed", { result: { resultType: "complete", isError: true, ...text("no ink") } }),
  asking: (id) => stateOf(id, "input_required", { inputRequests: { which: { method: "elicitation/create" } } }),
  endless: (id) => stateOf(id, "working"),
  gone: (id) => {
    throw new ProtocolError(-32602, `Task ${id} not found`);
  },
  dead: () => process.exit(7),
};
const look = (taskId) => {
  const seen = tasks.get(taskId) + 1;
  tasks.set(taskId, seen);
  return seen < 3 ? stateOf(taskId, "working") : LOOKS[taskId.split("-")[0]](taskId);
};

class Newer extends McpServer {
  toolInputSchemaJson(name) {
    return tools.find((tool) => tool.name === name)?.inputSchema;
  }
}

let changed = () => {};
function make() {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const server = new Newer(
    { name: "newer", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, extensions } },
  );
  const on = (method, params, answer) => server.server.setRequestHandler(method, { params }, answer);
  server.server.setRequestHandler("tools/list", () => ({ tools }));
  const Call = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });
  on("tools/call", Call, ({ name, arguments: args }, ctx) =>
    CALLS[name](args, {
      _meta: ctx.mcpReq._meta,
      state: ctx.mcpReq.requestState(),
      headers: ctx.http?.req?.headers,
    }),
  );
  on("tasks/get", z.looseObject({ taskId: z.string() }), ({ taskId }) => look(taskId));
  on("tasks/cancel", z.looseObject({ taskId: z.string() }), ({ taskId }) => {
    note(`cancelled ${taskId}`);
    return {};
  });
  return server;
}

note(`started ${process.pid}`);
if (process.argv[2] === "http") {
  const handler = createMcpHandler(make, { legacy: "reject" });
  changed = () => handler.notify.toolsChanged();
  const server = createServer(toNodeHandler(handler));
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
} else {
  let last;
  changed = () => last.server.sendToolListChanged();
  serveStdio(
    () => {
      last = make();
      return last;
    },
    { legacy: "reject" },
  );
}
