import { LogFollower } from "../../src/cli/commands/log";
import { planText, shownPlan } from "../../src/cli/commands/undo";
import { journalTable, markdownText, timelineText } from "../../src/cli/show/render-missions";
import { valueText } from "../../src/cli/show/values";
import { createColors, renderDuration, renderTable } from "../../src/cli/terminal/render";
import type { MissionTree } from "../../src/client/mission-tree";
import type { Json } from "../../src/core/base/json";
import type { TimelineEntry } from "../../src/core/history/read/timeline";
import { endIn } from "../../src/core/history/read/timeline-entry";

/** How things look to people. */

const plain = createColors(false, {});

test.each<{ value: Json; text: string }>([
  { value: "a text", text: "a text" },
  { value: 3, text: "3" },
  { value: null, text: "nothing" },
  { value: { tx: "tx_1", amount: 12, paid: true }, text: "tx      tx_1\namount  12\npaid    true" },
  { value: { a: { b: [1] }, none: null }, text: 'a     {"b":[1]}\nnone  nothing' },
  { value: { note: "two\nlines" }, text: "note  two\n      lines" },
  { value: ["a", 2], text: "- a\n- 2" },
  { value: {}, text: "(an empty map)" },
  { value: [], text: "(an empty list)" },
])("$value is written as $text", ({ value, text }) => expect(valueText(value)).toBe(text));

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [4_120, "4.1 s"],
  [9_960, "10 s"],
  [61_000, "1 min 1 s"],
  [7_500_000, "2 h 5 min"],
  [273_600_000, "3 d 4 h"],
])("%d ms is shown as %s", (ms, text) => expect(renderDuration(ms)).toBe(text));

test("the plan of an undo shows neither hidden values nor keys", () => {
  const place = { lane: "", turn: 1, at: 0, effect: "write" as const, tool: "pay" };
  const args = { order: 7, _card: "4111", note: "with sk-live-12345678" };
  const plan = {
    mission: "agent/order",
    digest: "d",
    steps: [{ ...place, key: "k1", args, result: { tx: 1, _token: "t" } }],
    remaining: [
      { ...place, key: "k2", args, state: "unknown" as const, obstacle: "unknown_outcome" as const, why: "lost" },
    ],
    needless: [],
    cost: { known: 0, unknown: 1 },
  };
  const shown = shownPlan(plan as never);
  for (const text of [JSON.stringify(shown), planText(shown, false, plain)]) {
    expect(text).toContain('"order":7');
    expect(text).not.toMatch(/4111|12345678|"_token":"t"/);
  }
  expect(plan.steps[0]?.args._card).toBe("4111");
});

test("colours do not count as width, and lines have no trailing blanks", () => {
  const { green } = createColors(true, {});
  expect(
    renderTable([
      [green("ok"), "a", ""],
      ["missing", "b"],
    ]),
  ).toBe(`${green("ok")}       a\nmissing  b`);
});

test("headings of Markdown for models are shown as plain lines", () => {
  expect(markdownText("## Progress\n- [x] Load — #12\n\n### Out-of-Plan Steps", plain)).toBe(
    "Progress\n- [x] Load — #12\n\nOut-of-Plan Steps",
  );
});

test("journal rows are aligned in columns; the notes column appears only with notes", () => {
  const row = { id: "a", text: "1", by: "task", at: 0 };
  expect(journalTable([row, { ...row, id: "longer", text: "true", by: "anna", note: "seen" }])).toBe(
    [
      "ID      VALUE  BY    AT (UTC)             NOTE",
      "a       1      task  1970-01-01 00:00:00",
      "longer  true   anna  1970-01-01 00:00:00  seen",
    ].join("\n"),
  );
  expect(journalTable([row])).not.toContain("NOTE");
});

const started: TimelineEntry = { at: 1_000, kind: "start", text: "started agentRun" };
const call: TimelineEntry = { at: 1_500, kind: "tool", text: "task a: charge" };
const over: TimelineEntry = { at: 9_000, kind: "end", text: "completed" };

test("a timeline is aligned, and marks what failed, was retried or is still running", () => {
  const failed = { ...call, duration_ms: 1_200, attempts: 2, outcome: "failed" as const };
  expect(timelineText([started, failed, { ...call, at: 201_000 }])).toBe(
    [
      "      +0.000 s  start  started agentRun",
      "      +0.500 s  tool   task a: charge      1.2 s  attempt 2, failed",
      "   +3 min 20 s  tool   task a: charge             not over",
    ].join("\n"),
  );
});

const treeOf = (timeline: TimelineEntry[]): MissionTree => ({
  workflow_id: "agent/a",
  projection: { workflow_type: "agentRun", rows: [], mission_log: "", timeline },
  story: null,
  children: [],
});

test("following prints long items when they end, each item once, and continues in the next history", () => {
  const follower = new LogFollower();
  const texts = (timeline: TimelineEntry[], all = false) =>
    follower.news(treeOf(timeline), all).map(({ text, duration_ms }) => `${text} ${duration_ms ?? ""}`.trim());
  expect(texts([started, call])).toEqual(["started agentRun"]);
  expect(texts([started, { ...call, duration_ms: 7, outcome: "ok" }])).toEqual(["task a: charge 7"]);
  expect(texts([started, { ...call, duration_ms: 7, outcome: "ok" }])).toEqual([]);
  const next = { ...started, at: 10_000 };
  expect(texts([next, { ...call, at: 11_000 }, over], true)).toEqual([
    "completed",
    "started agentRun",
    "task a: charge",
  ]);
});

test("a mission that continued as new has not ended", () => {
  const { projection } = treeOf([started, { ...over, text: "continued as new" }]);
  const isOver = ({ timeline }: MissionTree["projection"]) => endIn(timeline) !== undefined;
  expect([isOver(projection), isOver(treeOf([started, over]).projection)]).toEqual([false, true]);
});
