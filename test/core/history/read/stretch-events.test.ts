import { decodePayloads, jsonPayloads } from "../../../../src/core/base/history-event";
import { readHistory } from "../../../../src/core/history/read/history";
import { projectEffects } from "../../../../src/core/history/read/project-effects";
import { timelineOf } from "../../../../src/core/history/read/timeline";

const time = (ms: number) => new Date(ms).toISOString();
const key = (n: number) => `agent/m~${"a".repeat(43)}~${n}`;
const call = (n: number, more: object = {}) => ({
  input: {
    name: "charge",
    args: { n },
    idempotency_key: key(n),
    agent: null,
    task: n === 1 ? "pay" : null,
    turn: 1,
    effect: { kind: "write", at: 5, call: n },
  },
  began: 1_000 + n,
  at: 1_001 + n,
  answer: { ok: true, value: { tx: n } },
  ...more,
});

/** A history with a stretch that ends with this event. */
const historyWith = (eventType: string, attributes: object, input: object = {}) => {
  const field = `${eventType.charAt(0).toLowerCase()}${eventType.slice(1)}EventAttributes`;
  return {
    events: [
      { eventId: "1", eventType: "WorkflowExecutionStarted", eventTime: time(900) },
      {
        eventId: "5",
        eventType: "ActivityTaskScheduled",
        eventTime: time(1_000),
        activityTaskScheduledEventAttributes: {
          activityType: { name: "runStretch" },
          input: jsonPayloads(input as never),
        },
      },
      {
        eventId: "6",
        eventType: "ActivityTaskStarted",
        eventTime: time(1_000),
        activityTaskStartedEventAttributes: { scheduledEventId: "5" },
      },
      { eventId: "7", eventType, eventTime: time(2_000), [field]: { scheduledEventId: "5", ...attributes } },
    ],
  };
};

/** The call as its run makes it by itself. */
const madeAlone = ({ input, answer }: ReturnType<typeof call>) => [
  {
    ...{ eventId: "16", eventType: "ActivityTaskScheduled", eventTime: time(2_300) },
    activityTaskScheduledEventAttributes: { activityType: { name: "callTool" }, input: jsonPayloads(input as never) },
  },
  {
    ...{ eventId: "18", eventType: "ActivityTaskCompleted", eventTime: time(2_400) },
    activityTaskCompletedEventAttributes: { scheduledEventId: "16", result: jsonPayloads(answer as never) },
  },
];

const completed = (calls: object[]) =>
  historyWith("ActivityTaskCompleted", { result: jsonPayloads({ stretch: calls, end: "other" } as never) });

