import { activitiesUnderWay } from "../../../../src/core/history/trace/mission-effects";
import {
  begins,
  completed,
  decided,
  type ExportedEvent,
  event,
  history,
  journal,
  lost,
  made,
  scheduled,
  terminated,
} from "../read/made-calls";

/** Which activities may have made calls that a history does not show. */
const INPUTS: [string, object][] = [
  ["calls of a program", { n: 1, run: { base: 0 } }],
  ["a model, and calls after its reply", { n: 1, model: { model: "m" }, run: { base: 0 } }],
  ["calls side by side", { n: 1, calls: [] }],
];
const PROGRAM = { n: 1, run: { base: 0 } };
const OPEN = [{ run: "agent/a", what: "runCalls", since: 1_000 }];

const underWay = (...events: ExportedEvent[]) =>
  activitiesUnderWay({ workflow_id: "agent/a", runs: [history(begins, ...events)], children: [] });
const over = (type: string): ExportedEvent => event(20, type, 9_000);

describe.each(INPUTS)("%s", (_, input) => {
  test("that are under way, also in a run that was terminated, may have been made", () => {
    expect(underWay(scheduled(5, input))).toEqual(OPEN);
    expect(underWay(scheduled(5, input), terminated(20))).toEqual(OPEN);
    expect(underWay(scheduled(5, input), over("WorkflowExecutionTimedOut"))).toEqual(OPEN);
  });

  test("whose worker was lost may have been made until the run knows it", () => {
    const end = lost(6, 5, journal([made(1)]));
    expect(underWay(scheduled(5, input), end)).toEqual(OPEN);
    expect(underWay(scheduled(5, input), end, terminated(20))).toEqual(OPEN);
    expect(underWay(scheduled(5, input), end, decided(9))).toEqual([]);
  });

  test("whose activity has ended are shown", () => {
    expect(underWay(scheduled(5, input), completed(7, 5, { made: [], end: "other" }))).toEqual([]);
  });

  test.each(["Completed", "Failed", "Canceled"])("of a run that has %s are shown", (end) => {
    expect(underWay(scheduled(5, input), over(`WorkflowExecution${end}`))).toEqual([]);
  });
});

test("a model that is asked alone makes no calls", () => {
  expect(underWay(scheduled(5, { n: 1, model: { model: "m" } }))).toEqual([]);
});

test("a call alone is shown", () => {
  expect(underWay(event(5, "ActivityTaskScheduled", 1_000, { activityType: { name: "callTool" } }))).toEqual([]);
});

test("of a run that continued as new, the last one counts; of a child, what it has under way, whatever its parent does", () => {
  const below = { workflow_id: "agent/a/b", runs: [history(begins, scheduled(5, PROGRAM))], children: [] };
  const runs = [history(begins, scheduled(5, PROGRAM)), history(begins, over("WorkflowExecutionCompleted"))];
  expect(activitiesUnderWay({ workflow_id: "agent/a", runs, children: [below] })).toMatchObject([{ run: "agent/a/b" }]);
});
