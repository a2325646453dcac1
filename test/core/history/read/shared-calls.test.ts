import type { HistoryFact } from "../../../../src/core/history/read/facts";
import { readHistory } from "../../../../src/core/history/read/history";
import { projectEffects } from "../../../../src/core/history/read/project-effects";
import { timelineOf } from "../../../../src/core/history/read/timeline";
import {
  BEGUN,
  begins,
  begun,
  CALL,
  cancelled,
  completed,
  decided,
  type Exported,
  type ExportedEvent,
  event,
  givenBack,
  history,
  journal,
  key,
  lost,
  made,
  payloads,
  report,
  runCancelled,
  scheduled,
  shared,
  signal,
  started,
  states,
  terminated,
  types,
} from "./made-calls";

const HEAD = { seq: 3, hash: "h", at: 990 };
const CHANGES = { journal_changes: [{ id: "seat", reset: true }] };
const NO_MONEY = { ok: false as const, fail: { reason: "tool_error" as const, message: "no money" } };

/** Call number `n` as its run makes it alone. */
const alone = (n: number): ExportedEvent[] => [
  event(16, "ActivityTaskScheduled", 2_300, { activityType: { name: "callTool" }, input: payloads(shared(n)) }),
  event(18, "ActivityTaskCompleted", 2_400, { scheduledEventId: "16", result: payloads(made(n).answer) }),
];

/** A field that not every kind of fact has. */
const field = (fact: HistoryFact | undefined, name: string): unknown =>
  (fact as { [field: string]: unknown } | undefined)?.[name];

const timeline = (given: Exported) => timelineOf(readHistory(given)).map(({ text, outcome }) => [text, outcome]);

// --- calls of a program ----------------------------------------------------------------------------------------------

