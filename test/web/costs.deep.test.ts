import type { Page } from "playwright-core";
import { agent, fenced } from "../support/rig";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Costs by day, agent, model and mission, and budgets: in a real browser. */

const answered = (program: string, model: string, total_cost?: number) => ({
  content: fenced(program),
  tokens: { input: 1_000, output: 50, cache_read: 400, ...(total_cost === undefined ? {} : { total_cost }) },
  model,
});

const ASKING = '(def a (:choice (tool/ask-person {:question "Go on?"})))\n(return a)';

let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  [control, browser] = await Promise.all([
    openMissionControl({
      script: {
        writer: [answered("(return 1)", "big-1", 0.25), answered("(return 1)", "big-1", 0.25)],
        checker: [answered("(println 1)", "small-1", 0.01), answered("(return 1)", "unknown-1")],
        saver: [answered(ASKING, "big-1", 0.125)],
      },
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

const start = (name: string, id: string, more: Record<string, unknown> = {}, options: object = {}) =>
  control.client.startAgent({ agent: agent({ name, max_turns: 2, ...more }), id, model: "scripted", ...options });

/** What the page of the costs shows once it shows this text. */
const shows = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

test("without missions there is an empty page that says what to do", async () => {
  const page = await browser.open(control.link("/costs"));
  await shows(page, "Nothing was started in this time.");
  expect(await seriousViolations(page)).toEqual([]);
});

test("missions are run", async () => {
  const runs = [start("writer", "w-1"), start("writer", "w-2"), start("checker", "c-1")];
  await Promise.all(runs.map(async (run) => (await run).result()));
  const asking = await start("saver", "s-1", { builtin_tools: ["ask"] }, { budget: { tokens: 50_000 } });
  await until(async () => (await asking.reviews()).at(0), "the question is asked");
  await until(async () => {
    const found = await control.get("/api/costs?by=agent&zone=Europe/Rome");
    const { total, unknown, running, budgets_unknown } = found;
    // The list knows a mission before its end, and before what it has told.
    return total.missions === 4 && unknown === 0 && running === 1 && budgets_unknown === 0 ? found : undefined;
  }, "all missions tell their costs");
});

test("the list of missions shows those that cost so much", async () => {
  const page = await browser.open(control.link("/missions"));
  const row = (id: string) => page.getByRole("link", { name: id, exact: true });
  await row("agent/c-1").waitFor();
  await page.getByLabel("Cost", { exact: true }).selectOption("0.1");
  await until(async () => page.url().endsWith("?cost=0.1"), "the cost is in the address");
  await until(async () => (await row("agent/c-1").count()) === 0, "the cost narrows the list");
  await row("agent/w-1").waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});

test("the page shows the sums, a chart with a table, and the groups; its address keeps the choice", async () => {
  const page = await browser.open(control.link("/costs?days=7"));
  await shows(page, "$0.635");
  await page.locator(".chart canvas").waitFor();
  expect(await page.getByRole("img", { name: /Cost by day/ }).count()).toBe(1);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "By agent" }).click();
  await page.getByRole("link", { name: "writer" }).waitFor();
  expect(new URL(page.url()).search).toContain("by=agent");
  expect(new URL(page.url()).search).toContain("days=7");
  await page.getByRole("link", { name: "By model" }).click();
  await shows(page, "small-1");
  await shows(page, "1 answer is from a model whose price is not known");
  await page.getByRole("link", { name: "By mission" }).click();
  await page.getByRole("link", { name: "agent/w-1" }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await shows(page, "50,000 tokens");
});

test("on a phone and in the dark it is readable, too", async () => {
  const page = await browser.open(control.link("/costs?by=agent"), { width: 360, height: 740, scheme: "dark" });
  await shows(page, "$0.500");
  expect(await scrollsSideways(page)).toBe(false);
  expect(await seriousViolations(page)).toEqual([]);
});
