import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import type { AgentHandle } from "../../src/client/handles";
import { newTask } from "../../src/core/graph/task/task";
import { makeLink } from "../../src/identity/one-use-link";
import { defineTool } from "../../src/tools";
import { agent } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";
import { definitionOf } from "../workflows/task/order-graph";

/**
 * The inbox, its API and its page, with real people: each decision is signed by the service of the server for the person whose
 * token a request has. What is paid is counted by a shop that listens on loopback.
 */

interface Shop {
  url: string;
  refunds: { refund: string; order_id: number; cents: number }[];
  close(): void;
}
/** A service of the refund example: it counts what was paid, once for each key. */
const { startShop } = require("../../examples/refund/shop.cjs") as { startShop(): Promise<Shop> };

const serviceKey = newKey();
const people = peopleOf({
  people: { anna: {}, ben: {}, carl: {}, dora: {} },
  groups: { finance: { members: ["anna", "ben"], lead: "ben" } },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});

/** A model may say anything. */
const SCRIPT = `<img src=x onerror="document.title='hacked'"> The lamp arrived broken, so all of it.`;
const REPLY = `${SCRIPT}

\`\`\`clojure
(println "order" data/order "cost" data/cents)
(def back
  (task (str "refund_" data/order)
    (tool/refund_card {:order data/order :cents data/cents :why "arrived <b>broken</b>"})))
(return back)
\`\`\``;

let shop: Shop;
let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  [shop, browser] = await Promise.all([startShop(), openBrowser()]);
  const refund = defineTool({
    name: "refund_card",
    description: "Gives money back to the customer's card",
    signature: "(order :int, cents :int, why :string) -> {refund :string, cents :int}",
    effect: "irreversible",
    approval: { assignees: ["group:finance"], timeout: "2d", onTimeout: "reject", remind: "4h" },
    run: async ({ order, cents, why }, call) => {
      const response = await fetch(`${shop.url}/refunds`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
        body: JSON.stringify({ order_id: order, cents, why }),
      });
      return response.json();
    },
  });
  control = await openMissionControl({
    people: () => people,
    serviceKey,
    tools: [refund],
    script: { clerk: [REPLY, '```clojure\n(return (or (:message data/fail) "given up"))\n```'] },
  });
});
afterAll(async () => {
  await control?.stop();
  await browser?.close();
  shop?.close();
});

let orders = 0;
/** A mission that asks whether an order is refunded, and its review. */
async function asked(cents: number, options: { requested_by?: string } = {}) {
  orders += 1;
  const order = orders;
  const run = await control.client.startAgent({
    id: `refund-${order}-${randomUUID().slice(0, 8)}`,
    agent: agent({ name: "clerk", description: "Refunds orders", tools: [control.tools.specs()[0]], max_turns: 2 }),
    context: { order, cents },
    model: "scripted",
    ...options,
  });
  const { review } = await until(
    async () => (await control.client.inbox({ text: run.id })).items.find((item) => item.review !== undefined),
    `the review of ${run.id}`,
  );
  const { id, seal } = review as { id: string; seal: string };
  return { run, order, id, seal, path: `/api/inbox/${encodeURIComponent(id)}` };
}

const refundsOf = (order: number) =>
  shop.refunds.filter(({ order_id }) => order_id === order).map(({ cents }) => cents);
const ended = (run: AgentHandle) => run.result();
const body = (said: unknown, token: string) => ({
  method: "POST",
  body: JSON.stringify(said),
  token: control.person(token),
});

