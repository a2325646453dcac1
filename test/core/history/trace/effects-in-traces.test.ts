import { viewsText } from "../../../../src/cli/show/render-trace";
import { createColors } from "../../../../src/cli/terminal/render";
import { traceTimeline, traceTree } from "../../../../src/core/history/trace/analyse";
import { missionLogs } from "../../../../src/core/history/trace/mission-logs";
import type { MissionHistories } from "../../../../src/core/history/trace/read-mission";
import { readRecorded } from "../../../support/recorded";

/** What became of the effects of calls, where the answers of the calls do not tell it. */
const trace = (mission: Omit<MissionHistories, "workflow_id" | "children">) =>
  missionLogs({ workflow_id: "any", children: [], ...mission }).flatMap(({ lines }) => lines);
const calls = (mission: Parameters<typeof trace>[0]) =>
  traceTimeline(trace(mission)).flatMap(({ kind, name, effect }) => (kind === "tool" ? [[name, effect]] : []));

test("calls whose effects were undone say so, and the others do not", () => {
  expect(calls({ runs: [readRecorded("agent-undoes-a-task.json")] })).toEqual([
    ["book", "undone"],
    ["book", "undone"],
    ["undo!", undefined],
    ["book", undefined],
  ]);
});

test("a call whose answer was lost says that nobody knows, until somebody does", () => {
  const history = readRecorded("effects-lost-and-asked.json");
  const lost = history.events.findIndex(({ eventType }) => /ACTIVITY_TASK_(TIMED_OUT|FAILED)$/.test(eventType));
  expect(calls({ runs: [{ events: history.events.slice(0, lost + 1) }] }).map(([, effect]) => effect)).toContain(
    "unknown",
  );
  expect(calls({ runs: [history] }).map(([, effect]) => effect)).not.toContain("unknown");
});

test("an undo is known from its own history, though the mission was not told of it", () => {
  const { events } = readRecorded("undo-running-mission.json");
  const untold = { events: events.filter(({ eventType }) => !eventType.endsWith("EXECUTION_SIGNALED")) };
  const later = ["book", undefined];
  expect(calls({ runs: [untold] })).toEqual([["book", undefined], later]);
  const undos = [readRecorded("undo-running-mission-2.json")];
  expect(calls({ runs: [untold], undos })).toEqual([["book", "undone"], later]);
});

test("people see it in every view, beside the call", () => {
  const lines = trace({ runs: [readRecorded("agent-undoes-a-task.json")] });
  const colors = createColors(false, {});
  const slowest = lines.filter(({ event }) => event === "tool.stop");
  for (const shown of [{ tree: traceTree(lines) }, { timeline: traceTimeline(lines) }, { slowest }])
    expect(viewsText(shown, colors)).toMatch(/tool book .*effect undone/);
});
