import type { Page } from "playwright-core";
import { defineTool } from "../../src/tools";
import { agent, fenced } from "../support/rig";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The lists of missions, and the page of one: in a real browser. */

const charge = defineTool({
  name: "charge",
  signature: "(order :string, cents :int) -> :map",
  effect: "write",
  run: (args) => ({ ...args, receipt: "r-1" }),
});

const ship = defineTool({
  name: "ship",
  signature: "(order :string) -> :map",
  effect: "write",
  run: () => {
    throw new Error("The warehouse does not know A-17.");
  },
});

const clerk = agent({ name: "clerk", prompt: "Charge the order.", tools: [charge.spec] });

const shipper = agent({ name: "shipper", prompt: "Ship order A-17.", tools: [charge.spec, ship.spec], max_turns: 1 });

const waiter = agent({ name: "waiter", prompt: "Wait for the payment." });

let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  [control, browser] = await Promise.all([
    openMissionControl({
      tools: [charge, ship],
      blockedTimeoutMs: 60_000,
      script: {
        clerk: [
          fenced(
            '(println "charging")\n(def paid (task "charge_A" (tool/charge {:order "A" :cents 1000})))\n(return paid)',
          ),
        ],
        shipper: [
          fenced('(task "charge_A17" (tool/charge {:order "A-17" :cents 900}))\n(return (tool/ship {:order "A-17"}))'),
        ],
        giver: [
          fenced('(tool/ship {:order "A-17"})'),
          fenced('(fail {:reason :gave_up :message "It cannot be shipped."})'),
        ],
        stuck: [fenced('(tool/ship {:order "A-17"})'), fenced("(return (tool/stamp {}))")],
        waiter: [fenced("(return {:status :waiting :for :payment})")],
      } as never,
    }),
    openBrowser(),
  ]);
  const { client } = control;
  const start = (definition: typeof clerk, id: string) =>
    client.startAgent({ agent: definition, id, model: "scripted" });
  const ended = [start(clerk, "c-1"), start(clerk, "c-2"), start(shipper, "s-1")];
  await Promise.all([start(waiter, "w-1"), start(waiter, "w-2"), start(waiter, "w-3")]);
  await Promise.all(ended.map(async (run) => (await run).result()));
  await counted({ completed: 2, failed: 1, waiting: 3 });
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

/** Lists follow the workflows within moments. */
const counted = (wanted: object) =>
  until(
    async () => {
      const counts = await control.get("/api/missions/counts");
      expect(counts).toMatchObject(wanted);
      return true;
    },
    `the counters are ${JSON.stringify(wanted)}`,
    30_000,
  );

const run = (id: string, part = "") => `/api/runs/${encodeURIComponent(id)}${part}`;