describe("the API", () => {
  test("a list is of what somebody may decide, of what is for their groups, or of all", async () => {
    const { id } = await asked(100);
    const listed = async (scope: string, name: string) => {
      const { items, nobody } = await control.get(`/api/inbox?scope=${scope}&text=${id}`, control.person(name));
      return items.length === 1 ? "listed" : (nobody ?? "not listed");
    };
    expect(await listed("mine", "anna")).toBe("listed");
    expect(await listed("groups", "ben")).toBe("listed");
    expect(await listed("mine", "carl")).toBe("not listed");
    expect(await listed("groups", "carl")).toContain("in no group");
    expect(await listed("all", "carl")).toBe("listed");
    const counts = await control.get("/api/inbox/counts", control.person("carl"));
    expect(counts).toMatchObject({ mine: 0, groups: 0 });
    expect(counts.all).toBeGreaterThan(0);
  });

  test("a card has the call, who may decide it, the program with its place, and what it is about", async () => {
    const { path, order, id, seal } = await asked(4990);
    const card = await control.get(path, control.person("anna"));
    expect(card).toMatchObject({
      kind: "approval",
      review: { id, seal, status: "open", data: { tool: "refund_card", args: { order, cents: 4990 } } },
      needed: 1,
      deciders: [{ word: "group:finance", people: ["anna", "ben"] }],
      you: { person: "anna", may: true },
      tool: { effect: "irreversible", can_be_undone: false, is_here: true, version_changed: false },
    });
    expect(card.due).toBeGreaterThan(Date.now());
    const reasons = await control.get(`${path}/reasons`, control.person("anna"));
    expect(reasons.asked).toMatchObject({
      agent: "clerk",
      turn: 1,
      context: { order },
      lines: [4],
      model: "scripted",
      said: SCRIPT,
    });
    expect(reasons.asked.program).toContain("(tool/refund_card");
  });

  test.each([
    ["the seal of another question", "anna", { seal: "x".repeat(43) }, 409, "seal_mismatch"],
    ["no seal", "anna", { seal: null }, 409, "seal_mismatch"],
    ["a choice that is none", "anna", { choice: "perhaps" }, 400, "invalid_choice"],
    ["arguments that do not fit", "anna", { value: { cents: "much" } }, 400, "invalid_value"],
    ["somebody who is not asked", "carl", {}, 403, "not_an_assignee"],
    ["another one's name", "anna", { by: "ben" }, 403, "unverified_decision"],
  ])("a decision with %s is refused", async (_, name, wrong, status, code) => {
    const { path, seal, order } = await asked(200);
    const said = { choice: "approve", seal, ...wrong };
    expect(await control.refused(`${path}/decisions`, body(said, name))).toMatchObject({ status, code });
    expect((await control.get(path)).review.status).toBe("open");
    expect(refundsOf(order)).toEqual([]);
  });

  test("nobody decides without being one of the people, and the second decision hears of the first", async () => {
    const { run, path, seal, order } = await asked(300);
    const said = { choice: "approve", seal };
    const nobody = { method: "POST", body: JSON.stringify(said) };
    expect(await control.refused(`${path}/decisions`, nobody)).toMatchObject({ status: 403, code: "not_logged_in" });
    const card = await control.post(`${path}/decisions`, said, control.person("ben"));
    expect(card.review).toMatchObject({
      status: "decided",
      decision: { choice: "approve", by: "ben", via: "http", principal: { verified: true } },
    });
    expect(await control.refused(`${path}/decisions`, body({ ...said, choice: "reject" }, "anna"))).toMatchObject({
      status: 409,
      code: "already_decided",
      details: { choice: "approve", by: "ben" },
    });
    await ended(run);
    expect(refundsOf(order)).toEqual([300]);
  });

  test("a decision is handed over, commented and taken back", async () => {
    const { path, seal } = await asked(400);
    const anna = control.person("anna");
    expect(await control.refused(`${path}/delegate`, body({ to: "carlo", seal }, "anna"))).toMatchObject({
      status: 404,
      code: "person_not_found",
    });
    await control.post(`${path}/comments`, { text: "Which customer?" }, control.person("dora"));
    const card = await control.post(`${path}/delegate`, { to: "carl", seal, note: "on holiday" }, anna);
    expect(card.you).toMatchObject({ person: "anna", may: false });
    expect(card.review.comments).toHaveLength(1);
    expect((await control.get(path, control.person("carl"))).you).toEqual({
      person: "carl",
      may: true,
      instead_of: "anna",
    });
    expect(await control.refused(`${path}/withdraw`, body({}, "anna"))).toMatchObject({
      status: 409,
      code: "not_decided",
    });
  });

  test("like cases are what was decided before, with the edits and the notes", async () => {
    const before = await asked(500);
    const said = { choice: "approve", seal: before.seal, value: { cents: 250 }, note: "half is fair" };
    await control.post(`${before.path}/decisions`, said, control.person("anna"));
    await ended(before.run);
    const { path } = await asked(510);
    const { cases, looked_at, more } = await until(async () => {
      const found = await control.get(`${path}/like-cases?size=20`, control.person("ben"));
      return found.cases.some(({ id }: { id: string }) => id === before.id) && found;
    }, "the case before");
    expect(looked_at).toBeGreaterThan(1);
    expect(more).toBe(false);
    expect(cases.find(({ id }: { id: string }) => id === before.id)).toMatchObject({
      tool: "refund_card",
      args: { cents: 500 },
      state: "decided",
      votes: [{ by: "anna", choice: "approve", value: { cents: 250 }, note: "half is fair" }],
    });
  });

  test("a gate of a graph is asked with its task, and like cases are those of the same node", async () => {
    const definition = definitionOf({
      id: "release",
      nodes: {
        start: { type: "start" },
        check: { type: "gate", name: "Release?", review: { assignees: ["anna"] } },
        sign: { type: "gate", name: "Sign it?" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "check" },
        { from: "check", to: "sign", on: "passed" },
        { from: "check", to: "done", on: "failed" },
        { from: "sign", to: "done" },
      ],
    });
    const gateOf = async (id: string) => {
      const task = newTask({ id, issueId: "I-7", workflowType: "release" }, definition, Date.now());
      await control.client.startTask({ task, definition, model: "scripted" });
      const found = async () => (await control.client.inbox({ text: id })).items.find(({ review }) => review)?.review;
      const { id: review, seal } = await until(found, `the gate of ${id}`);
      return { path: `/api/inbox/${encodeURIComponent(review)}`, seal, review };
    };
    const before = await gateOf(`r-${randomUUID()}`);
    const said = { choice: "passed", seal: before.seal, note: "tests are green" };
    await control.post(`${before.path}/decisions`, said, control.person("anna"));
    const { path } = await gateOf(`r-${randomUUID()}`);
    const reasons = await control.get(`${path}/reasons`);
    expect(reasons).toMatchObject({ asked: null, task: { issue: "I-7", graph: "release" } });
    const cases = await until(async () => {
      const found = await control.get(`${path}/like-cases`);
      return found.cases.length > 0 && found.cases;
    }, "the gate before");
    expect(cases).toMatchObject([
      {
        id: before.review,
        kind: "gate",
        step: "check",
        votes: [{ by: "anna", choice: "passed", note: "tests are green" }],
      },
    ]);
  });

  test("equal calls are decided together, each with the seal that was seen", async () => {
    const [one, two] = [await asked(600), await asked(610)];
    const reviews = [
      { review: one.id, seal: one.seal },
      { review: two.id, seal: "y".repeat(43) },
    ];
    const { outcomes } = await control.post(
      "/api/inbox/decisions",
      { reviews, choice: "reject" },
      control.person("anna"),
    );
    expect(outcomes).toMatchObject([
      { review: one.id, ok: true, status: "decided" },
      { review: two.id, ok: false, code: "seal_mismatch" },
    ]);
    await ended(one.run);
    expect(refundsOf(one.order)).toEqual([]);
  });

  test("the link of a notification decides without a login, once, and for its person alone", async () => {
    const { run, id, seal, order } = await asked(700);
    const expires = Date.now() + 60_000;
    const token = await makeLink({ review: id, person: "anna", seal, expires, id: randomUUID() }, serviceKey);
    const stranger = (said: unknown) => ({ method: "POST", body: JSON.stringify(said), token: null });
    const shown = await control.fetch("/api/links/review", stranger({ review: id, token }));
    expect(await shown.json()).toMatchObject({ person: "anna", review: { id }, you: { may: true } });
    const shared = await makeLink({ review: id, person: null, seal, expires, id: randomUUID() }, serviceKey);
    const said = { review: id, choice: "approve" };
    expect(await control.refused("/api/links/decision", stranger({ ...said, token: shared }))).toMatchObject({
      code: "not_logged_in",
    });
    expect(await control.refused("/api/links/decision", stranger({ ...said, token: `${token}x` }))).toMatchObject({
      status: 403,
      code: "bad_link",
    });
    const decided = await control.fetch("/api/links/decision", stranger({ ...said, token }));
    expect(await decided.json()).toMatchObject({
      review: { status: "decided", decision: { by: "anna", via: "page", principal: { verified: true } } },
    });
    expect(await control.refused("/api/links/decision", stranger({ ...said, token }))).toMatchObject({ status: 409 });
    await ended(run);
    expect(refundsOf(order)).toEqual([700]);
  });
});

