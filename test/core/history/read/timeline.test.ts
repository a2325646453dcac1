import type { JsonObject } from "../../../../src/core/base/json";
import { projectJournal } from "../../../../src/core/history/read/project";
import { historyOf, memo, payloads, started, type Written } from "../../journal/history";

/** What happened when, one line for each thing. */
const T = Date.UTC(2030, 0, 1);
const row = { id: "a", value: true, text: "true", at: T, by: "task" };

describe("the timeline", () => {
  const scheduled = (type: string, at: number, summary?: string): Written => [
    "ActivityTaskScheduled",
    { activityType: { name: type } },
    at,
    summary,
  ];
  const line = (event: Written, ...more: Written[]) => projectJournal(historyOf([event, ...more])).timeline;

  test.each<[string, Written[], object[]]>([
    [
      "a model call",
      [
        [
          "ActivityTaskScheduled",
          { activityType: { name: "runCalls" }, input: payloads({ n: 1, model: { model: "m" } }) },
          T,
          "turn 1: model",
        ],
        [
          "ActivityTaskCompleted",
          { scheduledEventId: "1", result: payloads({ reply: { content: "" }, made: [], end: "other" }) },
          T + 90,
        ],
      ],
      [{ at: T, kind: "model", text: "turn 1: model", duration_ms: 90, outcome: "ok" }],
    ],
    [
      "a tool that answered with a failure",
      [
        scheduled("callTool", T),
        ["ActivityTaskCompleted", { scheduledEventId: "1", result: payloads({ ok: false }) }, T + 5],
      ],
      [{ at: T, kind: "tool", text: "callTool", duration_ms: 5, outcome: "failed" }],
    ],
    [
      "a tool that was tried three times",
      [
        scheduled("callTool", T),
        ["ActivityTaskStarted", { scheduledEventId: "1", attempt: 3 }, T + 5],
        ["ActivityTaskTimedOut", { scheduledEventId: "1" }, T + 6],
      ],
      [{ at: T, kind: "tool", text: "callTool", attempts: 3, duration_ms: 6, outcome: "failed" }],
    ],
    ["a tool still under way", [scheduled("callTool", T)], [{ at: T, kind: "tool", text: "callTool" }]],
    [
      "a local activity",
      [
        [
          "MarkerRecorded",
          { markerName: "core_local_activity", details: { data: payloads({ activity_type: "callTool" }) } },
          T,
        ],
      ],
      [{ at: T, kind: "tool", text: "callTool", outcome: "ok" }],
    ],
    ["another marker", [["MarkerRecorded", { markerName: "core_patch" }, T]], []],
    [
      "a child",
      [
        [
          "StartChildWorkflowExecutionInitiated",
          { workflowType: { name: "agentRun" }, workflowId: "task/1/charge/1" },
          T,
        ],
        ["ChildWorkflowExecutionFailed", { initiatedEventId: "1" }, T + 9],
      ],
      [{ at: T, kind: "child", text: "agentRun task/1/charge/1", duration_ms: 9, outcome: "failed" }],
    ],
    ["a record", [memo({ journal_changes: [row] }, T)], [{ at: T, kind: "record", text: "recorded a" }]],
    [
      "a reset",
      [memo({ journal_changes: [{ id: "a", reset: true }] }, T)],
      [{ at: T, kind: "reset", text: "reset a" }],
    ],
    ["another memo", [memo({ other: 1 }, T)], []],
    [
      "a signal",
      [["WorkflowExecutionSignaled", { signalName: "decide" }, T]],
      [{ at: T, kind: "signal", text: "signal decide" }],
    ],
    [
      "an update",
      [["WorkflowExecutionUpdateAccepted", { acceptedRequest: { input: { name: "advance" } } }, T]],
      [{ at: T, kind: "update", text: "update advance" }],
    ],
    [
      "a decision, which says who",
      [
        [
          "WorkflowExecutionUpdateAccepted",
          {
            acceptedRequest: {
              input: { name: "decide", args: payloads({ choice: "approve", by: "anna", note: "half", value: 5 }) },
            },
          },
          T,
        ],
      ],
      [{ at: T, kind: "update", text: "update decide: approve, by anna (half)" }],
    ],
    [
      "an update that was refused",
      [
        ["WorkflowExecutionUpdateAccepted", { acceptedRequest: { input: { name: "decide" } } }, T],
        [
          "WorkflowExecutionUpdateCompleted",
          {
            acceptedEventId: "1",
            outcome: { failure: { message: "no", applicationFailureInfo: { type: "not_an_assignee" } } },
          },
          T,
        ],
      ],
      [{ at: T, kind: "update", text: "update decide, refused: not_an_assignee", outcome: "failed" }],
    ],
    [
      "a wait",
      [
        ["TimerStarted", {}, T, "wait for a person"],
        ["TimerCanceled", { startedEventId: "1" }, T + 7],
      ],
      [{ at: T, kind: "wait", text: "wait for a person", duration_ms: 7, outcome: "ok" }],
    ],
    ["the start", [started({}, T, "navigatorTask")], [{ at: T, kind: "start", text: "started navigatorTask" }]],
    ["the end", [["WorkflowExecutionCompleted", {}, T]], [{ at: T, kind: "end", text: "completed" }]],
    ["a failed end", [["WorkflowExecutionFailed", {}, T]], [{ at: T, kind: "end", text: "failed", outcome: "failed" }]],
    ["an event of a later server", [["SomethingNew", {}, T]], []],
    ["the end of what never began", [["ActivityTaskCompleted", { scheduledEventId: "7" }, T]], []],
  ])("%s", (_, [first, ...more], entries) => expect(line(first as Written, ...more)).toEqual(entries));

  describe("a signal that decides nothing says so, where the run keeps a chain", () => {
    const vote = { review: "agent/a/pay/1", choice: "approve", by: "anna", nonce: "nonce-of-anna-1" };
    const signal = (said: JsonObject): Written => [
      "WorkflowExecutionSignaled",
      { signalName: "decide", input: payloads(said) },
      T,
    ];
    const handled: Written = ["WorkflowTaskCompleted", {}, T];
    const counted = (said: JsonObject): Written =>
      memo(
        { journal_changes: [{ link: { hash: "h", at: T, kind: "decision", body: { ...said, via: "signal" } } }] },
        T,
      );
    const updated = (said: JsonObject): Written => [
      "WorkflowExecutionUpdateAccepted",
      { acceptedRequest: { input: { name: "decide", args: payloads(said) } } },
      T,
    ];
    const other = memo({ journal_changes: [{ link: { hash: "h", at: T, kind: "effect", body: { key: "k" } } }] }, T);
    const signals = (type: string, ...events: Written[]) =>
      line(started({}, T, type), ...events)
        .filter(({ kind }) => kind === "signal")
        .map(({ text, outcome }) => [text.replace("signal decide: ", ""), outcome]);
    const yes = "approve, by anna";

    test.each<[string, string, Written[], (string | undefined)[][]]>([
      ["one that counts", "agentRun", [signal(vote), handled, counted(vote)], [[yes, undefined]]],
      ["one that is refused", "agentRun", [signal(vote), handled], [[`${yes}, refused`, "failed"]]],
      ["one that nobody has looked at yet", "planRun", [handled, signal(vote)], [[yes, undefined]]],
      [
        "a copy of one that counts",
        "navigatorTask",
        [signal(vote), signal(vote), handled, counted(vote)],
        [
          [yes, undefined],
          [`${yes}, refused`, "failed"],
        ],
      ],
      [
        "another's under the same name",
        "navigatorTask",
        [signal({ ...vote, nonce: "nonce-of-mallory" }), handled, signal(vote), handled, counted(vote)],
        [
          [`${yes}, refused`, "failed"],
          [yes, undefined],
        ],
      ],
      [
        "a forged copy before the one that counts",
        "navigatorTask",
        [signal({ ...vote, value: 1 }), signal(vote), handled, counted(vote)],
        [
          [`${yes}, refused`, "failed"],
          [yes, undefined],
        ],
      ],
      [
        "one that is followed by the same as an update",
        "navigatorTask",
        [signal(vote), handled, updated(vote), counted(vote)],
        [[`${yes}, refused`, "failed"]],
      ],
      [
        "nonsense in a run whose chain has other links",
        "navigatorTask",
        [signal({ nonsense: 1 }), handled, other],
        [["signal decide, refused", "failed"]],
      ],
      ["one of a workflow without a chain", "theirs", [signal(vote), handled], [[yes, undefined]]],
    ])("%s", (_, type, events, lines) => expect(signals(type, ...events)).toEqual(lines));
  });
});
