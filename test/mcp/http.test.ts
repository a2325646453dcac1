import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { HttpServer } from "../../src/mcp/transports/http/server";
import { RecentEvents } from "../../src/mcp/transports/http/sessions";
import { refuse } from "../../src/node/http/guard";
import { gate } from "../support/gate";
import { connectClient, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { serveAlone } from "../support/mcp/serve-alone";

/** Streamable HTTP: who may speak, what is refused and how. No Temporal is needed for any of it. */

const TOKEN = "a-long-random-text";
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const USUAL = { "content-type": "application/json", accept: "application/json, text/event-stream" };

interface Reply {
  status: number;
  headers: { [name: string]: string | string[] | undefined };
  body: string;
}

/** By hand: fetch sets Host itself. */
function send(url: string, options: { method?: string; headers?: object; body?: unknown } = {}): Promise<Reply> {
  const { method = "POST", headers = {}, body } = options;
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    let answered = false;
    // A connection of its own: what one test leaves unread must not be in the way of the next.
    const sent = request(url, { method, agent: false, headers: { ...USUAL, ...headers } }, (answer) => {
      answered = true;
      let said = "";
      answer.on("data", (chunk) => {
        said += chunk;
        // A stream of events has no end of its own.
        if (method === "GET" && answer.statusCode === 200) sent.destroy();
      });
      const done = () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: said });
      answer.on("end", done);
      answer.on("close", done);
      if (method === "GET" && answer.statusCode === 200) setTimeout(() => sent.destroy(), 100);
    });
    sent.on("error", (error) => answered || reject(error));
    sent.end(text);
  });
}

const onTestEnd: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(onTestEnd.splice(0).map((end) => end()))));

let server: HttpServer;
beforeAll(async () => {
  server = await serveAlone({ origins: ["https://app.example"] });
});
afterAll(() => server.close());

const errorOf = ({ body }: Reply) => JSON.parse(body).error;

describe("access", () => {
  const host = () => new URL(server.url).host;
  test.each([
    ["a client that is no browser", {}, 200],
    ["localhost by name", { host: "localhost:9" }, 200],
    ["a name without a port", { host: "localhost" }, 200],
    ["the loopback of IPv6", { host: "[::1]:9" }, 200],
    ["a foreign name", { host: "evil.example" }, 403],
    ["a name that begins like an allowed one", { host: "127.0.0.1.evil.example" }, 403],
    ["a name with a user before it", { host: "localhost@evil.example" }, 403],
    ["a page of another site", { origin: "http://evil.example" }, 403],
    ["a page without a site", { origin: "null" }, 403],
    ["a page of another server on this machine", { origin: "http://localhost:1" }, 403],
    ["a page that was allowed", { origin: "https://app.example" }, 200],
  ])("%s gets %s%s", async (_, headers, status) => {
    const reply = await send(server.url, { headers, body: INITIALIZE });
    expect(reply.status).toBe(status);
    if (status === 403)
      expect(errorOf(reply)).toMatchObject({ code: -32000, message: expect.stringMatching(/allowed/) });
  });

  test("a page of the server itself is allowed", async () => {
    const reply = await send(server.url, { headers: { origin: `http://${host()}` }, body: INITIALIZE });
    expect(reply.status).toBe(200);
  });

  test("an allowed page gets CORS headers, any other does not", async () => {
    const asked = (origin: string) => send(server.url, { method: "OPTIONS", headers: { origin } });
    const { status, headers } = await asked("https://app.example");
    expect(status).toBe(204);
    expect(headers["access-control-allow-origin"]).toBe("https://app.example");
    expect(headers["access-control-expose-headers"]).toBe("Mcp-Session-Id");
    expect(headers["access-control-allow-headers"]).toContain("Last-Event-ID");
    expect((await asked("http://evil.example")).status).toBe(403);
  });
});