describe("a project without people", () => {
  let open: MissionControl;
  beforeAll(async () => {
    const ask = `(return (tool/ask-person {:question "Ship **now**?" :choices ["ship" "wait"] :details {:build 7}}))`;
    open = await openMissionControl({ script: { pilot: [`\`\`\`clojure\n${ask}\n\`\`\``] } });
  });
  afterAll(() => open?.stop());

  test("takes a typed name, answers a question, and lists all of it while no worker is up", async () => {
    const run = await open.client.startAgent({
      id: "ship",
      agent: agent({ name: "pilot", builtin_tools: ["ask"] }),
      model: "scripted",
    });
    const item = await until(async () => (await open.get("/api/inbox")).items[0], "the question");
    expect(item).toMatchObject({ kind: "question", assignees: ["anyone"] });
    const path = `/api/inbox/${encodeURIComponent(item.review.id)}`;
    await open.stopWorker();
    expect((await open.get("/api/inbox")).total).toBe(1);
    expect(await open.get("/api/inbox/counts")).toEqual({ all: 1, mine: null, groups: null });
    expect(await open.get("/api/inbox/counts?person=kim")).toEqual({ all: 1, mine: 1, groups: 0 });
    expect(await open.get(`${path}?person=kim`)).toMatchObject({ you: { person: "kim", may: true }, deciders: [] });
    expect((await open.get(`${path}/reasons`)).asked.program).toContain("ask-person");
    expect(await open.get(`${path}/like-cases`)).toMatchObject({ cases: [], looked_at: 1, more: false });
    const said = { choice: "ship", seal: item.review.seal };
    const nameless = { method: "POST", body: JSON.stringify(said) };
    expect(await open.refused(`${path}/decisions`, nameless)).toMatchObject({ status: 400, code: "invalid_arguments" });
    await open.startWorker();

    const page = await browser.open(open.link("/inbox"));
    const field = page.getByLabel("You decide as");
    const isTyped = async () => (await page.locator("#inbox-name:focus").count()) === 1;
    await page.getByRole("link", { name: /Ship/ }).click();
    await page.getByText("You cannot decide this here").waitFor();
    await page.keyboard.press("a");
    expect(await isTyped()).toBe(true);
    await page.keyboard.type("kim b");
    expect(await field.inputValue()).toBe("kim b");
    await page.keyboard.press("Enter");
    expect(await isTyped()).toBe(false);
    await field.fill("kim ");
    await page.keyboard.press("Escape");
    expect(await isTyped()).toBe(false);
    await page.getByText("Your decision is unverified").waitFor();
    await page.getByRole("button", { name: "Ship" }).click();
    await page.getByText("Decided: ship, by you.").waitFor();
    expect((await run.result()).return).toMatchObject({ choice: "ship", by: "kim" });
  });

  test("a decision for a worker that comes later is sent as a signal", async () => {
    const run = await open.client.startAgent({
      id: "ship-later",
      agent: agent({ name: "pilot", builtin_tools: ["ask"] }),
      model: "scripted",
    });
    const [item] = await until(async () => {
      const { items } = await open.get("/api/inbox?text=ship-later");
      return items.length > 0 && items;
    }, "the question");
    await open.stopWorker();
    const said = { choice: "wait", seal: item.review.seal, by: "kim", as_signal: true };
    const sent = await open.post(`/api/inbox/${encodeURIComponent(item.review.id)}/decisions`, said);
    expect(sent).toMatchObject({ sent: true, review: { status: "open" } });
    await open.startWorker();
    expect((await run.result()).return).toMatchObject({ choice: "wait", by: "kim" });
  });
});

