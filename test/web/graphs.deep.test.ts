import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Graphs, tasks, plans and the queue: what the page draws of them while they move. */

const flow = {
  id: "ship-it",
  name: "Ship it",
  description: "Builds, checks and asks.",
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build <it>" },
    check: { type: "task", name: "Check & test", maxRetries: 2 },
    approval: { type: "gate", name: "Approval" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "check", on: "passed" },
    { from: "build", to: "stuck", on: "failed" },
    { from: "check", to: "approval", on: "passed" },
    { from: "check", to: "build", on: "failed" },
    { from: "check", to: "stuck", on: "max_retries_exceeded" },
    { from: "approval", to: "done", on: "passed" },
    { from: "approval", to: "build", on: "failed" },
  ],
};

const forked = {
  id: "both-ways",
  nodes: {
    start: { type: "start" },
    split: { type: "fork", join: "meet" },
    left: { type: "task", name: "Left" },
    right: { type: "task", name: "Right" },
    meet: { type: "join", fork: "split" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "split" },
    { from: "split", to: "left" },
    { from: "split", to: "right" },
    { from: "left", to: "meet" },
    { from: "right", to: "meet" },
    { from: "meet", to: "done", on: "passed" },
    { from: "meet", to: "stuck", on: "failed" },
  ],
};

const plan = {
  tasks: [
    { id: "one", agent: "direct", type: "direct", input: "(+ 1 2)" },
    { id: "two", agent: "direct", type: "direct", input: "(+ 3 4)", critical: false },
    { id: "ask", type: "human_review", input: "Is {{results.one}} right?", depends_on: ["one", "two"] },
    { id: "last", agent: "direct", type: "direct", input: "data/results", depends_on: ["ask"] },
  ],
};

let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  control = await openMissionControl({ name: "shop" });
  browser = await openBrowser();
  for (const definition of [flow, forked]) await control.post("/api/graphs", { definition });
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

const start = (id: string, graph = flow.id, more = {}) => control.post("/api/tasks", { graph, id, ...more });

const advance = (id: string, result?: string) =>
  control.post(`/api/tasks/${encodeURIComponent(id)}/advance`, result === undefined ? {} : { result });

const drawing = (id: string) => control.get(`/api/tasks/${encodeURIComponent(id)}/drawing`);

/** Asks until the answer is as wanted. */
async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const at = (step: string) => (id: string) =>
  until(
    () => drawing(id),
    ({ way }) => way.currentStep === step,
  );

/** The places of all nodes: nothing that happens moves them. */
const places = (page: Page) =>
  page
    .locator("[data-node]")
    .evaluateAll((nodes: unknown[]) =>
      nodes.map((node) => (node as { getAttribute(name: string): string }).getAttribute("transform")),
    );