describe("a server with a token", () => {
  let guarded: HttpServer;
  beforeAll(async () => {
    guarded = await serveAlone({ token: TOKEN });
  });
  afterAll(() => guarded.close());

  test.each([
    [undefined, 401],
    ["Bearer", 401],
    [`Bearer ${TOKEN}x`, 401],
    [`Bearer ${TOKEN.slice(1)}`, 401],
    [`Basic ${TOKEN}`, 401],
    [`Bearer ${TOKEN}`, 200],
    [`bearer ${TOKEN}`, 200],
  ])("answers Authorization %j with %d", async (authorization, status) => {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await send(guarded.url, { headers, body: INITIALIZE });
    expect(reply.status).toBe(status);
    if (status === 401) expect(reply.headers["www-authenticate"]).toBe("Bearer");
  });

  test("serves a client that sends it", async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const transport = new StreamableHTTPClientTransport(new URL(guarded.url), { requestInit: { headers } });
    const mcp = await connectClient(transport as never);
    expect((await mcp.refused("list_workflows")).error.code).toBe("temporal_unavailable");
    await mcp.close();
  });
});

describe("an invalid request is refused as JSON", () => {
  test.each([
    ["accepts no event stream", { headers: { accept: "application/json" }, body: INITIALIZE }, 406, -32000],
    ["accepts no JSON", { headers: { accept: "text/event-stream" }, body: INITIALIZE }, 406, -32000],
    ["sends something else", { headers: { "content-type": "text/plain" }, body: INITIALIZE }, 415, -32000],
    ["sends broken JSON", { body: "{" }, 400, -32700],
    ["sends no message", { body: { hello: 1 } }, 400, -32600],
    ["sends too much", { body: { ...INITIALIZE, pad: "x".repeat(4 * 1024 * 1024) } }, 413, -32000],
    ["has no session", { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }, 400, -32000],
    ["listens without a session", { method: "GET" }, 400, -32000],
    ["names a session that is not there", { headers: { "mcp-session-id": "x" }, body: INITIALIZE }, 404, -32001],
    ["ends a session that is not there", { method: "DELETE", headers: { "mcp-session-id": "x" } }, 404, -32001],
  ])("a client that %s", async (_, sent, status, code) => {
    const reply = await send(server.url, sent);
    expect({ status: reply.status, type: reply.headers["content-type"] }).toEqual({ status, type: "application/json" });
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: "2.0", error: { code }, id: null });
  });

  test("another path, and an unknown version of the protocol", async () => {
    expect((await send(server.url.replace("/mcp", "/"), { body: INITIALIZE })).status).toBe(404);
    const begun = await send(server.url, { body: INITIALIZE });
    const headers = { "mcp-session-id": `${begun.headers["mcp-session-id"]}`, "mcp-protocol-version": "1999-01-01" };
    expect((await send(server.url, { headers, body: { jsonrpc: "2.0", id: 2, method: "ping" } })).status).toBe(400);
  });

  test("a body that is declared too large is refused before it is read", async () => {
    const length = String(5 * 1024 * 1024);
    const reply = await send(server.url, { headers: { "content-length": length }, body: "{}" }).catch(() => null);
    expect(reply?.status).toBe(413);
  });
});