describe("the page", () => {
  const open = async (name: string, place: string, options: Parameters<TestBrowser["open"]>[1] = {}) =>
    browser.open(control.link(place, control.person(name)), options);
  const cardOf = (page: Page) => page.getByRole("article");
  const placeOf = (id: string) => `/inbox/${encodeURIComponent(id)}`;
  /** The order of a mission that is shown, with its card's parts that come later. */
  const loaded = async (page: Page) => {
    await cardOf(page).locator(".code-line").waitFor();
    await cardOf(page).getByText("missions of the same kind").waitFor();
  };

  test("a refund is approved with an edit, and exactly the edited sum is paid", async () => {
    const { run, order, id } = await asked(4990);
    const page = await open("anna", placeOf(id));
    await loaded(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel(/^cents/).fill("2500");
    await page.getByText("was 4990").waitFor();
    await page.getByLabel(/^Note/).fill("half of it");
    await page.getByRole("button", { name: "Approve with 1 change" }).click();
    await page.getByText("Decided: approve, by you.").waitFor();
    await cardOf(page).getByText("cents: 4990 → 2500").waitFor();
    await ended(run);
    expect(refundsOf(order)).toEqual([2500]);
    const { review } = await control.get(`/api/inbox/${encodeURIComponent(id)}`);
    expect(review.decision).toMatchObject({
      by: "anna",
      via: "page",
      note: "half of it",
      value: { cents: 2500 },
      principal: { verified: true },
    });
  });

  test("what a model or a tool says is text, whatever it looks like", async () => {
    const { id } = await asked(100);
    const page = await open("anna", placeOf(id));
    await loaded(page);
    expect(await cardOf(page).getByText("<img src=x").count()).toBeGreaterThan(0);
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.title()).not.toBe("hacked");
  });

  test("of two people who decide at once one wins, and the other hears who did", async () => {
    const { run, order, id } = await asked(800);
    const pages = await Promise.all(["anna", "ben"].map((name) => open(name, placeOf(id))));
    const buttons = pages.map((page) => page.getByRole("button", { name: "Approve", exact: true }));
    await Promise.all(buttons.map((button) => button.waitFor()));
    await Promise.all(buttons.map((button) => button.click()));
    const { by } = await until(
      async () => (await control.get(`/api/inbox/${encodeURIComponent(id)}`)).review.decision,
      "the decision",
    );
    const [winner, loser] = by === "anna" ? pages : [pages[1], pages[0]];
    await winner?.getByText("Decided: approve, by you.").waitFor();
    await loser?.getByText(`${by} decided it first`).waitFor();
    await ended(run);
    expect(refundsOf(order)).toEqual([800]);
  });

  test("a decision that the network lost is still there, and is sent once", async () => {
    const { run, order, id } = await asked(900);
    const page = await open("ben", placeOf(id));
    await loaded(page);
    await page.getByLabel(/^Note/).fill("no receipt");
    // The decision arrives, and its answer does not.
    await page.route(
      "**/decisions",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Decided: reject, by you.").waitFor();
    await ended(run);
    expect(refundsOf(order)).toEqual([]);

    const other = await asked(910);
    const second = await open("ben", placeOf(other.id));
    await loaded(second);
    await second.getByLabel(/^Note/).fill("to be sent later");
    await second.route("**/decisions", (route) => route.abort(), { times: 1 });
    await second.getByRole("button", { name: "Approve", exact: true }).click();
    await second.getByText("does not answer").waitFor();
    await second.reload();
    await loaded(second);
    expect(await second.getByLabel(/^Note/).inputValue()).toBe("to be sent later");
    await second.getByRole("button", { name: "Approve", exact: true }).click();
    await second.getByText("Decided: approve, by you.").waitFor();
  });

  test("where no worker answers, a decision is sent for one that comes later", async () => {
    const { run, order, id } = await asked(950);
    const page = await open("anna", placeOf(id));
    await loaded(page);
    // The server waits for ten seconds before it says so.
    const problem = { code: "no_worker", status: 503, title: "", type: "", detail: "No worker answered." };
    const fulfilled = { status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) };
    await page.route("**/decisions", (route) => route.fulfill(fulfilled), { times: 1 });
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    // It is sent for the next worker, and this one is there already. Meanwhile nothing else can be decided.
    await page.getByText("Decided: approve, by you.").waitFor();
    await ended(run);
    expect(refundsOf(order)).toEqual([950]);
  });

  test.each([
    ["and was sent as a signal", 200],
    ["and whose signal was lost", 503],
  ])(
    "a decision that waits for a worker, %s, is shown after a reload, and no other one is offered",
    async (_, signal) => {
      const { run, id } = await asked(960);
      const page = await open("anna", placeOf(id));
      await loaded(page);
      const problem = { code: "no_worker", status: 503, title: "", type: "", detail: "No worker answered." };
      const json = (status: number, body: unknown) => ({
        status,
        contentType: status === 200 ? "application/json" : "application/problem+json",
        body: JSON.stringify(body),
      });
      // Neither the decision nor the signal reaches a worker.
      await page.route("**/decisions", (route) =>
        route.fulfill(
          route.request().postData()?.includes("as_signal")
            ? json(signal, signal === 200 ? { sent: true } : problem)
            : json(503, problem),
        ),
      );
      await page.getByRole("button", { name: "Approve", exact: true }).click();
      await page.getByText("no worker has answered yet").waitFor();
      await page.reload();
      await page.getByText("no worker has answered yet").waitFor();
      expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
      await page.unroute("**/decisions");
      await page.getByRole("button", { name: /^Decide anew/ }).click();
      await page.getByRole("button", { name: "Reject", exact: true }).click();
      await page.getByText("Decided: reject, by you.").waitFor();
      await ended(run);
    },
  );

  test("the keys are enough: to move, to approve, to edit and to reject", async () => {
    const some = [await asked(1001), await asked(1002), await asked(1003)];
    const text = "100";
    const page = await open("anna", `/inbox?text=${encodeURIComponent(`"cents": ${text}`)}`);
    const press = (key: string) => page.keyboard.press(key);
    const current = () => page.locator("[aria-current=true]").evaluateAll(([one]) => one?.id ?? null);
    const ids = some.map(({ id }) => `review-${encodeURIComponent(id)}`);
    await page.locator(`[id="${ids[2]}"]`).waitFor();
    const listed = await page.locator(".inbox-item > a").evaluateAll((links) => links.map((link) => link.id));
    const reach = async (id: string | undefined) => {
      for (let i = 0; i <= listed.length && (await current()) !== id; i++) {
        await press("j");
        await page.locator("[aria-current=true]").waitFor();
      }
      await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    };
    await press("?");
    await page.getByRole("dialog").getByText("the next review").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await reach(ids[0]);
    await press("a");
    await press("Enter");
    await page.getByText("Decided: approve, by you.").waitFor();
    await ended((some[0] as (typeof some)[0]).run);

    await reach(ids[1]);
    await press("e");
    for (const key of ["Tab", "Control+a", "7", "Control+Enter"]) await press(key);
    await page.getByText("Decided: approve, by you.").waitFor();
    await ended((some[1] as (typeof some)[0]).run);

    await reach(ids[2]);
    await press("r");
    await page.keyboard.type("not this one");
    await press("Control+Enter");
    await page.getByText("Decided: reject, by you.").waitFor();
    // Nothing comes of it that could still be stopped.
    expect(await page.getByRole("button", { name: "Take my decision back" }).count()).toBe(0);
    await ended((some[2] as (typeof some)[0]).run);
    expect(some.map(({ order }) => refundsOf(order))).toEqual([[1001], [7], []]);
    await press("k");
    await press("Escape");
    await page.waitForURL((url) => url.pathname === "/inbox");
  });

  test("a decision is handed over, and whoever got it finds it in their inbox", async () => {
    const { id } = await asked(1100);
    const page = await open("ben", placeOf(id));
    await page.getByRole("button", { name: "Delegate" }).click();
    await page.getByLabel(/^To/).fill("dora");
    await page.getByRole("button", { name: "Hand it over" }).click();
    await page.getByText("ben handed it over to dora").waitFor();
    await page.getByText("You cannot decide this here").waitFor();
    const other = await open("dora", "/inbox?scope=mine");
    await other.locator(`[id="review-${encodeURIComponent(id)}"]`).waitFor();
  });

  test("marked calls are decided together", async () => {
    const some = [await asked(1201), await asked(1202)];
    const page = await open("anna", `/inbox?text=${encodeURIComponent('"cents": 120')}`);
    for (const { id } of some) await page.getByLabel(`Mark ${id}`).check();
    await page.getByRole("button", { name: "reject 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "reject 2" }).click();
    await page.getByText("2 of 2 decided.").waitFor();
  });

  test("the link of a notification opens the review without a login, and decides it once", async () => {
    const { run, order, id, seal } = await asked(1300);
    const expires = Date.now() + 600_000;
    const token = await makeLink({ review: id, person: "anna", seal, expires, id: randomUUID() }, serviceKey);
    const page = await browser.open(`${control.url}${placeOf(id)}#token=${token}`);
    await page.getByText("You decide as anna.").waitFor();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Decided: approve, by anna.").waitFor();
    await ended(run);
    expect(refundsOf(order)).toEqual([1300]);
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("in %s and at %i px nothing is out of reach, and axe finds nothing serious", async (scheme, width) => {
    const { id } = await asked(1400);
    const list = await open("anna", "/inbox", { width, height: 740, scheme });
    await list.locator(`[id="review-${encodeURIComponent(id)}"]`).waitFor();
    expect(await seriousViolations(list)).toEqual([]);
    expect(await scrollsSideways(list)).toBe(false);
    await list.locator(`[id="review-${encodeURIComponent(id)}"]`).click();
    await loaded(list);
    await list.getByRole("button", { name: "Edit" }).click();
    await list.getByLabel(/^cents/).waitFor();
    expect(await seriousViolations(list)).toEqual([]);
    expect(await scrollsSideways(list)).toBe(false);
    if (width > 400) return;
    await list.getByRole("link", { name: "Back to the list" }).click();
    await list.locator(`[id="review-${encodeURIComponent(id)}"]`).waitFor();
  });
});
