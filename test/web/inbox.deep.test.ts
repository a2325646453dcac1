import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import type { AgentHandle } from "../../src/client/handles";
import { makeLink } from "../../src/node/identity/one-use-link";
import { defineTool } from "../../src/tools";
import { agent } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/**
 * The page of the inbox, with real people: each decision is signed by the service of the server for the person whose
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

describe("a project without people", () => {
  let open: MissionControl;
  beforeAll(async () => {
    const ask = `(return (tool/ask-person {:question "Ship **now**?" :choices ["ship" "wait"] :details {:build 7}}))`;
    open = await openMissionControl({ script: { pilot: [`\`\`\`clojure\n${ask}\n\`\`\``] } });
  });
  afterAll(() => open?.stop());

  test("takes a typed name and answers a question", async () => {
    const run = await open.client.startAgent({
      id: "ship",
      agent: agent({ name: "pilot", builtin_tools: ["ask"] }),
      model: "scripted",
    });
    await until(async () => (await open.get("/api/inbox")).items[0], "the question");
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
