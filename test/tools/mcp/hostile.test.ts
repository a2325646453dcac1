import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { limited } from "../../../src/tools/mcp/answer-limit";
import { Link } from "../../../src/tools/mcp/link";
import { mcpSource, open } from "./sources";

type Reply = (response: ServerResponse, id: number, times: number) => void;

const json = (response: ServerResponse, value: object) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
const result =
  (value: object): Reply =>
  (response, id) =>
    json(response, { jsonrpc: "2.0", id, result: value });
const TOOL = { name: "pay", inputSchema: { type: "object" } };

const GOOD: { [method: string]: Reply } = {
  initialize: result({
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "hostile", version: "1" },
  }),
  "notifications/initialized": (response) => response.writeHead(202).end(),
  "tools/list": result({ tools: [TOOL] }),
  get: (response) => response.writeHead(405).end(),
};

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

/** An MCP server that answers as it likes, and what it was asked. */
async function hostile(bad: { [method: string]: Reply }) {
  const asked: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", id = 0 } = body === "" ? { method: (request.method ?? "").toLowerCase() } : JSON.parse(body);
    asked.push(method);
    const reply = bad[method] ?? GOOD[method];
    if (reply === undefined) response.writeHead(404).end();
    else reply(response, id, asked.filter((one) => one === method).length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

const MEGABYTE = "x".repeat(1024 * 1024);
/** More than a message may have, as long as somebody reads it. */
function flood(response: ServerResponse, type: string, start: string): void {
  response.writeHead(200, { "content-type": type });
  response.write(start);
  let megabytes = 0;
  const more = () => {
    while (!response.destroyed && megabytes++ < 200) if (!response.write(MEGABYTE)) return response.once("drain", more);
    response.end();
  };
  more();
}

test.each([
  ["application/json", '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"'],
  ["text/event-stream", "event: message\ndata: "],
])("an answer without end as %s ends its call, and no other one", async (type, start) => {
  const { url } = await hostile({
    "tools/call": (response, id, times) =>
      times === 1
        ? flood(response, type, start)
        : result({ content: [{ type: "text", text: "paid" }] })(response, id, 1),
  });
  const source = mcpSource("shop", { url });
  const shop = await open(source);
  await expect(shop.call("shop_pay")).rejects.toMatchObject({
    details: { code: "unknown_outcome" },
    message: expect.stringContaining("its answer is larger than 16777216 bytes"),
  });
  expect(await shop.call("shop_pay")).toBe("paid");
  await source.close();
});

const streamOf = (chunks: string[]) =>
  new Response(ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk))) as ReadableStream, {
    headers: { "content-type": "text/event-stream" },
  });
test.each<[string, string[], boolean]>([
  ["events of 8 bytes each", ["data: 1\n\n", "data: 2\r", "\n\r\n", "data: 3\n\n"], true],
  ["one that comes in parts", ["data: 1", "2345", "67"], false],
  ["one of many lines", ["data: 1\n", "data: 2\n", "\n"], false],
])("a stream is measured by its events: %s", async (_, chunks, passes) => {
  const text = limited(streamOf(chunks), 12).text();
  await (passes ? expect(text).resolves.toBe(chunks.join("")) : expect(text).rejects.toThrow(/larger than 12 bytes/));
});

test("a server that never lets the connection begin is given up", async () => {
  const { url } = await hostile({ "notifications/initialized": () => {} });
  const link = new Link({ url, headers: {} }, { onClose() {}, onToolsChanged() {}, onError() {} }, 300);
  await expect(link.open()).rejects.toThrow("it is not ready after 300 ms");
});

const large: Reply = (response, id, times) =>
  result({ tools: [{ ...TOOL, description: MEGABYTE }], nextCursor: String(times) })(response, id, times);
test.each<[string, Reply, RegExp]>([
  ["that is too large in all", large, /larger than/],
  ["without end", result({ tools: [], nextCursor: "1" }), /the same page again/],
])("a list of tools %s is refused", async (_, reply, why) => {
  const { url } = await hostile({ "tools/list": reply });
  await expect(mcpSource("shop", { url }).open()).rejects.toMatchObject({
    code: "tool_source_failed",
    message: expect.stringMatching(why),
  });
});

const STREAM = { "content-type": "text/event-stream" };

