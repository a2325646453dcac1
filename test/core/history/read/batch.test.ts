import { decodePayloads, jsonPayloads } from "../../../../src/core/base/history-event";
import { readHistory } from "../../../../src/core/history/read/history";
import { projectEffects } from "../../../../src/core/history/read/project-effects";
import { timelineOf } from "../../../../src/core/history/read/timeline";

const time = (ms: number) => new Date(ms).toISOString();
const key = (n: number) => `agent/m~${"a".repeat(43)}~${n}`;
const call = (n: number) => ({
  name: "charge",
  args: { n },
  idempotency_key: key(n),
  agent: null,
  task: n === 1 ? "pay" : null,
  turn: 1,
  effect: { kind: "write", at: 5, call: n },
});
const answer = (n: number, more: object = {}) => ({
  n,
  began: 1_000 + n,
  at: 1_010 + n,
  answer: { ok: true, value: { tx: n } },
  ...more,
});

const payloads = (value: object) => jsonPayloads(value as never);
const event = (id: number, type: string, at: number, attributes: object = {}) => ({
  eventId: String(id),
  eventType: type,
  eventTime: time(at),
  [`${type.charAt(0).toLowerCase()}${type.slice(1)}EventAttributes`]: attributes,
});

/** @param calls their numbers */
const scheduled = (id: number, calls: number[], at = 1_000) =>
  event(id, "ActivityTaskScheduled", at, {
    activityId: `b${id}`,
    activityType: { name: "callTools" },
    input: payloads({ calls: calls.map(call) }),
  });

/** A history with a batch of three calls that ends with this event. */
const historyWith = (type: string, attributes: object) => ({
  events: [
    event(1, "WorkflowExecutionStarted", 900),
    scheduled(5, [1, 2, 3]),
    event(6, "ActivityTaskStarted", 1_000, { scheduledEventId: "5" }),
    event(7, type, 2_000, { scheduledEventId: "5", ...attributes }),
  ],
});

const types = (history: object) => readHistory(history).map(({ type }) => type.replace("ActivityTask", ""));
const statesOf = (history: object) => projectEffects(history).map(({ state }) => state);

function expectInOrder(history: object): void {
  const ids = readHistory(history).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
}

test("each call is asked for behind its batch, and answered before the end of it, as by an activity of its own", () => {
  const answers = [answer(3), answer(1, { attempts: 2 })];
  const history = historyWith("ActivityTaskCompleted", {
    result: payloads({ answers, open: [{ n: 2, attempts: 1 }] }),
  });
  expect(types(history)).toEqual([
    ...["WorkflowExecutionStarted", "Scheduled", "Scheduled", "Scheduled", "Scheduled", "Started"],
    ...["Started", "Completed", "Canceled", "Started", "Completed", "Completed"],
  ]);
  expectInOrder(history);
  const events = readHistory(history);
  const [first, second, third] = events.slice(2, 5);
  expect(first).toMatchObject({
    at: 1_000,
    summary: "task pay: charge",
    attributes: { activityId: "b5.1", activityType: { name: "callTool" } },
  });
  expect(second?.summary).toBe("turn 1: charge");
  expect(decodePayloads(first?.attributes.input)).toEqual(call(1));
  const [started, completed, canceled, , last] = events.slice(6);
  expect(started).toMatchObject({ at: 1_001, attributes: { scheduledEventId: first?.id, attempt: 2 } });
  expect(completed).toMatchObject({ at: 1_011, attributes: { scheduledEventId: first?.id } });
  expect(decodePayloads(completed?.attributes.result)).toEqual({ ok: true, value: { tx: 1 } });
  expect(canceled).toMatchObject({ at: 2_000, attributes: { scheduledEventId: second?.id } });
  expect(last?.attributes.scheduledEventId).toBe(third?.id);
});

test("the ledger and the timeline of a history have the calls of a batch", () => {
  const answers = [
    answer(1),
    answer(2, { answer: { ok: false, fail: { reason: "tool_error", message: "no money" } } }),
  ];
  const history = historyWith("ActivityTaskCompleted", { result: payloads({ answers }) });
  expect(projectEffects(history)).toMatchObject([
    { key: key(1), state: "done", answer: { tx: 1 }, task: "pay" },
    { key: key(2), state: "failed", message: "no money" },
    { key: key(3), state: "intended" },
  ]);
  expect(timelineOf(readHistory(history)).map(({ text, outcome }) => [text, outcome])).toEqual([
    ["started ", undefined],
    ["callTools", "ok"],
    ["task pay: charge", "ok"],
    ["turn 1: charge", "failed"],
    ["turn 1: charge", undefined],
  ]);
});

test("while a batch is under way, its calls have been begun", () => {
  const { events } = historyWith("ActivityTaskCompleted", {});
  expect(statesOf({ events: events.slice(0, 2) })).toEqual(["intended", "intended", "intended"]);
});

const kept = payloads({ activity: "b5", answers: [answer(2)] });
const timedOut = { failure: { message: "activity timeout", timeoutFailureInfo: { lastHeartbeatDetails: kept } } };

test.each([
  ["timed out", timedOut],
  ["was behind another failure", { failure: { cause: timedOut.failure } }],
])("a batch that %s has the answers that its heartbeat kept", (_, attributes) => {
  const history = historyWith("ActivityTaskTimedOut", attributes);
  expect(statesOf(history)).toEqual(["intended", "done", "intended"]);
  expect(types(history).slice(6)).toEqual(["Canceled", "Started", "Completed", "Canceled", "TimedOut"]);
  expectInOrder(history);
});

test("a mission that is terminated during several batches has what each of them kept", () => {
  const details = {
    payloads: [
      ...(payloads({ activity: "b6", answers: [answer(1), answer(2)] }).payloads as object[]),
      ...(kept.payloads as object[]),
      { metadata: { encoding: btoa("binary/encrypted") }, data: "" },
    ],
  };
  const history = {
    events: [
      event(1, "WorkflowExecutionStarted", 900),
      scheduled(5, [1, 2, 3]),
      scheduled(6, [4, 5, 6]),
      scheduled(7, [7, 8]),
      event(8, "WorkflowExecutionTerminated", 2_000, { reason: "anna", details }),
    ],
  };
  const done = projectEffects(history).filter(({ state }) => state === "done");
  expect(done.map((entry) => entry.key)).toEqual([2, 4, 5].map(key));
  expectInOrder(history);
});

test.each([
  ["a failure", "ActivityTaskFailed", { failure: { message: "away" } }],
  ["a heartbeat that kept nothing", "ActivityTaskTimedOut", { failure: { timeoutFailureInfo: {} } }],
  ["a result of something else", "ActivityTaskCompleted", { result: payloads({ answers: "none" }) }],
  ["a cancellation", "ActivityTaskCanceled", {}],
])("%s answers no call", (_, type, attributes) => {
  expect(statesOf(historyWith(type, attributes))).toEqual(["intended", "intended", "intended"]);
});

test("a batch whose input cannot be read is an activity like others", () => {
  const history = {
    events: [
      event(1, "WorkflowExecutionStarted", 900),
      event(2, "ActivityTaskScheduled", 1_000, { activityType: { name: "callTools" } }),
      event(3, "ActivityTaskCompleted", 1_001, { scheduledEventId: "2", result: payloads({ answers: [] }) }),
    ],
  };
  expect(readHistory(history)).toHaveLength(3);
});