describe("the page", () => {
  test("a graph moves live with its task: the way taken, the retries, and who is asked; nothing jumps", async () => {
    await start("live");
    await at("build")("live");
    const page = await browser.open(control.link("/graphs/ship-it?task=task%2Flive"));
    await page.waitForSelector('[data-node="build"][data-standing="here"]');
    await page.evaluate("window.notLoadedAgain = true");
    const before = await places(page);
    await page.getByRole("button", { name: "passed", exact: true }).click();
    await page.getByRole("button", { name: "Report it" }).click();
    await page.waitForSelector('[data-node="check"][data-standing="here"]');
    await advance("live", "failed");
    await page.waitForSelector('[data-node="build"][data-standing="here"]');
    expect(await page.textContent('[data-edge="4"]')).toContain("retry 1 of 2");
    await advance("live", "passed");
    await advance("live", "passed");
    await page.waitForSelector('[data-node="approval"][data-standing="asks"]');
    expect(await page.getAttribute('[data-edge="1"]', "data-taken")).toBe("2");
    expect(await page.textContent('[data-node="build"]')).toContain("×2");
    expect(await page.$$('[data-edge="5"][data-taken="0"]')).toHaveLength(1);
    const link = await page.getAttribute('a[href^="/inbox/"]:not(nav a)', "href");
    expect(link).toContain("approval");
    expect(await places(page)).toEqual(before);
    expect(await page.evaluate("window.notLoadedAgain")).toBe(true);

    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as SVG" }).click();
    const svg = readFileSync((await (await saving).path()) as string, "utf8");
    const read = await page.evaluate((text) => {
      // biome-ignore lint/suspicious/noExplicitAny: this runs in the page
      const parsed = new (globalThis as any).DOMParser().parseFromString(text, "image/svg+xml");
      return {
        mistakes: parsed.querySelectorAll("parsererror").length,
        // biome-ignore lint/suspicious/noExplicitAny: as above
        names: [...parsed.querySelectorAll("g[data-node] text")].map((one: any) => one.textContent),
        classes: parsed.querySelectorAll("[class]").length,
        fill: parsed.querySelector("g[data-node] rect").getAttribute("fill"),
      };
    }, svg);
    expect(read).toMatchObject({ mistakes: 0, classes: 0, fill: expect.stringMatching(/^rgb/) });
    expect(read.names).toEqual(
      expect.arrayContaining(["start", "Build <it>", "Check & test", "Approval", "done", "stuck"]),
    );

    await page.focus(".drawing-frame");
    const scale = page.locator(".drawing-tools span");
    const fit = (await scale.textContent()) as string;
    await page.keyboard.press("+");
    await scale.filter({ hasNotText: fit }).waitFor();
    await page.keyboard.press("0");
    await scale.filter({ hasText: fit }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("branches of a fork stand side by side, and what they did stays to be seen", async () => {
    await start("twins", forked.id);
    const { children } = await until(
      () => drawing("twins"),
      ({ children: all }) => all.length === 2,
    );
    expect(children.map(({ branch }: { branch: string }) => branch)).toEqual(["left", "right"]);
    const page = await browser.open(control.link("/graphs/both-ways?task=task%2Ftwins"));
    await page.waitForSelector('[data-node="left"][data-standing="here"]');
    await page.waitForSelector('[data-node="right"][data-standing="here"]');
    await advance("twins/left", "passed");
    await page.waitForSelector('[data-node="left"][data-standing="was"]');
    await advance("twins/right", "passed");
    await page.waitForSelector('[data-node="done"][data-standing="was"]');
    expect(await page.getAttribute('[data-edge="2"]', "data-taken")).toBe("1");
    expect(await page.textContent("[data-testid=current-step]")).toBe("done");
  });

  test("the list of graphs, and a graph with where its tasks are; also on a phone", async () => {
    await start("placed");
    await at("build")("placed");
    const page = await browser.open(control.link("/graphs"), { width: 360, height: 740 });
    await page.getByRole("link", { name: "Ship it" }).click();
    await page.waitForSelector('[data-node="build"]');
    await page.locator('[data-node="build"]', { hasText: /\d tasks?/ }).waitFor();
    await page.getByRole("heading", { name: "Check", exact: true }).waitFor();
    await page.getByRole("link", { name: "placed", exact: true }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("the queue shows what is pending and who holds what; a move is confirmed by a click", async () => {
    await control.post("/api/tasks/load", {
      tasks: [
        { id: "q-1", issueId: "Q-1", workflowType: flow.id, currentStep: "build", priority: 77 },
        { id: "q-2", issueId: "Q-2", workflowType: flow.id, currentStep: "build", priority: 78 },
      ],
    });
    await control.post("/api/tasks/q-2/claim", { owner: "builder-7", lease_ms: 600_000 });
    await advance("q-1", "passed");
    await control.post("/api/tasks/load", {
      tasks: [{ id: "q-3", issueId: "Q-3", workflowType: flow.id, currentStep: "build", priority: 77 }],
    });
    const { load } = await control.get("/api/queue");
    expect(load.task_queue).toBe(control.taskQueue);
    expect(load.workflow.pollers.length).toBeGreaterThan(0);
    const page = await browser.open(control.link("/queue"));
    const held = page.locator('[data-claimed="q-2"]');
    await held.waitFor();
    expect(await held.textContent()).toContain("builder-7");
    await page.locator('[data-priority="77"]').waitFor();
    const sync = page.locator("[data-sync]", { hasText: "q-1" });
    await sync.first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await sync.first().getByRole("button", { name: "Confirm", exact: true }).click();
    await sync.waitFor({ state: "detached" });
    const { pending } = await control.get("/api/syncs");
    expect(pending.filter(({ taskId }: { taskId: string }) => taskId === "q-1")).toEqual([]);
  });

  test("a plan by phases: its steps, what they depend on, and the review that it waits for", async () => {
    const { workflow_id } = await control.post("/api/plans", { plan, id: "phases" });
    expect(await control.post("/api/plans", { plan, id: "phases" })).toMatchObject({ started_before: true });
    const read = () => control.get(`/api/plans/${encodeURIComponent(workflow_id)}`);
    const waiting = await until(read, ({ state }) => state === "waiting");
    expect(waiting.phases.map((phase: { id: string }[]) => phase.map(({ id }) => id))).toEqual([
      ["one", "two"],
      ["ask"],
      ["last"],
    ]);
    expect(waiting.phases[1][0]).toMatchObject({ state: "waiting", depends_on: ["one", "two"], critical: true });
    expect(waiting.phases[0][1]).toMatchObject({ state: "ok", critical: false });
    const page = await browser.open(control.link(`/missions/${encodeURIComponent(workflow_id)}?tab=plan`));
    await page.waitForSelector('[data-step="ask"][data-state="waiting"]');
    expect(await seriousViolations(page)).toEqual([]);
    await control.client.plan("phases").decide({ review: waiting.phases[1][0].review, choice: "approve", by: "ann" });
    await page.waitForSelector('[data-step="last"][data-state="ok"]');
    expect(await page.$$("[data-from]")).toHaveLength(3);
    await page.getByText("To do the plan as it was given: 4 steps.").waitFor();
    await until(read, ({ ended }) => ended === "completed");
    await page
      .getByRole("region", { name: "Result" })
      .getByText(/"one": ?3/)
      .first()
      .waitFor();
  });
});