test("a server that ends its streams at once, and wants the next one at once, gets some in a second", async () => {
  const opened: number[] = [];
  let enough = () => {};
  const came = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const { url } = await hostile({
    get: (response) => {
      opened.push(performance.now());
      if (opened.length === 8) enough();
      response.writeHead(200, STREAM).end("retry: 0\nid: 1\ndata:\n\n");
    },
  });
  const source = mcpSource("shop", { url });
  await open(source);
  await came;
  await source.close();
  // No load makes it less.
  expect((opened[7] as number) - (opened[0] as number)).toBeGreaterThan(600);
});

test("however often a server says that its tools have changed, its list is read now and then", async () => {
  const changed = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
  const { url, asked } = await hostile({
    get: (response) => response.writeHead(200, STREAM).write(changed.repeat(500)),
    "tools/call": result({ content: [] }),
  });
  const source = mcpSource("shop", { url });
  const shop = await open(source);
  const lists = () => asked.filter((method) => method === "tools/list").length;
  while (lists() < 3) await shop.call("shop_pay");
  for (let call = 0; call < 30; call++) await shop.call("shop_pay");
  await source.close();
  expect(lists()).toBeLessThan(12);
});

test("what a server says at length is cut in messages", async () => {
  const { url } = await hostile({ initialize: (response) => response.writeHead(500).end(MEGABYTE) });
  const error = await mcpSource("shop", { url })
    .open()
    .catch((caught: Error) => caught);
  expect((error as Error).message.length).toBeLessThan(2_200);
});

describe("of protocol 2026-07-28", () => {
  const newer = (value: object) => result({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...value });
  const NEWER: { [method: string]: Reply } = {
    "server/discover": newer({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "hostile", version: "1" },
    }),
    "tools/list": newer({ tools: [TOOL] }),
    "tools/call": newer({ content: [{ type: "text", text: "paid" }] }),
    "subscriptions/listen": (response) => response.writeHead(500).end(),
  };

  test.each([
    ["application/json", '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"'],
    ["text/event-stream", "event: message\ndata: "],
  ])("an answer without end as %s ends its call, and no other one", async (type, start) => {
    const { url } = await hostile({
      ...NEWER,
      "tools/call": (response, id, times) =>
        times === 1 ? flood(response, type, start) : NEWER["tools/call"]?.(response, id, times),
    });
    const source = mcpSource("shop", { url });
    const shop = await open(source);
    await expect(shop.call("shop_pay")).rejects.toMatchObject({
      details: { code: "unknown_outcome" },
      message: expect.stringContaining("its answer is larger than 16777216 bytes"),
    });
    expect(await shop.call("shop_pay")).toBe("paid");
    await source.close();
  });

  test.each([
    [
      "a question, though nobody can be asked",
      { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: {} } } },
      /^it asks for input, which missions do not give$/,
    ],
    ["a task without an id", { resultType: "task", status: "working" }, /^it returned something that is not a tool/],
    ["a result of a kind that nobody knows", { resultType: "song" }, /^Unsupported result type 'song'/],
    ["a result without a kind", { content: [] }, /^it returned something that is not a tool result$/],
  ])("%s is an error of the tool", async (_, answer, message) => {
    const { url, asked } = await hostile({ ...NEWER, "tools/call": result(answer) });
    const source = mcpSource("shop", { url });
    const shop = await open(source);
    await expect(shop.call("shop_pay")).rejects.toThrow(message);
    expect(asked.filter((method) => method === "tools/call")).toHaveLength(1);
    await source.close();
  });

  test("a request for another round, again and again, has an end", async () => {
    const again = result({ resultType: "input_required", requestState: "x" });
    const { url, asked } = await hostile({ ...NEWER, "tools/call": again });
    const source = mcpSource("shop", { url });
    const shop = await open(source);
    await expect(shop.call("shop_pay")).rejects.toThrow(/still required input after 10 rounds/);
    expect(asked.filter((method) => method === "tools/call")).toHaveLength(11);
    await source.close();
  });

  test("a server that ends its streams of changes at once is listened to again after a pause", async () => {
    const opened: number[] = [];
    let enough = () => {};
    const came = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const { url } = await hostile({
      ...NEWER,
      "subscriptions/listen": (response) => {
        opened.push(performance.now());
        if (opened.length === 2) enough();
        response.writeHead(200, STREAM).end();
      },
    });
    const source = mcpSource("shop", { url });
    await open(source);
    await came;
    await source.close();
    expect((opened[1] as number) - (opened[0] as number)).toBeGreaterThan(900);
  });
});