describe("calls of a program", () => {
  const PROGRAM = { n: 1, run: { base: 0 } };
  const BEFORE = ["started", "scheduled", "started"];
  const with_ = (...events: ExportedEvent[]) => history(begins, scheduled(5, PROGRAM), started(5), ...events);
  const ending = (result: object) => with_(completed(7, 5, result));

  test("a call begins when its activity has begun, also by the clock of a worker that is behind the server's", () => {
    const began = (at: number) => {
      const facts = readHistory(ending({ made: [made(1, { began: at })], end: "other" }));
      return facts.filter(({ kind }) => kind === "activity_started").map((fact) => fact.at);
    };
    const [server = Number.NaN, usual] = began(1_900);
    expect(usual).toBe(1_900);
    expect(began(server - 5)).toEqual([server, server]);
  });

  test("before the end of the activity stands what a separate activity would have left of each call", () => {
    const given = ending({ made: [made(1), made(2, { attempts: 2 })], end: "other" });
    expect(types(given)).toEqual([...BEFORE, ...CALL, ...CALL, "completed"]);
    const events = readHistory(given);
    expect(events.map(({ at }) => at)).toEqual([900, 1_000, 1_000, 1_001, 1_001, 1_002, 1_002, 1_002, 1_003, 2_000]);
    const [first, , answer, second, begin] = events.slice(3);
    expect(first).toMatchObject({
      summary: "task pay: charge",
      activity_id: "5.1",
      activity: "callTool",
    });
    expect(field(first, "input")).toEqual(shared(1));
    expect(field(answer, "call")).toBe(first?.id);
    expect(field(answer, "result")).toEqual({ ok: true, value: { tx: 1 } });
    expect(second).toMatchObject({ summary: "turn 1: charge", activity_id: "5.2" });
    expect(begin).toMatchObject({ call: second?.id, attempt: 2 });
  });

  test("ledger and timeline have them", () => {
    const given = ending({ made: [made(1), made(2, { answer: NO_MONEY })], end: "other" });
    expect(projectEffects(given)).toMatchObject([
      { key: key(1), state: "done", answer: { tx: 1 }, task: "pay" },
      { key: key(2), state: "failed", message: "no money" },
    ]);
    expect(timeline(given)).toEqual([
      ["started ", undefined],
      ["runCalls", "ok"],
      ["task pay: charge", "ok"],
      ["turn 1: charge", "failed"],
    ]);
  });

  test("the activity itself is as the server has it: with what it carries", () => {
    const carrying = scheduled(5, { ...PROGRAM, ledger_head: HEAD }, [CHANGES]);
    const found = readHistory(history(begins, carrying))[1];
    expect(field(found, "input")).toEqual({ ...PROGRAM, ledger_head: HEAD });
    expect(found?.changes).toEqual(CHANGES.journal_changes);
  });

  test.each<[string, ExportedEvent[]]>([
    ["timed out", [lost(7, 5, journal([made(1)]))]],
    [
      "timed out inside another failure",
      [
        event(7, "ActivityTaskTimedOut", 2_000, {
          scheduledEventId: "5",
          failure: { cause: { timeoutFailureInfo: { lastHeartbeatDetails: payloads(journal([made(1)])) } } },
        }),
      ],
    ],
    ["was given back by its worker", [givenBack(7, 5, journal([made(1)]))]],
    ["was under way when its mission was terminated", [terminated(7, journal([made(1)]))]],
  ])("one that %s has the calls that its heartbeat kept", (_, events) => {
    expect(projectEffects(with_(...events))).toMatchObject([{ key: key(1), state: "done" }]);
  });

  test("a termination has what each activity kept: another one's calls are not this one's", () => {
    expect(states(with_(terminated(7, journal([made(1)], { activity: "6" }))))).toEqual([]);
  });

  test.each<[string, ExportedEvent]>([
    ["a failure", event(7, "ActivityTaskFailed", 2_000, { scheduledEventId: "5", failure: { message: "away" } })],
    ["a heartbeat that kept nothing", lost(7, 5)],
    ["a heartbeat of something else", lost(7, 5, { calls: [] })],
    ["a result of something else", completed(7, 5, { made: "none" })],
    ["a cancellation", cancelled(7, 5)],
  ])("%s has no calls", (_, end) => {
    expect(readHistory(with_(end))).toHaveLength(4);
  });

  describe("that take long", () => {
    const REPORT = journal([made(1)], { reported: true, under_way: begun(2) });
    const reported = (result: object, ...reports: ExportedEvent[]) =>
      with_(...(reports.length === 0 ? [report(7, REPORT)] : reports), completed(9, 5, result));

    test("the run has read those so far and the one under way; the end has its answer, and those after it", () => {
      const given = reported({ made: [made(1), made(2), made(3)], end: "limit" });
      expect(types(given)).toEqual([
        ...[...BEFORE, ...CALL, ...BEGUN, "local_activity"],
        ...["completed", ...CALL, "completed"],
      ]);
      const events = readHistory(given);
      expect(field(events[9], "call")).toBe(events[6]?.id);
      expect(projectEffects(given).map((entry) => [entry.key, entry.state])).toEqual(
        [1, 2, 3].map((n) => [key(n), "done"]),
      );
    });

    test("that the run has read them is no call", () => {
      const given = reported({ made: [made(1), made(2)], end: "limit" });
      expect(timeline(given).map(([text]) => text)).toEqual([
        ...["started ", "runCalls", "task pay: charge", "turn 1: charge"],
      ]);
    });

    test("one under way that gets no answer is cancelled; a second reading shows nothing new, nor one of another activity", () => {
      const given = reported(
        { made: [made(1)], end: "stopped", under_way: begun(2) },
        ...[report(7, REPORT), event(8, "WorkflowTaskScheduled", 1_600)],
        { ...report(8, REPORT), eventId: "8.2" },
        { ...report(8, { ...REPORT, n: 2, made: [made(1), made(2), made(3)] }), eventId: "8.4" },
      );
      expect(types(given).slice(3)).toEqual([
        ...[...CALL, ...BEGUN, "local_activity", "other"],
        ...["local_activity", "local_activity", "cancelled", "completed"],
      ]);
      expect(states(given)).toEqual(["done", "intended"]);
    });

    test.each<[string, ExportedEvent]>([
      ["a signal, which anybody can send", signal(7, { ...REPORT, made: [made(1), made(2), made(3)] })],
      ["a reading that found no activity", report(7, null)],
      ["a reading of what was not reported", report(7, journal([made(1)], { under_way: begun(2) }))],
      ["another local activity", { ...event(7, "MarkerRecorded", 1_500, { markerName: "core_patch" }) }],
    ])("%s shows no call", (_, told) => {
      expect(readHistory(with_(told))).toHaveLength(4);
    });

    test("a reading after the end shows nothing", () => {
      const late = with_(completed(7, 5, { made: [made(1), made(2)], end: "limit" }), report(9, REPORT));
      expect(types(late)).toEqual([...BEFORE, ...CALL, ...CALL, "completed", "local_activity"]);
      expect(states(late)).toEqual(["done", "done"]);
    });
  });

  test("one that is stopped in a call shows that it was begun, without a report as well", () => {
    const given = ending({ made: [made(1)], end: "stopped", under_way: begun(2) });
    expect(types(given).slice(3)).toEqual([...CALL, ...BEGUN, "cancelled", "completed"]);
  });

  test("a mission that is terminated during a call has begun it", () => {
    expect(states(with_(terminated(7, journal([made(1)], { under_way: begun(2) }))))).toEqual(["done", "intended"]);
  });

  test("a mission that is terminated before another activity continues has begun the call that was under way at the loss", () => {
    const kept = journal([], { activity: "", n: 2, under_way: begun(1, { attempts: 2 }) });
    const given = history(begins, scheduled(5, { ...PROGRAM, n: 2, kept }), started(5), terminated(7));
    expect(projectEffects(given).map(({ state, call }) => [state, call])).toEqual([["intended", 1]]);
    // Its heartbeat still has what an activity before it kept.
    const beats = history(begins, scheduled(5, { ...PROGRAM, n: 2, kept }), started(5), terminated(7, kept));
    expect(states(beats)).toEqual(["intended"]);
  });

  test.each<[string, ExportedEvent[], string[]]>([
    ["the run makes the call again", [decided(10)], ["done"]],
    ["the run does not know that it is cancelled", [runCancelled(8)], ["done"]],
    ["the run is cancelled, and makes nothing more", [runCancelled(8), decided(10)], ["done", "intended"]],
  ])("a call under way at a loss: %s", (_, after, expected) => {
    const end = lost(7, 5, journal([made(1)], { under_way: begun(2) }));
    expect(states(with_(end, ...after))).toEqual(expected);
  });
});

