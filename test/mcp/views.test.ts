import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ServerContext } from "../../src/mcp/server";
import { TICKET_MS, Tickets } from "../../src/mcp/tools/views";
import { temporaryFolder } from "../support/environment";
import { connectInMemory, WITHOUT_TEMPORAL } from "../support/mcp/client";

/** The views as a client finds them (mcp reference, section 11), without anything to show in them. */

const MIME = "text/html;profile=mcp-app";
const UI = { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } } } };
const folder = temporaryFolder("views");
const context: ServerContext = { ...WITHOUT_TEMPORAL, appFolder: folder.path };
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  for (const view of ["inbox", "mission"]) writeFileSync(path.join(folder.path, `${view}.html`), `<p>${view}</p>`);
});
afterAll(() => folder.remove());

test("any client lists and reads the views, which ask for no domain", async () => {
  const mcp = await connectInMemory(context);
  const { resources } = await mcp.client.listResources();
  const views = resources.filter(({ uri }) => uri.startsWith("ui://"));
  expect(views.map(({ uri, mimeType }) => ({ uri, mimeType }))).toEqual([
    { uri: "ui://navigator/inbox", mimeType: MIME },
    { uri: "ui://navigator/mission", mimeType: MIME },
  ]);
  const { contents } = await mcp.client.readResource({ uri: "ui://navigator/inbox" });
  expect(contents).toEqual([
    { uri: "ui://navigator/inbox", mimeType: MIME, text: "<p>inbox</p>", _meta: { ui: { prefersBorder: false } } },
  ]);
  await mcp.close();
});

test("tools of reviews and runs name their view, under both names that hosts read", async () => {
  const mcp = await connectInMemory(context);
  const named = (await mcp.client.listTools()).tools.flatMap(({ name, _meta }) => (_meta ? [[name, _meta]] : []));
  const inbox = { ui: { resourceUri: "ui://navigator/inbox" }, "ui/resourceUri": "ui://navigator/inbox" };
  const mission = { ui: { resourceUri: "ui://navigator/mission" }, "ui/resourceUri": "ui://navigator/mission" };
  expect(Object.fromEntries(named)).toEqual({
    list_reviews: inbox,
    get_review: inbox,
    decide_review: inbox,
    get_run: mission,
    run_agent: expect.objectContaining(mission),
    get_mission_log: mission,
    get_effects: mission,
  });
  await mcp.close();
});

test.each([
  ["says nothing of views", {}, []],
  [
    "shows another type of view",
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/uri-list"] } } } },
    [],
  ],
  ["shows views", UI, ["app_get_review", "app_decide_review", "app_get_mission"]],
])("a client that %s is given the tools for them accordingly", async (_, options, names) => {
  const mcp = await connectInMemory(context, options);
  const tools = (await mcp.client.listTools()).tools.filter(({ name }) => name.startsWith("app_"));
  expect(tools.map(({ name }) => name)).toEqual(names);
  for (const { _meta } of tools) expect(_meta).toMatchObject({ ui: { visibility: ["app"] } });
  await mcp.close();
});

test.each<[string, Partial<ServerContext>]>([
  ["whose views are not built", { appFolder: undefined }],
  ["with the small set of tools", { tools: "core" }],
])("a server %s has none, and its tools name none", async (_, given) => {
  const mcp = await connectInMemory({ ...context, ...given }, UI);
  const { resources } = await mcp.client.listResources();
  expect(resources.filter(({ uri }) => uri.startsWith("ui://"))).toEqual([]);
  const { tools } = await mcp.client.listTools();
  expect(tools.filter(({ name, _meta }) => name.startsWith("app_") || _meta?.ui !== undefined)).toEqual([]);
  await mcp.close();
});

describe("a ticket", () => {
  const about = { workflow_id: "agent/1", review: "agent/1/pay/1", seal: "s", whose: "anna" };

  test("counts once", () => {
    const tickets = new Tickets();
    const { ticket } = tickets.issue(about);
    expect(tickets.take(`${ticket}x`)).toBeNull();
    expect(tickets.take(ticket)).toEqual(about);
    expect(tickets.take(ticket)).toBeNull();
  });

  test("counts for 15 minutes", () => {
    let now = 1_000;
    const tickets = new Tickets(() => now);
    const [first, second] = [tickets.issue(about), tickets.issue(about)];
    now += TICKET_MS - 1;
    expect(tickets.take(first.ticket)).toEqual(about);
    now += 1;
    expect(tickets.take(second.ticket)).toBeNull();
  });

  test("is forgotten when its session has 200 newer ones", () => {
    const tickets = new Tickets();
    const [oldest, next] = [tickets.issue(about), tickets.issue(about)];
    for (let i = 0; i < 199; i++) tickets.issue(about);
    expect(tickets.take(oldest.ticket)).toBeNull();
    expect(tickets.take(next.ticket)).toEqual(about);
  });
});
