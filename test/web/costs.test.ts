import { CostBook } from "../../src/client/costs/cost-book";
import { agent, fenced } from "../support/rig";
import { until } from "../support/until";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Costs by day, agent, model and mission, and budgets: by the API. */

const answered = (program: string, model: string, total_cost?: number) => ({
  content: fenced(program),
  tokens: { input: 1_000, output: 50, cache_read: 400, ...(total_cost === undefined ? {} : { total_cost }) },
  model,
});

const ASKING = '(def a (:choice (tool/ask-person {:question "Go on?"})))\n(return a)';

let control: MissionControl;

beforeAll(async () => {
  control = await openMissionControl({
    script: {
      writer: [answered("(return 1)", "big-1", 0.25), answered("(return 1)", "big-1", 0.25)],
      checker: [answered("(println 1)", "small-1", 0.01), answered("(return 1)", "unknown-1")],
      saver: [answered(ASKING, "big-1", 0.125)],
    },
  });
});
afterAll(async () => {
  await control?.stop();
});

const start = (name: string, id: string, more: Record<string, unknown> = {}, options: object = {}) =>
  control.client.startAgent({ agent: agent({ name, max_turns: 2, ...more }), id, model: "scripted", ...options });

test("without missions nothing costs anything", async () => {
  expect(await control.get("/api/costs")).toMatchObject({
    rows: [],
    total: { missions: 0, cost: 0, turns: 0 },
    unknown: 0,
    is_complete: true,
    budgets: [],
  });
});

test("costs are put together by day, agent, model and mission", async () => {
  const runs = [start("writer", "w-1"), start("writer", "w-2"), start("checker", "c-1")];
  await Promise.all(runs.map(async (run) => (await run).result()));
  const asking = await start("saver", "s-1", { builtin_tools: ["ask"] }, { budget: { tokens: 50_000 } });
  await until(async () => (await asking.reviews()).at(0), "the question is asked");
  const costs = (by: string) => control.get(`/api/costs?by=${by}&zone=Europe/Rome`);
  const all = await until(async () => {
    const found = await costs("agent");
    const { total, unknown, running, budgets_unknown } = found;
    // The list knows a mission before its end, and before what it has told.
    return total.missions === 4 && unknown === 0 && running === 1 && budgets_unknown === 0 ? found : undefined;
  }, "all missions tell their costs");
  expect(all).toMatchObject({ is_complete: true, unknown: 0, running: 1 });
  expect(all.total).toEqual({
    missions: 4,
    turns: 5,
    input_tokens: 5_000,
    output_tokens: 250,
    cached_tokens: 2_000,
    cost: 0.635,
    unpriced: 1,
  });
  expect(all.rows.map((row: { key: string; cost: number }) => [row.key, row.cost])).toEqual([
    ["writer", 0.5],
    ["saver", 0.125],
    ["checker", 0.01],
  ]);
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Rome", dateStyle: "short" }).format(Date.now());
  expect((await costs("day")).rows).toMatchObject([{ key: day, missions: 4, cost: 0.635 }]);
  expect((await costs("model")).rows).toMatchObject([
    { key: "big-1", missions: 3, turns: 3, cost: 0.625 },
    { key: "small-1", cost: 0.01 },
    { key: "unknown-1", cost: 0, unpriced: 1 },
  ]);
  expect((await costs("mission")).rows).toHaveLength(4);
  expect(all.budgets).toEqual([
    {
      workflow_id: asking.workflow.workflowId,
      agent: "saver",
      limit: { tokens: 50_000, cost: null },
      spent: { tokens: 1_050, cost: 0.125 },
      reserved: { tokens: 0, cost: 0 },
      closed: false,
    },
  ]);
  expect(all.budgets_unknown).toBe(0);
});

test("only the missions of the time that was asked for count, and an answer that is known is not sent again", async () => {
  expect(await control.get(`/api/costs?from=1000&to=2000`)).toMatchObject({ total: { missions: 0 }, rows: [] });
  const first = await control.fetch("/api/costs?from=0&to=99999999999999");
  const etag = first.headers.get("etag") as string;
  const second = await control.fetch("/api/costs?from=0&to=99999999999999", { headers: { "if-none-match": etag } });
  expect(second.status).toBe(304);
});

test("a book that is full says that it does not have all, and keeps the newest", async () => {
  const book = new CostBook(control.client, { kept: 2, running: 5 });
  const { missions, is_complete } = await book.started(0, Date.now() + 60_000);
  expect(is_complete).toBe(false);
  expect(missions.filter(({ is_running }) => !is_running)).toHaveLength(2);
});

test.each([
  ["/api/costs?from=5&to=5", "from (5) must be before to (5)."],
  ["/api/costs?zone=Mars/Base", 'There is no time zone "Mars/Base".'],
])("%s is refused", async (path, detail) => {
  expect(await control.refused(path)).toMatchObject({ code: "invalid_input", detail });
});

test("the list of missions shows those that cost so much", async () => {
  const found = async (query: string) =>
    (await control.get(`/api/missions?${query}`)).missions
      .map(({ workflow_id }: { workflow_id: string }) => workflow_id)
      .sort();
  expect(await found("min_cost=0.1&agent=writer")).toEqual(["agent/w-1", "agent/w-2"]);
  expect(await found("min_cost=0.5")).toEqual([]);
  expect(await found("min_cost=0.01&text=agent/c")).toEqual(["agent/c-1"]);
  expect(await control.refused("/api/missions?min_cost=much")).toMatchObject({
    code: "invalid_input",
    details: { path: "min_cost" },
  });
});

test("lists of missions tell what each cost", async () => {
  const { missions } = await control.get("/api/missions?agent=writer");
  expect(missions).toMatchObject([
    { cost: 0.25, tokens: 1_050 },
    { cost: 0.25, tokens: 1_050 },
  ]);
});
