import type { Page } from "playwright-core";
import { builtAppFolder } from "../../src/mcp/apps/app-folder";
import { identityOverHttp } from "../../src/mcp/context/identity";
import type { ServerContext } from "../../src/mcp/server";
import { type HttpServer, serveHttp } from "../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../src/node/http/guard";
import { verifyDecision } from "../../src/node/identity/verify-decision";
import { defineTool } from "../../src/tools";
import { type Chat, inChat, serveChat } from "../support/mcp/chat";
import { WITHOUT_TEMPORAL } from "../support/mcp/client";
import { agent, fenced } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/**
 * The views of the MCP server in a chat (mcp reference, section 11), with the host's side of MCP Apps in a real browser: a person
 * decides on a card, and a model does not, whatever it calls.
 */

const [anna, service] = [newKey(), newKey()];

const PEOPLE = {
  people: { anna: { keys: [publicKey(anna)] }, ben: {}, carl: {} },
  groups: { finance: { members: ["anna", "ben"] } },
  services: { [WEB_SERVICE]: { keys: [publicKey(service)], may: ["vouch"] } },
};

let people = peopleOf(PEOPLE);

afterEach(() => {
  people = peopleOf(PEOPLE);
});

const refunds: unknown[] = [];

const HOSTILE = `<img src=x onerror="document.title='hacked'">`;

let control: MissionControl;
let parts: ServerContext;
let mcp: HttpServer;
let chatPage: Awaited<ReturnType<typeof serveChat>>;
let browser: TestBrowser;

beforeAll(async () => {
  [chatPage, browser] = await Promise.all([serveChat(), openBrowser()]);
  const refund = defineTool({
    name: "refund_card",
    description: "Gives money back to the customer's card",
    signature: "(order :int, cents :int, why :string) -> :string",
    effect: "irreversible",
    approval: { assignees: ["group:finance"] },
    run: async (args) => {
      refunds.push(args);
      return "re_1";
    },
  });
  const program = `(return (task (str "refund_" data/order) (tool/refund_card {:order data/order :cents data/cents :why data/why})))`;
  const clerk = agent({ name: "clerk", tools: [refund.spec], max_turns: 1 });
  const breaks = agent({ name: "breaks", max_turns: 1 });
  control = await openMissionControl({
    people: () => people,
    serviceKey: service,
    page: false,
    tools: [refund],
    script: {
      clerk: [`It arrived broken. ${HOSTILE}\n\n${fenced(program)}`],
      breaks: [fenced('(fail {:reason :no_stock :message "None is left."})')],
    },
    project: { agents: { clerk, breaks } },
  });
  parts = {
    ...control.context,
    files: false,
    appFolder: builtAppFolder(),
    pageUrl: "https://control.example.com",
    seal: WITHOUT_TEMPORAL.seal,
    identity: identityOverHttp(
      () => people,
      WEB_SERVICE,
      () => service,
    ),
  };
  mcp = await serveHttp(parts, {
    host: "127.0.0.1",
    port: 0,
    hosts: LOOPBACK_HOSTS,
    origins: [chatPage.url],
    token: "agents",
    findToken: (text) => (text.startsWith("person-") ? { owner: text.slice("person-".length), kind: "person" } : null),
  });
});
afterAll(async () => {
  await mcp?.close();
  await control?.stop();
  chatPage?.close();
  await browser?.close();
});

let orders = 0;

/** A mission that asks whether an order is refunded, and its review. */
async function asked(cents: number) {
  orders += 1;
  const run = await control.client.startAgent({
    id: `order-${orders}`,
    agent: agent({ name: "clerk", tools: control.tools.specs(), max_turns: 1 }),
    context: { order: orders, cents, why: HOSTILE },
    model: "scripted",
  });
  const item = await until(
    async () => (await control.client.inbox({ text: run.id })).items.find(({ review }) => review !== undefined),
    `the review of ${run.id}`,
  );
  return { run, order: orders, id: item.review?.id as string, seal: item.review?.seal as string };
}

