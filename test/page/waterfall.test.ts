import { waterfallOf } from "../../page/src/views/mission/waterfall";
import type { TimelineEntry } from "../../src/core/history/read/timeline";

/** The stretches of time that the page of a mission draws. */

const START: TimelineEntry = { at: 0, kind: "start", text: "started agentRun" };
const model = (at: number, duration_ms?: number): TimelineEntry => ({
  at,
  kind: "model",
  text: "turn 1: model",
  ...(duration_ms === undefined ? {} : { duration_ms, outcome: "ok" }),
});
const end = (at: number): TimelineEntry => ({ at, kind: "end", text: "completed" });

test("what is between the calls belongs to the engine, and all uses together are the whole time", () => {
  const { totals, from, until } = waterfallOf([START, model(100, 400), end(600)], 9_999, false);
  expect(totals).toEqual({ model: 400, tools: 0, agents: 0, waiting: 0, engine: 200 });
  expect(Object.values(totals).reduce((sum, ms) => sum + ms, 0)).toBe(until - from);
});

test("a gap that a decision ends was waiting for people, and a short one was not", () => {
  const decision = (at: number): TimelineEntry => ({ at, kind: "update", text: "update decide: approve, by anna" });
  const { bars, totals } = waterfallOf(
    [START, model(0, 100), decision(60_000), model(60_010, 90), end(60_100)],
    0,
    false,
  );
  expect(bars[1]).toMatchObject({ use: "waiting", from: 100, until: 60_010 });
  expect(totals).toMatchObject({ model: 190, waiting: 59_910 });
  expect(waterfallOf([START, model(0, 100), decision(500), model(510, 90), end(600)], 0, false).totals.waiting).toBe(0);
});

test("what is not over goes on until now, and time that two share counts once", () => {
  const child: TimelineEntry = { at: 0, kind: "child", text: "agentRun agent/x/helper/1.1" };
  const { bars, totals } = waterfallOf([START, child, model(200)], 1_000, false);
  expect(bars.map(({ until }) => until)).toEqual([undefined, undefined]);
  expect(totals).toEqual({ model: 800, tools: 0, agents: 200, waiting: 0, engine: 0 });
});

test("a run that waits for a person now says so", () => {
  expect(waterfallOf([START, model(0, 100)], 60_000, true).totals.waiting).toBe(59_900);
  expect(waterfallOf([START, model(0, 100)], 60_000, false).totals.engine).toBe(59_900);
});