describe("sessions", () => {
  const begin = async () => {
    const { headers, status } = await send(server.url, { body: INITIALIZE });
    expect(status).toBe(200);
    return { "mcp-session-id": `${headers["mcp-session-id"]}`, "mcp-protocol-version": "2025-11-25" };
  };
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };

  test("each client has its own session; an ended one does not exist any more", async () => {
    const [one, other] = [await begin(), await begin()];
    expect(one["mcp-session-id"]).not.toBe(other["mcp-session-id"]);
    expect((await send(server.url, { method: "DELETE", headers: one })).status).toBe(200);
    expect((await send(server.url, { headers: one, body: ping })).status).toBe(404);
    expect((await send(server.url, { headers: other, body: ping })).status).toBe(200);
  });

  test("a broken stream resumes after the last event that arrived", async () => {
    const session = await begin();
    const reply = await send(server.url, { headers: session, body: ping });
    const [first] = [...reply.body.matchAll(/^id: (.+)$/gm)].map((match) => match[1]);
    const again = await send(server.url, { method: "GET", headers: { ...session, "last-event-id": `${first}` } });
    expect(again.status).toBe(200);
    expect(again.body).toContain('"result":{}');
  });

  test("a definition or a file that nests too deep is refused for its depth, and the server goes on", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "navigator-deep-"));
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    writeFileSync(path.join(folder, "deep.json"), `{"nodes": ${deep(2_000)}}`);
    writeFileSync(path.join(folder, "deeper.json"), `{"nodes": ${deep(200_000)}}`);
    writeFileSync(path.join(folder, "lists.yaml"), `nodes: ${"- ".repeat(200_000)}x`);
    const project = { ...WITHOUT_TEMPORAL.project, definitions: folder };
    // Files are read without Temporal.
    const temporal = { withDeadline: (_: number, work: () => unknown) => work() };
    const backend = async () => ({ client: { temporal }, taskService: { syncReminder: async () => null } }) as never;
    const local = await serveAlone({}, { ...WITHOUT_TEMPORAL, project, backend });
    onTestEnd.push(() => local.close());
    const { headers } = await send(local.url, { body: INITIALIZE });
    const session = { "mcp-session-id": `${headers["mcp-session-id"]}`, "mcp-protocol-version": "2025-11-25" };
    const call = async (name: string, args: string) => {
      const params = `{"name": "${name}", "arguments": ${args}}`;
      const body = `{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ${params}}`;
      const reply = await send(local.url, { headers: session, body });
      return JSON.parse(/^data: (\{.*)$/m.exec(reply.body)?.[1] ?? reply.body);
    };
    for (const levels of [2_000, 200_000])
      expect(await call("load_workflow", `{"id": "deep", "definition": {"nodes": ${deep(levels)}}}`)).toMatchObject({
        id: 7,
        error: { code: -32602, message: expect.stringContaining("nested more than 200 levels deep, at params.arg") },
      });
    const { result } = await call("load_workflows", "{}");
    const tooDeep = expect.stringContaining("nested more than 200 levels deep");
    expect(result.structuredContent.data).toMatchObject({
      loaded: [],
      errors: [
        { id: "deep", code: "invalid_input", message: tooDeep },
        { id: "deeper", code: "invalid_input", message: tooDeep },
        // The place is a line and a column: the lexer refused it, and the parser did not run.
        {
          id: "lists",
          code: "invalid_input",
          message: expect.stringMatching(/lists\.yaml:1:\d+: it is nested more than/),
        },
      ],
    });
    expect((await send(local.url, { headers: session, body: ping })).status).toBe(200);
    rmSync(folder, { recursive: true });
  });

  test("a server that ends answers open calls, then ends its streams", async () => {
    const underWay = gate();
    const answer = gate();
    const backend = async () => {
      underWay.open();
      await answer.opened;
      return WITHOUT_TEMPORAL.backend();
    };
    const ending = await serveAlone({}, { ...WITHOUT_TEMPORAL, backend });
    const mcp = await connectClient(new StreamableHTTPClientTransport(new URL(ending.url)) as never);
    const call = mcp.refused("list_workflows");
    await underWay.opened;
    const closed = ending.close();
    answer.open();
    expect((await call).error.code).toBe("temporal_unavailable");
    await closed;
    await expect(fetch(ending.url)).rejects.toThrow();
    await mcp.close();
  });
});

test("a host is compared by name, ignoring case and port, and no spelling passes the check", () => {
  const settings = { hosts: ["app.example", "[::1]"], origins: [] };
  const allowed = (host: string | undefined) => refuse({ host }, settings) === null;
  expect(["App.Example", "app.example:80", "[::1]:1", "[::1]"].map(allowed)).toEqual([true, true, true, true]);
  for (const host of [undefined, "", "app.example.", "x.app.example", "app.example:x", "[::2]", "app.example/x"])
    expect(allowed(host)).toBe(false);
});

test("only the last messages are kept, and an event of another stream is not sent", async () => {
  const store = new RecentEvents();
  const message = (id: number) => ({ jsonrpc: "2.0" as const, id, result: {} });
  const first = await store.storeEvent("a", message(1));
  await store.storeEvent("b", message(2));
  await store.storeEvent("a", message(3));
  const sent: unknown[] = [];
  expect(await store.replayEventsAfter(first, { send: async (_, one) => void sent.push(one) })).toBe("a");
  expect(sent).toEqual([message(3)]);
  for (let i = 0; i < 200; i++) await store.storeEvent("b", message(i));
  expect(await store.getStreamIdForEventId(first)).toBeUndefined();
});