const reviewOf = async (id: string) => (await control.get(`/api/inbox/${encodeURIComponent(id)}`)).review;

const refundsOf = (order: number) => refunds.filter((one) => (one as { order: number }).order === order);

async function openChat(person: string, size: { width?: number; height?: number } = {}): Promise<Page> {
  const page = await browser.open(chatPage.url, size);
  await inChat(page, (chat: Chat, { url, token }) => chat.connect(url, token), {
    url: mcp.url,
    token: control.person(person),
  });
  return page;
}

const lastView = (page: Page) => page.frameLocator("iframe >> nth=-1");

describe("in a chat", () => {
  test("a person approves with an edit on the card: the same principal and seal as on the page, and the mission goes on", async () => {
    const [here, there] = [await asked(4990), await asked(500)];
    const page = await openChat("anna", { width: 360 });
    const model = await inChat(page, (chat, id) => chat.show("decide_review", { reviewId: id }), here.id);
    expect(model.structuredContent.data).toMatchObject({ answer: "not_asked", review: { status: "open" } });
    const card = lastView(page);
    await card.getByText("You decide as anna").waitFor();
    expect(await card.getByText("cannot be taken back").count()).toBe(1);
    expect(await card.locator("img").count()).toBe(0);
    await card.getByText("Why it is asked").click();
    await card.getByText("It arrived broken.").waitFor();
    await card.getByRole("button", { name: "Edit" }).click();
    await card.getByLabel(/^cents/).fill("2500");
    await card.getByLabel(/^Note/).fill("half of it");
    const frame = page.frames().at(-1) as unknown as Page;
    expect(await seriousViolations(frame)).toEqual([]);
    expect(await scrollsSideways(frame)).toBe(false);
    await card.getByRole("button", { name: "Approve with 1 change" }).click();
    await card.getByText("decided by").waitFor();
    await here.run.result();
    expect(refundsOf(here.order)).toEqual([{ order: here.order, cents: 2500, why: HOSTILE }]);

    await control.post(
      `/api/inbox/${encodeURIComponent(there.id)}/decisions`,
      { choice: "approve", seal: there.seal },
      control.person("anna"),
    );
    await there.run.result();
    const [{ decision: inApp }, { decision: onPage }] = [await reviewOf(here.id), await reviewOf(there.id)];
    expect(inApp).toMatchObject({
      by: "anna",
      kind: "person",
      seal: here.seal,
      note: "half of it",
      value: { cents: 2500 },
    });
    expect(onPage).toMatchObject({ by: "anna", kind: "person", seal: there.seal });
    expect(inApp.principal).toEqual({ id: "anna", kind: "person", verified: true, via: "http" });
    expect(inApp.principal).toEqual(onPage.principal);
    const signed = await Promise.all([inApp, onPage].map((one) => verifyDecision(people, one, Date.now())));
    expect(signed).toMatchObject([{ signed: { kid: service.kid } }, { signed: { kid: service.kid } }]);
    // The model hears that it was decided, and not what people wrote.
    const { told, height } = await inChat(page, ({ told, height }) => ({ told, height }));
    expect(told.join()).toContain(`The review ${here.id} was decided by a person: approve.`);
    expect(told.join()).not.toContain("half of it");
    expect(height).toBeGreaterThan(100);
  });

  test("a list shows what waits; a person rejects with a note, in dark, and goes to Mission Control by a link", async () => {
    const { id, run, order } = await asked(700);
    const page = await openChat("ben");
    await inChat(page, (chat, text) => chat.show("list_reviews", { text }, "dark"), id);
    const card = lastView(page);
    await card.getByText("You decide as ben").waitFor();
    expect(await card.locator("html").getAttribute("data-scheme")).toBe("dark");
    expect(await seriousViolations(page.frames().at(-1) as unknown as Page)).toEqual([]);
    await inChat(page, (chat) => chat.theme("light"));
    await card.locator('html[data-scheme="light"]').waitFor();
    await card.getByRole("button", { name: run.workflow.workflowId, exact: true }).click();
    await until(async () => (await inChat(page, (chat) => chat.opened)).length > 0, "the link is opened");
    expect(await inChat(page, (chat) => chat.opened)).toEqual([
      `https://control.example.com/inbox/${encodeURIComponent(id)}`,
    ]);
    await card.getByLabel(/^Note/).fill("too much");
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    await card.getByText("decided by").waitFor();
    await until(async () => (await reviewOf(id)).status === "decided", "it is decided");
    expect((await reviewOf(id)).decision).toMatchObject({ choice: "reject", by: "ben", note: "too much" });
    expect(refundsOf(order)).toEqual([]);
  });

  test("whoever may not decide sees why, and has no buttons", async () => {
    const { id } = await asked(800);
    const page = await openChat("carl");
    await inChat(page, (chat, reviewId) => chat.show("get_review", { reviewId }), id);
    const card = lastView(page);
    await card.getByText(/"carl" is at this client, and the review is for group:finance/).waitFor();
    expect(await card.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  test("the view of a mission has its error first; of one that waits, what for", async () => {
    const page = await openChat("anna");
    await inChat(page, (chat) => chat.show("run_agent", { agent: "breaks", id: "breaks-1" }));
    const failed = lastView(page);
    await failed.getByRole("alert").getByText("None is left.", { exact: true }).waitFor();
    await failed.locator(".state-failed", { hasText: "failed" }).waitFor();
    expect(await seriousViolations(page.frames().at(-1) as unknown as Page)).toEqual([]);
    const { run, id } = await asked(900);
    await inChat(page, (chat, runId) => chat.show("get_mission_log", { id: runId }), run.id);
    const waits = lastView(page);
    await waits.getByRole("region", { name: "Waits for" }).getByText("Call refund_card?").waitFor();
    await control.post(
      `/api/inbox/${encodeURIComponent(id)}/decisions`,
      { choice: "approve", seal: (await reviewOf(id)).seal },
      control.person("ben"),
    );
    await waits.getByRole("region", { name: "Mission Log" }).getByText("re_1").waitFor();
    await waits.getByRole("region", { name: "Effects" }).getByText("done", { exact: true }).waitFor();
  });
});

describe("a model does not decide", () => {
  test("it is not told of the tools of views; calling them by name gives it no ticket, and without one nothing is decided", async () => {
    const { id, order } = await asked(1_000);
    const page = await openChat("anna");
    const tools = await inChat(page, (chat) => chat.tools());
    expect(tools).toContain("decide_review");
    expect(tools.filter((name) => name.startsWith("app_"))).toEqual([]);
    const seen = await inChat(page, (chat, reviewId) => chat.call("app_get_review", { reviewId }), id);
    expect(seen.structuredContent.data.decider).toEqual({ kind: "person", person: "anna" });
    expect(JSON.stringify(seen)).not.toContain("ticket");
    for (const ticket of ["x", id, seen.structuredContent.data.review.seal, seen.structuredContent.data.review.nonce]) {
      const refused = await inChat(page, (chat, args) => chat.call("app_decide_review", args), {
        ticket,
        choice: "approve",
      });
      expect(refused.isError).toBe(true);
      expect(JSON.parse(refused.content[0].text).error.code).toBe("agents_may_not_decide");
    }
    for (const args of [{ choice: "approve" }, { choice: "approve", by: "anna" }]) {
      const refused = await inChat(page, (chat, given) => chat.call("decide_review", given), { reviewId: id, ...args });
      expect(JSON.parse(refused.content[0].text).error.code).toBe("agents_may_not_decide");
    }
    expect((await reviewOf(id)).status).toBe("open");
    expect(refundsOf(order)).toEqual([]);
  });
});