describe("in the browser", () => {
  const list = async (place = "/missions", size = {}): Promise<Page> => {
    const page = await browser.open(control.link(place), size);
    await page.getByRole("heading", { name: "Missions, tasks and plans" }).waitFor();
    return page;
  };
  const row = (page: Page, id: string) => page.getByRole("link", { name: id, exact: true });

  test("the list has counters by state, and its filters stand in the address", async () => {
    const page = await list();
    const states = page.getByRole("navigation", { name: "By state" });
    await states.getByRole("link", { name: /^Failed [1-9]/ }).click();
    await row(page, "agent/s-1").waitFor();
    await until(async () => (await row(page, "agent/c-1").count()) === 0, "only what failed is listed");
    expect(new URL(page.url()).search).toBe("?state=failed");
    await states.getByRole("link", { name: /^All/ }).click();
    await page.getByLabel("Text", { exact: true }).fill("c-2");
    await until(async () => page.url().endsWith("?text=c-2"), "the text is in the address");
    await until(async () => (await row(page, "agent/c-1").count()) === 0, "the text narrows the list");
    await row(page, "agent/c-2").waitFor();
    await page.getByLabel("Kind").selectOption("task");
    await page.getByText("No mission fits.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("an address opens the list as it was, also on a phone in the dark", async () => {
    const page = await list("/missions?agent=clerk&state=completed", { width: 360, height: 740, scheme: "dark" });
    await row(page, "agent/c-1").waitFor();
    expect(await page.getByRole("searchbox", { name: "Agent" }).inputValue()).toBe("clerk");
    expect(await row(page, "agent/s-1").count()).toBe(0);
    expect(await scrollsSideways(page)).toBe(false);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("several are cancelled at once, after a question that names how many", async () => {
    const page = await list("/missions?agent=waiter");
    await page.getByLabel("Choose agent/w-2").check();
    await page.getByLabel("Choose agent/w-3").check();
    await page.getByRole("button", { name: "Cancel 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 2 missions?" });
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel 2 missions" }).click();
    await page.getByText("2 missions cancelled.").waitFor();
    await until(async () => (await control.get(run("agent/w-2"))).state === "cancelled", "w-2 is cancelled");
    await page.getByRole("link", { name: /^Cancelled/ }).click();
    await row(page, "agent/w-3").waitFor();
  });

  test("a failed mission is understood in one screen", async () => {
    const page = await browser.open(control.link("/missions/agent%2Fs-1"));
    const why = page.getByRole("region", { name: "Why it failed" });
    await why.waitFor();
    page.setDefaultTimeout(10_000);
    for (const [what, place] of [
      ["the message", why.getByText("No (return ...) within 1 turn(s).")],
      ["the code", why.getByText("max_turns_exceeded", { exact: true })],
      ["the call that failed", why.locator(".call-name", { hasText: "ship" })],
      ["its arguments", why.getByText('{"order":"A-17"}')],
      ["its error", why.getByText("tool_error: The warehouse does not know A-17.", { exact: true })],
      ["the way to try it again", page.getByRole("button", { name: "Try again" })],
    ] as const) {
      const box = await place.boundingBox();
      expect([what, box !== null && box.y >= 0 && box.y + box.height <= 720]).toEqual([what, true]);
    }
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("each part of a mission has an address, and is understood by assistive technology", async () => {
    const page = await browser.open(control.link("/missions/agent%2Fs-1?view=journal"));
    await page.getByRole("cell", { name: "charge_A17" }).waitFor();
    const parts = page.getByRole("navigation", { name: "Parts of the mission" });
    for (const [part, shown] of [
      [
        "Effects",
        page
          .getByText("outcome unknown")
          .or(page.getByText("failed", { exact: true }))
          .first(),
      ],
      ["Timeline", page.getByText("turn 1: model").first()],
      ["Ledger", page.getByText("Nothing was changed")],
      ["Overview", page.getByRole("heading", { name: "Mission Log" })],
    ] as const) {
      await parts.getByRole("link", { name: part }).click();
      await shown.waitFor();
      expect([part, await seriousViolations(page)]).toEqual([part, []]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await scrollsSideways(page)).toBe(false);
  });

  test("a waiting mission says what for, and a decision recorded on the page wakes it", async () => {
    await control.client.startAgent({ agent: waiter, id: "w-7", model: "scripted" });
    const page = await browser.open(control.link("/missions/agent%2Fw-7"));
    const waits = page.getByRole("region", { name: "What it waits for" });
    await waits.getByText("Record a decision in its journal").click();
    await waits.getByLabel("Record id").fill("payment");
    await waits.getByLabel("Who decides").fill("anna");
    await waits.getByRole("button", { name: "Record it" }).click();
    await page.getByRole("region", { name: "Mission Log" }).getByText("by anna").waitFor();
  });

  test("a mission that failed is tried again from its page, one that succeeded is started afresh, after a question", async () => {
    for (const [id, name] of [
      ["s-1", "Try again"],
      ["c-1", "Start afresh"],
    ]) {
      const page = await browser.open(control.link(`/missions/agent%2F${id}`));
      await page.getByRole("button", { name }).click();
      await page.getByRole("dialog").getByRole("button", { name }).click();
      await page.getByRole("heading", { name: new RegExp(`agent/${id}-again-2`) }).waitFor();
    }
  });
});

test("a mission that gives up names the call that failed before", async () => {
  const giver = agent({ name: "giver", prompt: "Ship {{order}} by {{day}}.", tools: [ship.spec], max_turns: 2 });
  const context = { order: "A-17", day: "Monday" };
  const { id } = await control.client.startAgent({ agent: giver, model: "scripted", context });
  await control.client.agent(id).result();
  const { failed, last_failed_call, returned } = await control.get(run(`agent/${id}`));
  expect(returned).toBeUndefined();
  expect(failed).toMatchObject({ code: "gave_up", turn: 2, call_turn: 1, call: { name: "ship" } });
  expect(last_failed_call).toMatchObject({
    tool: "ship",
    args: '{"order":"A-17"}',
    turn: 1,
    workflow_id: `agent/${id}`,
  });
  const page = await browser.open(control.link(`/missions/${encodeURIComponent(`agent/${id}`)}`));
  const note = page.getByRole("region", { name: "Why it failed" });
  await note.getByText("The last call that failed, in turn 1").waitFor();
  await note.getByText("The warehouse does not know A-17.").first().waitFor();
  await page.getByText("Ship A-17 by Monday.", { exact: true }).waitFor();
  await note.getByRole("link", { name: "turn 1", exact: true }).click();
  await until(async () => page.url().endsWith("#turn-1.1"), "the turn is in the address");
});

test("a blocked mission names the call that failed before, once", async () => {
  const tools = [ship.spec, { ...ship.spec, name: "stamp", signature: "() -> :map" }];
  const stuck = agent({ name: "stuck", prompt: "Ship it.", tools });
  const { id } = await control.client.startAgent({ agent: stuck, model: "scripted" });
  await until(async () => (await control.get(run(`agent/${id}`))).waits.length > 0, "it is blocked", 30_000);
  expect(await control.get(run(`agent/${id}`))).toMatchObject({
    failed: null,
    waits: [{ kind: "blocked" }],
    last_failed_call: { tool: "ship", turn: 1, workflow_id: `agent/${id}` },
  });
  const page = await browser.open(control.link(`/missions/${encodeURIComponent(`agent/${id}`)}`));
  const waits = page.getByRole("region", { name: "What it waits for" });
  const told = waits.getByText("The last call that failed");
  await told.waitFor();
  expect(await told.count()).toBe(1);
  expect(await told.textContent()).toContain("The warehouse does not know A-17.");
  expect(await seriousViolations(page)).toEqual([]);
  await control.post(run(`agent/${id}`, "/terminate"), { note: "a test" });
});