test("before the answer of a stretch stands what an activity of its own would have left of each call", () => {
  const events = readHistory(completed([call(1), call(2, { attempts: 2 })]));
  expect(events.map(({ type, at }) => [type, at])).toEqual([
    ["WorkflowExecutionStarted", 900],
    ["ActivityTaskScheduled", 1_000],
    ["ActivityTaskStarted", 1_000],
    ["ActivityTaskScheduled", 1_001],
    ["ActivityTaskStarted", 1_001],
    ["ActivityTaskCompleted", 1_002],
    ["ActivityTaskScheduled", 1_002],
    ["ActivityTaskStarted", 1_002],
    ["ActivityTaskCompleted", 1_003],
    ["ActivityTaskCompleted", 2_000],
  ]);
  const [first, , answer, second, started] = events.slice(3);
  expect(first).toMatchObject({ summary: "task pay: charge", attributes: { activityType: { name: "callTool" } } });
  expect(decodePayloads(first?.attributes.input)).toEqual(call(1).input);
  expect(answer?.attributes.scheduledEventId).toBe(first?.id);
  expect(decodePayloads(answer?.attributes.result)).toEqual({ ok: true, value: { tx: 1 } });
  expect(second).toMatchObject({ summary: "turn 1: charge" });
  expect(started?.attributes.attempt).toBe(2);
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

test("the ledger and the timeline of a history have the calls of a stretch", () => {
  const history = completed([
    call(1),
    call(2, { answer: { ok: false, fail: { reason: "tool_error", message: "no money" } } }),
  ]);
  expect(projectEffects(history)).toMatchObject([
    { key: key(1), state: "done", answer: { tx: 1 }, task: "pay" },
    { key: key(2), state: "failed", message: "no money" },
  ]);
  expect(timelineOf(readHistory(history)).map(({ text, outcome }) => [text, outcome])).toEqual([
    ["started ", undefined],
    ["runStretch", "ok"],
    ["task pay: charge", "ok"],
    ["turn 1: charge", "failed"],
  ]);
});

const details = jsonPayloads({ stretch: [call(1)] } as never);
const timedOut = { failure: { message: "activity timeout", timeoutFailureInfo: { lastHeartbeatDetails: details } } };

test.each([
  ["timed out", "ActivityTaskTimedOut", timedOut],
  ["was behind another failure", "ActivityTaskTimedOut", { failure: { cause: timedOut.failure } }],
  ["was under way when its mission was terminated", "WorkflowExecutionTerminated", { reason: "anna", details }],
])("a stretch that %s has the calls that its heartbeat kept", (_, type, attributes) => {
  expect(projectEffects(historyWith(type, attributes))).toMatchObject([{ key: key(1), state: "done" }]);
});

const signalled = (report: object, signalName = "stretchReported") => ({
  eventId: "7",
  eventType: "WorkflowExecutionSignaled",
  eventTime: time(1_500),
  workflowExecutionSignaledEventAttributes: { signalName, input: jsonPayloads(report as never) },
});
const begunCall = ({ input, began }: ReturnType<typeof call>) => ({ input, began });

/** A stretch that reports its first call while the second is under way, and then ends like this. */
function reportedHistory(result: object, reports = [{ n: 1, stretch: [call(1)], under_way: begunCall(call(2)) }]) {
  const { events } = historyWith("ActivityTaskCompleted", { result: jsonPayloads(result as never) });
  const [started, scheduled, begun, end] = events;
  const input = jsonPayloads({ n: 1 });
  const asked = { ...scheduled, activityTaskScheduledEventAttributes: { activityType: { name: "runStretch" }, input } };
  return { events: [started, asked, begun, ...reports.map((report) => signalled(report)), { ...end, eventId: "9" }] };
}

const types = (history: object) => readHistory(history as never).map(({ type }) => type.replace("ActivityTask", ""));
const CALL = ["Scheduled", "Started", "Completed"];

test("a report has the calls so far and the one under way; its end has that one's answer and those behind it", () => {
  const history = reportedHistory({ stretch: [call(1), call(2), call(3)], end: "limit" });
  const before = ["WorkflowExecutionStarted", "Scheduled", "Started"];
  const report = [...CALL, "Scheduled", "Started", "WorkflowExecutionSignaled"];
  expect(types(history)).toEqual([...before, ...report, "Completed", ...CALL, "Completed"]);
  const events = readHistory(history as never);
  expect(events[9]?.attributes.scheduledEventId).toBe(events[6]?.id);
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  expect(projectEffects(history as never).map((entry) => [entry.key, entry.state])).toEqual(
    [1, 2, 3].map((n) => [key(n), "done"]),
  );
});

test("a call under way that gets no answer is cancelled; a second report says nothing new, nor one of another stretch", () => {
  const under_way = begunCall(call(2));
  const history = reportedHistory({ stretch: [call(1)], end: "stopped", under_way }, [
    { n: 1, stretch: [call(1)], under_way },
    { n: 1, stretch: [call(1)], under_way },
    { n: 2, stretch: [call(1), call(2), call(3)], under_way },
  ]);
  expect(types(history).slice(3)).toEqual([
    ...[...CALL, "Scheduled", "Started", "WorkflowExecutionSignaled"],
    ...["WorkflowExecutionSignaled", "WorkflowExecutionSignaled", "Canceled", "Completed"],
  ]);
  expect(projectEffects(history as never).map((entry) => entry.state)).toEqual(["done", "intended"]);
});

test("a report that comes behind the end of its stretch says nothing", () => {
  const { events } = reportedHistory({ stretch: [call(1), call(2)], end: "limit" });
  const [end] = events.splice(4, 1);
  const [report] = events.splice(3, 1);
  const late = { events: [...events, { ...end, eventId: "7" }, { ...report, eventId: "9" }] };
  expect(projectEffects(late as never).map((entry) => entry.state)).toEqual(["done", "done"]);
});

test("a stretch that is stopped in a call tells that it was begun, without a report as well", () => {
  const history = reportedHistory({ stretch: [call(1)], end: "stopped", under_way: begunCall(call(2)) }, []);
  expect(types(history).slice(3)).toEqual([...CALL, "Scheduled", "Started", "Canceled", "Completed"]);
});

test("a mission that is terminated during a call of a stretch has begun it", () => {
  const details = jsonPayloads({ stretch: [call(1)], under_way: begunCall(call(2)) } as never);
  const history = historyWith("WorkflowExecutionTerminated", { reason: "anna", details });
  expect(projectEffects(history).map((entry) => entry.state)).toEqual(["done", "intended"]);
});

test("a mission that is terminated before a stretch goes on behind a lost one has begun the call that was under way then", () => {
  const kept = { stretch: [], under_way: begunCall(call(2, { attempts: 2 })) };
  const history = historyWith("WorkflowExecutionTerminated", {}, { kept });
  expect(projectEffects(history).map(({ state, call }) => [state, call])).toEqual([["intended", 2]]);
});

test("a stretch that is lost while its run is cancelled has the call that was under way", () => {
  const kept = jsonPayloads({ stretch: [call(1)], under_way: begunCall(call(2)) } as never);
  const lost = historyWith("ActivityTaskTimedOut", { failure: { timeoutFailureInfo: { lastHeartbeatDetails: kept } } });
  const cancelled = { eventId: "8", eventType: "WorkflowExecutionCancelRequested", eventTime: time(2_050) };
  const decided = { eventId: "10", eventType: "WorkflowTaskCompleted", eventTime: time(2_100) };
  const states = (...events: object[]) =>
    projectEffects({ events: [...lost.events, ...events] } as never).map(({ state }) => state);
  expect(states(decided)).toEqual(["done"]);
  expect(states(cancelled)).toEqual(["done"]);
  expect(states(cancelled, decided)).toEqual(["done", "intended"]);
});

test.each([
  ["a failure", "ActivityTaskFailed", { failure: { message: "away" } }],
  ["a heartbeat that kept nothing", "ActivityTaskTimedOut", { failure: { timeoutFailureInfo: {} } }],
  ["a result of something else", "ActivityTaskCompleted", { result: jsonPayloads({ stretch: "none" }) }],
])("%s has no calls", (_, type, attributes) => {
  expect(readHistory(historyWith(type, attributes))).toHaveLength(4);
});

describe("a stretch that begins with the reply of a model", () => {
  const reply = { content: "(pay)", model: "m", ledger_signature: "s" };
  const said = { reply, replied_at: 1_000 };
  const input = jsonPayloads({ call: 1, stretch: { n: 1 } });
  /** It reports like this, and ends with this event. */
  const turnHistory = (reports: object[], type: string, attributes: object) => {
    const [started, scheduled, begun, end] = historyWith(type, attributes).events;
    const asked = { ...scheduled, activityTaskScheduledEventAttributes: { activityType: { name: "runTurn" }, input } };
    return { events: [started, asked, begun, ...reports.map((one) => signalled(one)), { ...end, eventId: "9" }] };
  };
  const endOf = (ahead: object) => ({ result: jsonPayloads({ ...reply, ahead } as never) });
  const MODEL = ["WorkflowExecutionStarted", "Scheduled", "Started"];
  const replyIn = (history: object) =>
    readHistory(history as never)
      .filter(({ type, attributes }) => type === "ActivityTaskCompleted" && Number(attributes.scheduledEventId) === 5)
      .map(({ at, attributes }) => [at, decodePayloads(attributes.result)]);
  const inOrder = (history: object) => {
    const ids = readHistory(history as never).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  };

  test("is a model call, which ends with the reply, and its calls", () => {
    const history = turnHistory(
      [],
      "ActivityTaskCompleted",
      endOf({ stretch: [call(1), call(2)], end: "other", replied_at: 1_000 }),
    );
    expect(types(history)).toEqual([...MODEL, "Completed", ...CALL, ...CALL]);
    expect(replyIn(history)).toEqual([[1_000, reply]]);
    expect(timelineOf(readHistory(history as never)).map(({ kind }) => kind)).toEqual([
      "start",
      "model",
      "tool",
      "tool",
    ]);
    inOrder(history);
  });

  test("tells the reply once, where it reports and ends behind that", () => {
    const history = turnHistory(
      [{ ...said, n: 1, stretch: [call(1)], under_way: begunCall(call(2)) }],
      "ActivityTaskCompleted",
      endOf({ stretch: [call(1), call(2)], end: "limit", replied_at: 1_000 }),
    );
    const report = ["Completed", ...CALL, "Scheduled", "Started", "WorkflowExecutionSignaled"];
    expect(types(history)).toEqual([...MODEL, ...report, "Completed"]);
    expect(replyIn(history)).toEqual([[1_000, reply]]);
    expect(projectEffects(history as never).map(({ state }) => state)).toEqual(["done", "done"]);
    inOrder(history);
  });

  test("has no call where it was held, nor where the worker did not know the run", () => {
    const plain = { result: jsonPayloads(reply as never) };
    const history = turnHistory([{ n: 1, stretch: [] }], "ActivityTaskCompleted", plain);
    expect(types(history)).toEqual([...MODEL, "WorkflowExecutionSignaled", "Completed"]);
    expect(replyIn(history)).toEqual([[2_000, reply]]);
  });

  test("that another activity goes on with, because its worker was lost, tells each call once", () => {
    const [started, scheduled, begun] = historyWith("ActivityTaskCompleted", {}).events;
    const asked = (eventId: string) => ({
      ...scheduled,
      eventId,
      activityTaskScheduledEventAttributes: { activityType: { name: "runTurn" }, input },
    });
    const details = jsonPayloads({ ...said, stretch: [call(1)], under_way: begunCall(call(2)) } as never);
    const all = { stretch: [call(1), call(2, { attempts: 2 })], end: "other", replied_at: 1_000 };
    const history = {
      events: [
        ...[started, asked("5"), begun],
        {
          eventId: "7",
          eventType: "ActivityTaskFailed",
          eventTime: time(1_500),
          activityTaskFailedEventAttributes: {
            scheduledEventId: "5",
            failure: { message: "lost", applicationFailureInfo: { type: "worker_lost", details } },
          },
        },
        asked("8"),
        {
          eventId: "10",
          eventType: "ActivityTaskCompleted",
          eventTime: time(2_000),
          activityTaskCompletedEventAttributes: { scheduledEventId: "8", ...endOf(all) },
        },
      ],
    };
    expect(types(history)).toEqual([...MODEL, "Failed", "Scheduled", "Completed", ...CALL, ...CALL]);
    expect(timelineOf(readHistory(history as never)).map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["start", undefined],
      ["model", "failed"],
      ["model", "ok"],
      ["tool", "ok"],
      ["tool", "ok"],
    ]);
    expect(projectEffects(history as never).map((entry) => entry.state)).toEqual(["done", "done"]);
    inOrder(history);
    // Until the run has decided, nothing is told of what was kept; and all, where it takes it itself.
    const open = { events: history.events.slice(0, 4) };
    expect(types(open)).toEqual([...MODEL, "Failed"]);
    const decided = { eventId: "9", eventType: "WorkflowTaskCompleted", eventTime: time(1_600) };
    expect(types({ events: [...open.events, decided] })).toEqual([
      ...[...MODEL, "Completed", ...CALL],
      "WorkflowTaskCompleted",
    ]);
    // A run that was cancelled does not make the call that was under way: nobody knows whether it was made.
    const cancelled = { eventId: "8", eventType: "WorkflowExecutionCancelRequested", eventTime: time(1_550) };
    const left = { events: [...open.events, cancelled, decided] };
    expect(types(left)).toEqual([
      ...[...MODEL, "Completed", ...CALL, "Scheduled", "Started", "Canceled"],
      ...["WorkflowExecutionCancelRequested", "WorkflowTaskCompleted"],
    ]);
    expect(projectEffects(left as never).map((entry) => entry.state)).toEqual(["done", "intended"]);
    // Until the run has heard of it, it has only what it knew.
    expect(types({ events: left.events.slice(0, -1) })).toEqual([
      ...MODEL,
      "Failed",
      "WorkflowExecutionCancelRequested",
    ]);
    inOrder(left);
  });

  describe("that another activity went on with before it was lost, too,", () => {
    const [, scheduled] = turnHistory([], "ActivityTaskTimedOut", {}).events;
    const kept = { ...said, stretch: [call(1)], under_way: begunCall(call(2)) };
    const first = turnHistory([], "ActivityTaskTimedOut", {
      failure: { timeoutFailureInfo: { lastHeartbeatDetails: jsonPayloads(kept as never) } },
    });
    const stretch = { ...(decodePayloads(input as never) as { stretch: object }).stretch, now: 1_000, left_ms: 5_000 };
    const again = {
      ...scheduled,
      eventId: "12",
      activityTaskScheduledEventAttributes: {
        activityType: { name: "runTurn" },
        input: jsonPayloads({ stretch: { ...stretch, kept } } as never),
      },
    };
    const task = (eventId: string) => ({ eventId, eventType: "WorkflowTaskCompleted", eventTime: time(2_100) });
    const end = (eventType: string, ms = 2_200) => ({
      ...{ eventId: "14", eventType, eventTime: time(ms) },
      [`${eventType.charAt(0).toLowerCase()}${eventType.slice(1)}EventAttributes`]: { scheduledEventId: "12" },
    });
    const cancelled = (eventId: string) => ({
      ...{ eventId, eventType: "WorkflowExecutionCancelRequested", eventTime: time(2_150) },
    });
    const terminated = { eventId: "20", eventType: "WorkflowExecutionTerminated", eventTime: time(9_000) };
    const statesOf = (...events: object[]) => {
      const history = { events: [...first.events, task("11"), again, ...events] };
      inOrder(history);
      return projectEffects(history as never).map(({ state }) => state);
    };

    test.each<[string, object[], string[]]>([
      ["tells what the first had kept", [end("ActivityTaskTimedOut"), task("15")], ["done"]],
      ["tells nothing before the run has heard of it", [end("ActivityTaskTimedOut")], []],
      [
        "tells the call under way where the run is cancelled",
        [cancelled("13"), end("ActivityTaskTimedOut"), task("15")],
        ["done", "intended"],
      ],
      ["tells it once where the run is terminated", [end("ActivityTaskTimedOut"), terminated], ["done", "intended"]],
      ["tells it while it is terminated itself", [terminated], ["done", "intended"]],
      [
        "has nothing that a termination tells anew",
        [end("ActivityTaskTimedOut"), task("15"), ...madeAlone(call(2)), terminated],
        ["done", "done"],
      ],
      [
        "has nothing where it is cancelled with its mission",
        [cancelled("13"), end("ActivityTaskCanceled"), task("15")],
        [],
      ],
      ["has nothing where the time of its mission is over", [end("ActivityTaskCanceled", 7_000), task("15")], []],
      ["tells what was kept where it is held", [end("ActivityTaskCanceled"), task("15")], ["done"]],
    ])("%s", (_, events, states) => {
      expect(statesOf(...events)).toEqual(states);
    });
  });

  test("that has reported before its worker was lost goes on in the next activity: nothing is told twice", () => {
    const { events } = turnHistory(
      [{ ...said, n: 1, stretch: [call(1)], under_way: begunCall(call(2)) }],
      "ActivityTaskTimedOut",
      { failure: { timeoutFailureInfo: {} } },
    );
    const [, scheduled] = events;
    const all = { stretch: [call(1), call(2), call(3)], end: "other", replied_at: 1_000 };
    const history = {
      events: [
        ...events,
        { eventId: "11", eventType: "WorkflowTaskCompleted", eventTime: time(2_100) },
        { ...scheduled, eventId: "12" },
        {
          eventId: "14",
          eventType: "ActivityTaskCompleted",
          eventTime: time(2_200),
          activityTaskCompletedEventAttributes: { scheduledEventId: "12", ...endOf(all) },
        },
      ],
    };
    expect(types(history)).toEqual([
      ...[...MODEL, "Completed", ...CALL, "Scheduled", "Started", "WorkflowExecutionSignaled"],
      ...["WorkflowTaskCompleted", "Scheduled", "Completed", ...CALL, "Completed"],
    ]);
    expect(replyIn(history)).toEqual([[1_000, reply]]);
    expect(projectEffects(history as never).map((entry) => entry.state)).toEqual(["done", "done", "done"]);
    inOrder(history);
  });

  test("a failure of the model is one; what a heartbeat had kept is a reply with its calls", () => {
    expect(types(turnHistory([], "ActivityTaskFailed", { failure: { message: "busy" } }))).toEqual([
      ...MODEL,
      "Failed",
    ]);
    const lastHeartbeatDetails = jsonPayloads({ ...said, stretch: [call(1)], under_way: begunCall(call(2)) } as never);
    const lost = turnHistory([], "ActivityTaskTimedOut", { failure: { timeoutFailureInfo: { lastHeartbeatDetails } } });
    lost.events.push({ eventId: "10", eventType: "WorkflowTaskCompleted", eventTime: time(2_100) } as never);
    expect(types(lost)).toEqual([...MODEL, "Completed", ...CALL, "WorkflowTaskCompleted"]);
    const details = lastHeartbeatDetails;
    const ended = turnHistory([], "WorkflowExecutionTerminated", { reason: "anna", details });
    expect(types(ended)).toEqual([
      ...[...MODEL, "Completed", ...CALL, "Scheduled", "Started"],
      "WorkflowExecutionTerminated",
    ]);
  });
});