// --- a model, and calls of the program in its reply ------------------------------------------------------------------

describe("a model, and calls after its reply", () => {
  const ASKED = { model: "m", call: 1, turn: 1 };
  const INPUT = { n: 1, now: 1_000, left_ms: 5_000, model: ASKED, run: { base: 0 } };
  const reply = { content: "(pay)", model: "m" };
  const REPLIED = { reply, replied_at: 1_000 };
  const MODEL = ["started", "scheduled", "started"];
  const with_ = (...events: ExportedEvent[]) => history(begins, scheduled(5, INPUT), started(5), ...events);
  const kept = journal([made(1)], { ...REPLIED, under_way: begun(2) });
  const REPORT = { ...kept, reported: true };

  /** When the model replied, and what. */
  const repliesIn = (given: Exported) =>
    readHistory(given).flatMap((fact) =>
      fact.kind === "activity_ended" && fact.outcome === "completed" && fact.call === 5 ? [[fact.at, fact.result]] : [],
    );

  test("read as a model call that ends with the reply, and its calls", () => {
    const given = with_(completed(7, 5, { ...REPLIED, made: [made(1), made(2)], end: "other" }));
    expect(types(given)).toEqual([...MODEL, "completed", ...CALL, ...CALL]);
    expect(repliesIn(given)).toEqual([[1_000, reply]]);
    expect(timelineOf(readHistory(given)).map(({ kind }) => kind)).toEqual(["start", "model", "tool", "tool"]);
    const asked = readHistory(given)[1];
    expect(field(asked, "activity")).toBe("callModel");
    expect(field(asked, "input")).toMatchObject(ASKED);
  });

  test("a reply alone ends at the end of its activity", () => {
    const given = with_(completed(7, 5, { reply, made: [], end: "other" }));
    expect(types(given)).toEqual([...MODEL, "completed"]);
    expect(repliesIn(given)).toEqual([[2_000, reply]]);
  });

  test("what the model call carries is there still: changes of the journal, and the head that its worker signs", () => {
    const carrying = scheduled(5, { ...INPUT, ledger_head: HEAD }, [CHANGES]);
    const end = completed(7, 5, { ...REPLIED, made: [], end: "other", ledger_signature: "s" });
    const [, asked, , replied] = readHistory(history(begins, carrying, started(5), end));
    expect(asked?.changes).toEqual(CHANGES.journal_changes);
    expect(field(asked, "input")).toMatchObject({ ledger_head: HEAD });
    expect(field(replied, "result")).toEqual({ ...reply, ledger_signature: "s" });
  });

  test("the signature comes with the reply that is shown: of a report, and of what a lost worker had kept", () => {
    const signed = { ...REPORT, ledger_signature: "s" };
    const end = completed(9, 5, { ...REPLIED, made: [made(1), made(2)], end: "limit", ledger_signature: "s" });
    const expected = [[1_000, { ...reply, ledger_signature: "s" }]];
    expect(repliesIn(with_(report(7, signed), end))).toEqual(expected);
    expect(repliesIn(with_(lost(7, 5, { ...kept, ledger_signature: "s" }), decided(10)))).toEqual(expected);
  });

  test("the reply stands once, where the activity reports it and ends later", () => {
    const given = with_(report(7, REPORT), completed(9, 5, { ...REPLIED, made: [made(1), made(2)], end: "limit" }));
    expect(types(given)).toEqual([...MODEL, "completed", ...CALL, ...BEGUN, "local_activity", "completed"]);
    expect(repliesIn(given)).toEqual([[1_000, reply]]);
    expect(states(given)).toEqual(["done", "done"]);
  });

  test("no call stands where the activity was asked to make none, nor where its worker did not know the run", () => {
    const given = with_(report(7, journal([], { reported: true })), completed(9, 5, { reply, made: [], end: "other" }));
    expect(types(given)).toEqual([...MODEL, "local_activity", "completed"]);
    expect(repliesIn(given)).toEqual([[2_000, reply]]);
  });

  test("a failure of the model is one", () => {
    const failed = event(7, "ActivityTaskFailed", 2_000, { scheduledEventId: "5", failure: { message: "busy" } });
    expect(types(with_(failed))).toEqual([...MODEL, "failed"]);
    expect(types(with_(failed, decided(9)))).toEqual([...MODEL, "failed", "workflow_task_completed"]);
  });

  test("a model that is asked again under the same number is two model calls", () => {
    const busy = event(7, "ActivityTaskFailed", 1_500, { scheduledEventId: "5", failure: { message: "busy" } });
    const { run: _, ...without } = INPUT;
    const again = with_(busy, decided(9), scheduled(10, without), completed(12, 10, { reply, made: [], end: "other" }));
    expect(types(again)).toEqual([...MODEL, "failed", "workflow_task_completed", "scheduled", "completed"]);
    expect(timelineOf(readHistory(again)).map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["start", undefined],
      ["model", "failed"],
      ["model", "ok"],
    ]);
  });

  test("what a heartbeat kept is a reply with its calls: after a loss, and at a termination", () => {
    expect(types(with_(lost(7, 5, kept), decided(10)))).toEqual([
      ...[...MODEL, "completed", ...CALL, "workflow_task_completed"],
    ]);
    expect(types(with_(terminated(7, kept)))).toEqual([...MODEL, "completed", ...CALL, ...BEGUN, "terminated"]);
  });

  describe("that another activity continues, because the worker was lost:", () => {
    const all = { ...REPLIED, made: [made(1), made(2, { attempts: 2 })], end: "other" };
    const first = [begins, scheduled(5, INPUT), started(5), givenBack(7, 5, kept, 1_500)];
    const given = history(...first, scheduled(8, { ...INPUT, kept }), completed(10, 8, all));

    test("each call stands once", () => {
      expect(types(given)).toEqual([...MODEL, "failed", "scheduled", "completed", ...CALL, ...CALL]);
      expect(timelineOf(readHistory(given)).map(({ kind, outcome }) => [kind, outcome])).toEqual([
        ["start", undefined],
        ["model", "failed"],
        ["model", "ok"],
        ["tool", "ok"],
        ["tool", "ok"],
      ]);
      expect(states(given)).toEqual(["done", "done"]);
    });

    test.each<[string, ExportedEvent[], string[]]>([
      ["until the run has decided, nothing stands of it", [], ["failed"]],
      ["all stands where the run takes it", [decided(9)], ["completed", ...CALL, "workflow_task_completed"]],
      [
        // Nobody knows whether it was made.
        "a cancelled run has the call that was under way as well",
        [runCancelled(8), decided(9)],
        ["completed", ...CALL, ...BEGUN, "cancelled", "cancel_requested", "workflow_task_completed"],
      ],
      ["until it knows that it is cancelled, it has nothing", [runCancelled(8)], ["failed", "cancel_requested"]],
    ])("%s", (_, after, shown) => {
      expect(types(history(...first, ...after))).toEqual([...MODEL, ...shown]);
    });
  });

  describe("that another activity continued before it was lost, too:", () => {
    const first = [begins, scheduled(5, INPUT), started(5), lost(7, 5, kept), decided(11)];
    const again = scheduled(12, { ...INPUT, kept }, [], 2_150);

    test.each<[string, ExportedEvent[], string[]]>([
      ["it has what the first had kept", [lost(14, 12), decided(15)], ["done"]],
      ["it has nothing before the run knows", [lost(14, 12)], []],
      [
        "it has the call under way where the run is cancelled",
        [runCancelled(13), lost(14, 12), decided(15)],
        ["done", "intended"],
      ],
      ["it has that once where the run is terminated", [lost(14, 12), terminated(20)], ["done", "intended"]],
      ["it has that while it is terminated itself", [terminated(20)], ["done", "intended"]],
      [
        "it has nothing that a termination shows anew",
        [lost(14, 12), decided(15), ...alone(2), terminated(20)],
        ["done", "done"],
      ],
      [
        "it has nothing where it is cancelled with its mission",
        [runCancelled(13), cancelled(14, 12, 2_200), decided(15)],
        [],
      ],
      ["it has nothing where the time of its mission is over", [cancelled(14, 12, 7_000), decided(15)], []],
      ["it has what was kept where it is stopped", [cancelled(14, 12, 2_200), decided(15)], ["done"]],
    ])("%s", (_, events, expected) => {
      const given = history(...first, again, ...events);
      types(given);
      expect(states(given)).toEqual(expected);
    });
  });

  test("that was reported before the worker was lost: the next activity shows nothing twice", () => {
    const all = { ...REPLIED, made: [made(1), made(2), made(3)], end: "other" };
    const given = with_(
      ...[report(7, REPORT), lost(9, 5), decided(11), scheduled(12, { ...INPUT, kept })],
      completed(14, 12, all, 2_200),
    );
    expect(types(given)).toEqual([
      ...[...MODEL, "completed", ...CALL, ...BEGUN, "local_activity"],
      ...["workflow_task_completed", "scheduled", "completed", ...CALL, "completed"],
    ]);
    expect(repliesIn(given)).toEqual([[1_000, reply]]);
    expect(states(given)).toEqual(["done", "done", "done"]);
  });
});

