import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { freePortPair } from "../../../prove/rig/free-port-pair";
import type { Step } from "../../../src/core/agent/result/step";
import type { Json } from "../../../src/core/base/json";
import type { Script } from "../../../src/models";
import type { Tool, ToolSource } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import { temporaryFolder } from "../../support/environment";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { startEverything } from "../../tools/mcp/http-server";
import { mcpSource, node, SERVERS, variable } from "../../tools/mcp/sources";
import { json, openApi, plain, Service, SHOP } from "../../tools/openapi/service";

const specOf = (tools: readonly Tool[], name: string) => (tools.find(({ spec }) => spec.name === name) as Tool).spec;

/** Missions whose tools are those of MCP servers and of an HTTP service, on a real Temporal server. */

const folder = temporaryFolder("sources");
const rigs: Rig[] = [];
const sources: ToolSource[] = [];
afterAll(async () => {
  for (const rig of rigs) await rig.stop();
  for (const source of sources) await source.close();
  folder.remove();
});

async function toolsOf(source: ToolSource): Promise<Tool[]> {
  sources.push(source);
  return (await source.open()).tools;
}

interface Mission {
  id: string;
  step: Step;
  history: Json;
}

/** Runs the programs, one for each turn, by an agent that knows its tools by name only. */
async function mission(tools: Tool[], programs: string[], more: object = {}): Promise<Mission> {
  const id = randomUUID();
  const rig = await openRig({ tools, script: programs.map(fenced) as Script });
  rigs.push(rig);
  const names = tools.map(({ spec }) => spec.name);
  const run = await rig.client.startAgent({
    id,
    agent: agent({ tools: names, ...more }),
    context: {},
    model: "scripted",
  });
  const step = await run.result();
  const history = await rig.client.history(run.workflow.workflowId);
  await rig.stopWorker();
  return { id, step, history };
}

/** All texts of a history, payloads included. */
function textsOf(history: Json): string {
  const text = JSON.stringify(history);
  const payloads = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map((match) => atob(match[1] as string));
  return `${text}\n${payloads.join("\n")}`;
}

const eventsOf = (history: Json, type: RegExp) =>
  (history as { events: { eventType: string }[] }).events.filter((event) => type.test(event.eventType)).length;

describe("the tools of an MCP server", () => {
  test("a mission writes and reads files", async () => {
    const tools = await toolsOf(mcpSource("files", node(SERVERS.filesystem, folder.path)));
    const file = path.join(folder.path, "report.txt");
    const { step } = await mission(tools, [
      `(def path ${JSON.stringify(file)})
       (task "write" (tool/files_write_file {:path path :content "12 orders"}))
       (return (:content (tool/files_read_text_file {:path path})))`,
    ]);
    expect(step).toMatchObject({
      fail: null,
      return: "12 orders",
      journal: { write: { content: expect.any(String) } },
    });
    expect(readFileSync(file, "utf8")).toBe("12 orders");
  });

  test("a refusal of the server is an error that the next turn reads", async () => {
    const tools = await toolsOf(mcpSource("files", node(SERVERS.filesystem, folder.path)));
    const { step } = await mission(
      tools,
      ['(return (tool/files_read_text_file {:path "/etc/hostname"}))', "(return (:message *1))", "(return :gave-up)"],
      { max_turns: 3 },
    );
    expect(JSON.stringify(step.turns)).toMatch(/access denied/i);
  });

  test("a server dies while it writes: the program learns that the outcome is unknown, and continues with a new server", async () => {
    const tools = await toolsOf(mcpSource("own", { ...node(SERVERS.fixture), tools: ["crash", "key", "pid"] }));
    const { id, step } = await mission(tools, [
      "(tool/own_crash {})",
      '(return {:key (task "key" (tool/own_key {}))})',
    ]);
    expect(step.return).toEqual({ key: keyOf(`agent/${id}`, specOf(tools, "own_key"), {}) });
    expect(JSON.stringify(step.turns)).toContain("the outcome is unknown");
  });

  test("a server that dies while it reads is called again, and nobody notices", async () => {
    const tools = await toolsOf(mcpSource("own", { ...node(SERVERS.fixture), tools: ["crash.read"] }));
    const once = path.join(folder.path, "once");
    const { step } = await mission(tools, [`(return (tool/own_crash_read {:once ${JSON.stringify(once)}}))`]);
    expect(existsSync(once)).toBe(true);
    expect(step).toMatchObject({ fail: null, return: "read" });
    expect(step.turns).toHaveLength(1);
  });

  test("over Streamable HTTP, in parallel", async () => {
    const server = await startEverything(await freePortPair());
    const tools = await toolsOf(mcpSource("shop", { url: server.url, tools: ["get-structured-content", "get-sum"] }));
    const { step } = await mission(tools, [
      `(return {:t (pmap #(:temperature (tool/shop_get-structured-content {:location %})) ["New York" "Chicago"])
                :sum (tool/shop_get-sum :a 2 :b 3)})`,
    ]);
    expect(step.return).toEqual({ t: [33, 36], sum: expect.stringContaining("is 5") });
    await sources.pop()?.close();
    await server.kill();
  });

  test("its secrets are nowhere in the history, even if it repeats them", async () => {
    const env = { ...process.env, SHOP_TOKEN: "tok-12345678" };
    const settings = { ...node(SERVERS.everything, "stdio"), env: { API_TOKEN: variable("SHOP_TOKEN") } };
    const tools = await toolsOf(mcpSource("all", { ...settings, tools: ["get-env"] }, env));
    const { step, history } = await mission(tools, ['(return (task "env" (tool/all_get-env {})))']);
    expect(step.return).toContain('"API_TOKEN": "[secret SHOP_TOKEN]"');
    expect(textsOf(history)).toContain("API_TOKEN");
    expect(textsOf(history)).not.toContain("tok-12345678");
  });
});

