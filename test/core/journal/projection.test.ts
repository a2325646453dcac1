import type { JsonObject } from "../../../src/core/base/json";
import { exportedEvents, HistoryFormatError } from "../../../src/core/history/read/decode-events";
import { projectJournal } from "../../../src/core/history/read/project";
import { withoutChanges } from "../../../src/core/journal/changes";
import { renderEndOfPeoplesLog } from "../../../src/core/journal/mission-log";
import { JournalView } from "../../../src/core/journal/view";
import { historyOf, memo, payload, payloads, started, type Written } from "./history";

/** A mission rebuilt from an exported history (engine reference, section 3). */
const T = Date.UTC(2030, 0, 1);
const row = (id: string, value: boolean) => ({ id, value, text: String(value), at: T, by: "task" });

describe("the journal of a history", () => {
  test("starts with the given journal", () => {
    const { rows, mission_log, workflow_type } = projectJournal(historyOf([started({ journal: { a: 1 } }, T)]));
    expect(rows).toEqual([{ id: "a", value: 1, text: "1", at: T, by: "given" }]);
    expect(mission_log).toBe("## Mission Log (Completed Tasks)\n- [done] a: 1");
    expect(workflow_type).toBe("agentRun");
  });

  test("of a continued run starts with the records it carries, not with the caller's journal", () => {
    const input = { journal: { a: 1 }, carried: { records: [["b", true, T]] } };
    expect(projectJournal(historyOf([started(input, T)])).rows).toEqual([row("b", true)]);
  });

  test("grows, changes and shrinks with the memo; other keys of the memo are not records", () => {
    const events: Written[] = [
      started({ journal: null }, T),
      memo({ journal_changes: [row("a", false)] }, T + 1),
      memo({ note: "x", journal_changes: [row("b", true)] }, T + 2),
      memo({ journal_changes: [row("a", true)] }, T + 3),
      memo({ journal_changes: [{ id: "b", reset: true }] }, T + 4),
    ];
    const after = events.map((_, i) => projectJournal(historyOf(events.slice(0, i + 1))).rows);
    expect(after).toEqual([
      [],
      [row("a", false)],
      [row("a", false), row("b", true)],
      [row("a", true), row("b", true)],
      [row("a", true)],
    ]);
  });

  test.each([
    { name: "no input", attributes: {} },
    { name: "an input that is no object", attributes: { input: payloads("text") } },
    {
      name: "an encrypted input",
      attributes: { input: { payloads: [{ metadata: { encoding: "YmluYXJ5L2VuYw==" }, data: "AAAA" }] } },
    },
    { name: "a journal that is none", attributes: { input: payloads({ journal: [1] }) } },
  ])("is empty for $name", ({ attributes }) =>
    expect(projectJournal(historyOf([["WorkflowExecutionStarted", attributes as JsonObject, T]]))).toMatchObject({
      rows: [],
      mission_log: "",
    }),
  );

  test("ignores a memo that is not a record", () => {
    const events = [
      started({ carried: { records: [7, ["a", true, T]] } }, T),
      memo({ journal_changes: [7, { id: "c" }] }, T),
      memo({ journal_changes: "none" }, T),
    ];
    expect(projectJournal(historyOf(events)).rows).toEqual([row("a", true)]);
  });

  test("of no events is empty", () =>
    expect(projectJournal({ events: [] })).toEqual({ workflow_type: "", rows: [], mission_log: "", timeline: [] }));
});

describe("reading a history", () => {
  const event = { eventId: "1", eventTime: "2030-01-01T00:00:00Z", eventType: "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED" };

  test.each([
    {
      name: "events as strings",
      eventType: "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",
      eventTime: "2030-01-01T00:00:00.5Z",
    },
    { name: "types in words", eventType: "WorkflowExecutionStarted", eventTime: "2030-01-01T00:00:00.5Z" },
    {
      name: "times in seconds",
      eventType: "WorkflowExecutionStarted",
      eventTime: { seconds: String(T / 1000), nanos: 500_000_000 },
    },
  ])("accepts $name", ({ name: _, ...form }) => {
    const read = exportedEvents([{ ...event, ...form, workflowExecutionStartedEventAttributes: { a: 1 } }]);
    expect(read).toEqual([{ id: 1, type: "WorkflowExecutionStarted", at: T + 500, attributes: { a: 1 } }]);
  });

  test("accepts summaries of the worker", () =>
    expect(exportedEvents([{ ...event, userMetadata: { summary: payload("turn 1") } }])[0]?.summary).toBe("turn 1"));

  test.each([
    { name: "no JSON", metadata: { encoding: "anNvbi9wbGFpbg==" }, data: "bm8gSlNPTg==" },
    { name: "no base64", metadata: { encoding: "anNvbi9wbGFpbg==" }, data: "%%%" },
    { name: "encrypted", metadata: { encoding: "YmluYXJ5L2VuYw==" }, data: "AAAA" },
    { name: "without data", metadata: { encoding: "anNvbi9wbGFpbg==" } },
    { name: "without metadata", data: "MQ==" },
  ])("a payload that is $name is ignored", ({ name: _, ...summary }) =>
    expect(exportedEvents([{ ...event, userMetadata: { summary } }])[0]).not.toHaveProperty("summary"),
  );

  test.each([
    { history: null, says: 'a history is {"events": [...]}' },
    { history: "text", says: 'a history is {"events": [...]}' },
    { history: { events: {} }, says: 'a history is {"events": [...]}' },
    { history: [event, 7], says: "events[1]: expected an event" },
    { history: [{ ...event, eventType: 1 }], says: "events[0]: expected an event with a textual eventType" },
    { history: [{ ...event, eventTime: "soon" }], says: 'events[0].eventTime: expected an ISO time, got "soon"' },
    { history: [{ ...event, eventTime: undefined }], says: "events[0].eventTime" },
  ])("refuses $history: $says", ({ history, says }) => {
    expect(() => exportedEvents(history)).toThrow(HistoryFormatError);
    expect(() => exportedEvents(history)).toThrow(says);
  });
});