// --- calls side by side ----------------------------------------------------------------------------------------------

describe("calls side by side", () => {
  const listed = (id: number, numbers: number[], more: object = {}) =>
    scheduled(id, { n: id, calls: numbers.map(shared), ...more });
  /** Each of them begins 1 ms after the one before, and takes 10 ms. */
  const answer = (n: number, more: object = {}) => {
    const { input: _, ...one } = made(n, { at: 1_010 + n, ...more });
    return one;
  };
  const with_ = (...events: ExportedEvent[]) => history(begins, listed(5, [1, 2, 3]), started(5), ...events);
  const BEFORE = ["started", "scheduled", "scheduled", "scheduled", "scheduled", "started"];
  const kept = (...calls: ReturnType<typeof answer>[]) => journal(calls, { n: 5 });

  test("each stands after its activity, and is answered before the end of it, as by a separate activity", () => {
    const result = { made: [answer(3), answer(1, { attempts: 2 })], end: "open", open: [{ n: 2, attempts: 1 }] };
    const given = with_(completed(7, 5, result));
    expect(types(given)).toEqual([
      ...[...BEFORE, "started", "completed", "cancelled", "started", "completed", "completed"],
    ]);
    const events = readHistory(given);
    const [first, second, third] = events.slice(2, 5);
    expect(first).toMatchObject({
      ...{ at: 1_000, summary: "task pay: charge" },
      activity_id: "5.1",
      activity: "callTool",
    });
    expect(second).toMatchObject({ summary: "turn 1: charge", activity_id: "5.2" });
    expect(field(first, "input")).toEqual(shared(1));
    const [begin, end, open, , last] = events.slice(6);
    expect(begin).toMatchObject({ at: 1_001, call: first?.id, attempt: 2 });
    expect(end).toMatchObject({ at: 1_011, call: first?.id });
    expect(field(end, "result")).toEqual({ ok: true, value: { tx: 1 } });
    expect(open).toMatchObject({ at: 2_000, call: second?.id });
    expect(field(last, "call")).toBe(third?.id);
  });

  test("ledger and timeline have them", () => {
    const given = with_(completed(7, 5, { made: [answer(1), answer(2, { answer: NO_MONEY })], end: "other" }));
    expect(projectEffects(given)).toMatchObject([
      { key: key(1), state: "done", answer: { tx: 1 }, task: "pay" },
      { key: key(2), state: "failed", message: "no money" },
      { key: key(3), state: "intended" },
    ]);
    expect(timeline(given)).toEqual([
      ["started ", undefined],
      ["runCalls", "ok"],
      ["task pay: charge", "ok"],
      ["turn 1: charge", "failed"],
      ["turn 1: charge", undefined],
    ]);
  });

  test("while they are under way, they have been begun", () => {
    expect(states(with_())).toEqual(["intended", "intended", "intended"]);
  });

  test("the activity itself is as the server has it: with what it carries", () => {
    const carrying = scheduled(5, { n: 5, calls: [1, 2].map(shared), ledger_head: HEAD }, [CHANGES]);
    const found = readHistory(history(begins, carrying))[1];
    expect(field(found, "input")).toMatchObject({ ledger_head: HEAD });
    expect(found?.changes).toEqual(CHANGES.journal_changes);
  });

  test.each<[string, ExportedEvent, string]>([
    ["timed out", lost(7, 5, kept(answer(2))), "timed_out"],
    [
      "timed out inside another failure",
      event(7, "ActivityTaskTimedOut", 2_000, {
        scheduledEventId: "5",
        failure: { cause: { timeoutFailureInfo: { lastHeartbeatDetails: payloads(kept(answer(2))) } } },
      }),
      "timed_out",
    ],
    ["was given back by its worker", givenBack(7, 5, kept(answer(2))), "failed"],
  ])("an activity that %s has the answers that its heartbeat kept", (_, end, type) => {
    expect(states(with_(end))).toEqual(["intended", "done", "intended"]);
    expect(types(with_(end)).slice(6)).toEqual(["cancelled", "started", "completed", "cancelled", type]);
  });

  test("a mission that is terminated during several activities has what each of them kept", () => {
    const details = {
      payloads: [
        ...(payloads({ ...kept(answer(1), answer(2)), activity: "6" }).payloads as object[]),
        ...(payloads(kept(answer(2))).payloads as object[]),
        { metadata: { encoding: btoa("binary/encrypted") }, data: "" },
      ],
    };
    const end = event(8, "WorkflowExecutionTerminated", 2_000, { reason: "anna", details });
    const given = history(begins, listed(5, [1, 2, 3]), listed(6, [4, 5, 6]), listed(7, [7, 8]), end);
    types(given);
    const done = projectEffects(given).filter(({ state }) => state === "done");
    expect(done.map((entry) => entry.key)).toEqual([2, 4, 5].map(key));
  });

  test("of an activity that has ended, a termination shows nothing anew", () => {
    const end = completed(7, 5, { made: [answer(1), answer(2), answer(3)], end: "other" });
    const given = with_(end, terminated(9, kept(answer(1))));
    expect(types(given)).toEqual([
      ...BEFORE,
      ...Array(3).fill(["started", "completed"]).flat(),
      "completed",
      "terminated",
    ]);
  });

  test.each<[string, ExportedEvent]>([
    ["a failure", event(7, "ActivityTaskFailed", 2_000, { scheduledEventId: "5", failure: { message: "away" } })],
    ["a heartbeat that kept nothing", lost(7, 5)],
    ["a result of something else", completed(7, 5, { made: "none" })],
    ["a cancellation", cancelled(7, 5)],
  ])("%s answers no call", (_, end) => {
    expect(states(with_(end))).toEqual(["intended", "intended", "intended"]);
  });
});

test("an activity whose input cannot be read is a model call where its summary names one", () => {
  const unread = event(2, "ActivityTaskScheduled", 1_000, { activityType: { name: "runCalls" } });
  const typeOf = (summary: string) => {
    const userMetadata = { summary: (payloads(summary as never).payloads as object[])[0] };
    return field(readHistory(history(begins, { ...unread, userMetadata }))[1], "activity");
  };
  expect(typeOf("turn 1: model")).toBe("callModel");
  expect(typeOf("turn 1: calls of the program")).toBe("runCalls");
});

test("an activity whose input cannot be read is one like others", () => {
  const unread = event(2, "ActivityTaskScheduled", 1_000, { activityType: { name: "runCalls" } });
  expect(readHistory(history(begins, unread, completed(3, 2, { made: [], end: "other" })))).toHaveLength(3);
});