describe("the operations of an HTTP service", () => {
  const service = new Service();
  let tools: Tool[];
  beforeAll(async () => {
    await service.start();
    const settings = { openapi: SHOP, baseUrl: service.url, auth: { token: variable("SHOP_TOKEN") } };
    tools = await toolsOf(openApi(settings, { SHOP_TOKEN: "tok-12345678" }));
  });
  afterAll(() => service.close());

  test("a write with a delay runs later, with the same key; a read is one event", async () => {
    service.reset(
      plain(503, { "retry-after": "1" }),
      json({ id: 7, sku: "a" }),
      json([{ id: 7, token: "tok-12345678" }]),
    );
    const { id, step, history } = await mission(tools, [
      `(def made (task "create_order" (tool/shop_createOrder {:sku "a"})))
       (return {:made made :list (tool/shop_listOrders {:status ["open"]})})`,
    ]);
    expect(step).toMatchObject({
      fail: null,
      return: { made: { id: 7, sku: "a" }, list: [{ id: 7, token: "[secret SHOP_TOKEN]" }] },
    });
    // The first attempt was in a stretch, so the run waits before the second.
    expect(JSON.stringify(history)).toContain('"startToFireTimeout":"1s"');
    const key = keyOf(`agent/${id}`, specOf(tools, "shop_createOrder"), { sku: "a" });
    expect(service.seen.map(({ method, headers }) => [method, headers["idempotency-key"]])).toEqual([
      ["POST", key],
      ["POST", key],
      ["GET", undefined],
    ]);
    expect(eventsOf(history, /MARKER_RECORDED/)).toBeGreaterThan(0);
    expect(service.last.headers.authorization).toBe("Bearer tok-12345678");
    expect(textsOf(history)).not.toContain("tok-12345678");
  });

  test("a read with a delay runs later, within one turn", async () => {
    service.reset(plain(429, { "retry-after": "1" }), json([]));
    const { step } = await mission(tools, ["(return (tool/shop_listOrders {}))"]);
    expect(step).toMatchObject({ fail: null, return: [] });
    expect(service.seen).toHaveLength(2);
  });

  test("a refusal is an error with status and body that the next turn reads", async () => {
    service.reset(json({ error: "no such order" }, 404), json("found"));
    const { step } = await mission(tools, ["(return (tool/shop_get_orders_id {:id 1}))", "(return :none)"]);
    expect(step.return).toBe("none");
    expect(JSON.stringify(step.turns)).toContain("404 Not Found");
  });

  test("an agent in text mode calls them natively; of HTTP 500 it reads what the service said", async () => {
    service.reset(json([{ id: 7, sku: "a" }]), json({ error: "disk full" }, 500));
    const id = randomUUID();
    const list = tools.filter(({ spec }) => ["shop_listOrders", "shop_createOrder"].includes(spec.name));
    const script = [
      { content: "", tool_calls: [{ id: "1", name: "shop_listOrders", args: { ids: [7], X_Request_ID: "r" } }] },
      { tool_calls: [{ id: "2", name: "shop_createOrder", args: { sku: "b" } }] },
      { if_contains: "disk full", content: "There is one order; no other could be made." },
    ];
    const rig = await openRig({ tools: list, script: script as Script });
    rigs.push(rig);
    const run = await rig.client.startAgent({
      id,
      agent: agent({ output: "text", tools: list.map(({ spec }) => spec) }),
      context: {},
      model: "scripted",
    });
    const step = await run.result();
    expect(step.return).toBe("There is one order; no other could be made.");
    expect(step.tool_calls[1]?.error).toContain("500");
    expect(Object.keys(step.journal ?? {})).toEqual([]);
    expect(service.seen[0]).toMatchObject({ url: "/orders?ids=7", headers: { "x-request-id": "r" } });
  });
});
