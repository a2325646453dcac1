import { spawn } from "node:child_process";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HttpServer } from "../../src/mcp/transports/http/server";
import { Link } from "../../src/tools/mcp/link";
import { temporaryFolder } from "../support/environment";
import { connectClient } from "../support/mcp/client";
import { ended, FROM_SOURCES, linesOf, say } from "../support/mcp/process";
import { serveAlone } from "../support/mcp/serve-alone";

/** One set of tools in both eras of the protocol, with the official client of each. No Temporal is needed for any of it. */

const folder = temporaryFolder("eras");
afterAll(() => folder.remove());
const AWAY = {
  PATH: process.env.PATH ?? "",
  HOME: folder.path,
  TEMPORAL_ADDRESS: "127.0.0.1:1",
  NAVIGATOR_HOME: folder.path,
  NAVIGATOR_IDENTITY: path.join(folder.path, "identity"),
};

let server: HttpServer;
beforeAll(async () => {
  server = await serveAlone();
});
afterAll(() => server.close());

const newest = (transport: ConstructorParameters<typeof StdioClientTransport>[0] | URL) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  return client
    .connect(
      transport instanceof URL ? new StreamableHTTPClientTransport(transport) : new StdioClientTransport(transport),
    )
    .then(() => client);
};
const stdio = { command: process.execPath, args: FROM_SOURCES, env: AWAY, cwd: folder.path };

test.each([
  ["over HTTP", () => new URL(server.url)],
  ["over stdio", () => stdio],
])("a client of 2026-07-28 %s finds the same tools, prompts and resources as one of 2025-11-25", async (_, where) => {
  const { StreamableHTTPClientTransport: Older } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const older = await connectClient(new Older(new URL(server.url)) as never);
  const client = await newest(where());
  expect(client.getProtocolEra()).toBe("modern");
  const named = (tools: { name: string }[]) => tools.map(({ name }) => name);
  // Schemas and descriptions, too. In the older era a client asks for a task; only a whole project has views.
  const [now, before] = [await client.listTools(), await older.client.listTools()];
  expect(now.tools.map(({ _meta, ...tool }) => tool)).toEqual(
    before.tools.map(({ execution, _meta, ...tool }) => tool),
  );
  expect(named((await client.listPrompts()).prompts)).toEqual(named((await older.client.listPrompts()).prompts));
  const templates = (await client.listResourceTemplates()).resourceTemplates;
  expect(templates).toEqual((await older.client.listResourceTemplates()).resourceTemplates);
  const { content, isError } = await client.callTool({ name: "list_workflows", arguments: {} });
  expect(isError).toBe(true);
  expect(JSON.parse((content as { text: string }[])[0]?.text ?? "")).toMatchObject({
    error: { code: "temporal_unavailable" },
  });
  await client.close();
  await older.close();
});

test.each([
  ["over HTTP", () => ({ url: server.url, headers: {} })],
  ["over stdio", () => stdio],
])("missions of another project can use it as a tool server, in the newer era, %s", async (_, where) => {
  const link = new Link(where(), { onClose() {}, onToolsChanged() {}, onError() {} });
  await link.open();
  expect(link.protocol).toBe("2026-07-28");
  expect((await link.tools()).map(({ name }) => name)).toContain("create_task");
  const options = { signal: new AbortController().signal, timeout_ms: 60_000, idempotencyKey: "k", onProgress() {} };
  expect(await link.call("list_workflows", {}, options)).toMatchObject({ isError: true });
  await link.close();
});

test("server/discover names both the version and the tasks of the newer era, and no session begins", async () => {
  const client = await newest(new URL(server.url));
  expect(client.getServerCapabilities()).toMatchObject({ extensions: { "io.modelcontextprotocol/tasks": {} } });
  expect(client.getServerCapabilities()?.tasks).toBeUndefined();
  expect(client.getInstructions()).toContain("_sync_reminder");
  await client.close();
});

/** A request of the newer era by hand. */
async function send(method: string, params: object, headers: object = {}, capabilities: object = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const answer = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } }),
  });
  return { status: answer.status, ...((await answer.json()) as { result?: object; error?: object }) };
}

test.each<[string, Parameters<typeof send>, number, object]>([
  ["an unknown method", ["no/such", {}], 404, { code: -32601 }],
  ["a method of the older era", ["tasks/list", {}], 404, { code: -32601 }],
  ["an unknown tool", ["tools/call", { name: "fly" }, { "mcp-name": "fly" }], 200, { code: -32602 }],
  [
    "tasks of a client that does not know them",
    ["tasks/get", { taskId: "agent/x" }, { "mcp-name": "agent/x" }],
    400,
    { code: -32021, data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } } },
  ],
  ["another task in the header", ["tasks/get", { taskId: "a" }, { "mcp-name": "b" }], 400, { code: -32020 }],
  ["no task in the header", ["tasks/cancel", { taskId: "a" }], 400, { code: -32020 }],
  [
    "a state that the server did not make",
    ["tools/call", { name: "select_workflow", requestState: "made-up" }, { "mcp-name": "select_workflow" }],
    200,
    { code: -32602, data: { code: "invalid_input", reason: "tampered" } },
  ],
])("%s is refused", async (_, request, status, error) => {
  expect(await send(...request)).toMatchObject({ status, error });
});

test("over stdio the first message chooses the era, and stdout has only the protocol", async () => {
  const child = spawn(process.execPath, FROM_SOURCES, { env: AWAY, cwd: folder.path });
  const { answer, broken } = linesOf(child);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  say(child, { id: 1, method: "server/discover", params: { _meta } });
  expect((await answer(1)).result).toMatchObject({ resultType: "complete", supportedVersions: ["2026-07-28"] });
  say(child, { id: 2, method: "tools/call", params: { name: "list_workflows", arguments: {}, _meta } });
  const end = ended(child);
  child.stdin.end();
  expect((await answer(2)).result).toMatchObject({ isError: true, resultType: "complete" });
  expect(await end).toBe(0);
  expect(broken).toEqual([]);
});