describe("changes that ride on other events", () => {
  const changes = (...list: unknown[]) => ({ journal_changes: list }) as unknown as JsonObject;
  const called = (second: JsonObject, at: number): Written => [
    "ActivityTaskScheduled",
    { activityType: { name: "callTool" }, input: payloads({ name: "hold" }, second) },
    at,
  ];
  const completed = (result: JsonObject, at: number): Written => [
    "WorkflowExecutionCompleted",
    { result: payloads(result) },
    at,
  ];
  const failedWith = (details: JsonObject, at: number): Written => [
    "WorkflowExecutionFailed",
    { failure: { message: "no", applicationFailureInfo: { type: "x", details: payloads(details) } } },
    at,
  ];
  const ids = (...events: Written[]) => projectJournal(historyOf([started({ journal: {} }, T), ...events])).rows;

  test("an activity brings what was recorded before it, in order", () =>
    expect(ids(called(changes(row("a", true), row("b", false), row("a", false)), T))).toEqual([
      row("a", false),
      row("b", false),
    ]));

  test("a reset removes a record", () =>
    expect(ids(called(changes(row("a", true), { id: "a", reset: true }), T))).toEqual([]));

  test("the memo brings what no activity could take", () =>
    expect(ids(memo({ journal_changes: [row("a", true)] as unknown as JsonObject[] }, T))).toEqual([row("a", true)]));

  test("the result of the run brings the last ones", () =>
    expect(ids(completed({ return: 1, ...changes(row("a", true)) }, T))).toEqual([row("a", true)]));

  test("so do the details of a failure", () =>
    expect(ids(failedWith({ return: null, ...changes(row("a", true)) }, T))).toEqual([row("a", true)]));

  test.each([
    { name: "a second argument of something else", event: called({ other: 1 }, T) },
    { name: "a list of anything", event: called(changes(7, null, { id: "a" }, { id: 1, text: "x" }), T) },
    { name: "no list", event: called({ journal_changes: 7 }, T) },
    {
      name: "a failure without details",
      event: ["WorkflowExecutionFailed", { failure: { message: "x" } }, T] as Written,
    },
    { name: "a failure of another kind", event: ["WorkflowExecutionFailed", {}, T] as Written },
  ])("$name changes nothing", ({ event }) => expect(ids(event)).toEqual([]));

  test("the timeline shows each change before the event that brought it, with its own time", () => {
    const events = [started({}, T - 9), called(changes(row("a", true), { id: "a", reset: true }), T + 5)];
    expect(projectJournal(historyOf(events)).timeline.slice(1)).toEqual([
      { at: T, kind: "record", text: "recorded a" },
      { at: T + 5, kind: "reset", text: "reset a" },
      { at: T + 5, kind: "tool", text: "callTool" },
    ]);
  });

  test("a result without its changes is what the caller asked for", () => {
    expect(withoutChanges({ return: 1, ...changes(row("a", true)) })).toEqual({ return: 1 });
    expect(withoutChanges("text")).toBe("text");
  });
});

describe("a run that continues another one", () => {
  const records = [
    ["a", "x".repeat(3_000), T],
    ["b", 2, T + 1, { by: "anna", note: "ok" }],
    ["c", 3, T + 2, { conflict: "asked again for tool/t {}" }],
  ] as unknown as JsonObject[];
  const rows = [
    { id: "a", bytes: 3_002, text: `"${"x".repeat(199)}...`, at: T, by: "task" },
    { id: "b", value: 2, text: "2", at: T + 1, by: "anna", note: "ok" },
    { id: "c", value: 3, text: "3 (asked again for tool/t {}: this record stands)", at: T + 2, by: "task" },
  ];

  test("makes its rows from the records that it was given", () =>
    expect(projectJournal(historyOf([started({ carried: { records } }, T)])).rows).toEqual(rows));

  test("ignores what is no record", () =>
    expect(
      projectJournal(historyOf([started({ carried: { records: [7, ["x"], [1, 2, 3], ...records] } }, T)])).rows,
    ).toEqual(rows));
});

describe("the end of a long Mission Log", () => {
  const view = new JournalView();
  for (let n = 0; n < 200; n++) view.store(row(`r${n}`, true));
  view.remove("r199");
  view.store(row("r0", false));
  view.remove("r1");
  view.store(row("r1", true));

  test("has the newest rows in their order, whatever was removed, replaced and added again", () => {
    expect(view.last(3).map(({ id }) => id)).toEqual(["r197", "r198", "r1"]);
    expect(view.last(1_000)).toEqual(view.rows());
    expect(view.size).toBe(199);
  });

  test("says how many records come before it", () => {
    expect(renderEndOfPeoplesLog(view.last(1), view.size)).toBe(
      "## Mission Log (Completed Tasks)\n- 198 earlier records are not shown here\n- [done] r1: true",
    );
    expect(renderEndOfPeoplesLog([], 0)).toBe("");
  });
});
