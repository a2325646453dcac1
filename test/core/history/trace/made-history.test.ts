import type { Json, JsonObject } from "../../../../src/core/base/json";
import type { TraceLine } from "../../../../src/core/history/trace/line";
import { missionLogs } from "../../../../src/core/history/trace/mission-logs";
import { historyOf, payload, payloads, type Written } from "../../journal/history";

/** What the recorded histories do not have: nested agents, retries, calls that were given up, histories that say little. */
const T = Date.UTC(2030, 0, 1);
const RUN = "01a1fd35-e738-7acc-9887-6e84c144daa5";
const ROOT = RUN.replaceAll("-", "");

const begun = (input: JsonObject, more: JsonObject = {}): Written => [
  "WorkflowExecutionStarted",
  {
    workflowType: { name: "agentRun" },
    workflowId: "agent/a",
    firstExecutionRunId: RUN,
    input: payloads({ agent: { name: "a", prompt: "Do.", max_turns: 2, retry_turns: 3, tools: ["find"] }, ...input }),
    ...more,
  },
  T,
];
const scheduled = (type: string, input: Json | undefined, at: number, summary?: string): Written => [
  "ActivityTaskScheduled",
  { activityType: { name: type }, ...(input === undefined ? {} : { input: payloads(input) }) },
  at,
  summary,
];
const model = (turn: number, at: number) =>
  scheduled("runCalls", { n: at - T, model: { model: "m", turn } }, at, `turn ${turn}: model`);
const reply = (id: number, content: string, at: number, tokens?: JsonObject): Written => [
  "ActivityTaskCompleted",
  {
    scheduledEventId: `${id}`,
    result: payloads({ reply: { content, ...(tokens === undefined ? {} : { tokens }) }, made: [], end: "other" }),
  },
  at,
];
const completed = (step: JsonObject, at: number): Written => [
  "WorkflowExecutionCompleted",
  { result: payloads(stepOf(step)) },
  at,
];
const stepOf = (step: JsonObject): JsonObject => ({
  return: null,
  fail: null,
  usage: null,
  turns: null,
  tool_calls: [],
  pmap_calls: [],
  warnings: [],
  trace_id: "",
  ...step,
});

const linesOf = (...events: Written[]): TraceLine[] =>
  missionLogs({ workflow_id: "agent/a", runs: [historyOf(events)], children: [] })[0]?.lines ?? [];
const of = (lines: TraceLine[], event: string) => lines.filter((line) => line.event === event);
const brief = (lines: TraceLine[]) => lines.map(({ event }) => event);

test("a running run has no end, but has its id", () => {
  const lines = linesOf(begun({}), model(1, T + 5));
  expect(brief(lines)).toEqual(["trace.start", "run.start", "turn.start", "llm.start"]);
  expect(new Set(lines.map(({ trace_id }) => trace_id))).toEqual(new Set([ROOT]));
});

test.each([
  ["what the run was given", { trace_id: "b".repeat(32) }, "b".repeat(32)],
  ["the first run's own id", {}, ROOT],
])("its id is %s", (_, input, id) =>
  expect(linesOf(begun(input), completed({ trace_id: id }, T + 9))[0]?.trace_id).toBe(id),
);

test("a retried model call and an unanswered one are one turn", () => {
  const lines = linesOf(
    begun({}),
    model(1, T + 1),
    ["ActivityTaskFailed", { scheduledEventId: "2", failure: FAILURE }, T + 2],
    model(1, T + 3),
    ["ActivityTaskStarted", { scheduledEventId: "4", attempt: 3 }, T + 4],
    reply(4, "(return 1)", T + 9, { input: 10, output: 2 }),
    completed({ return: 1 }, T + 10),
  );
  expect(of(lines, "turn.start")).toHaveLength(1);
  const [first, second] = of(lines, "llm.stop");
  expect(first?.metadata.exception).toEqual({ reason: "server_error", message: "busy" });
  expect(second?.measurements).toEqual({ attempts: 3, input_tokens: 10, output_tokens: 2, total_tokens: 12 });
  expect(second?.duration_ms).toBe(6);
});
const FAILURE: JsonObject = {
  message: "activity failed",
  cause: { message: "busy", applicationFailureInfo: { type: "server_error" } },
};

test("types of turns follow the agent's turns, and retries are numbered", () => {
  const turns = [1, 2, 3, 4].flatMap((turn): Written[] => [
    model(turn, T + turn * 10),
    reply(turn * 2, "no program", T + turn * 10 + 1),
  ]);
  const starts = of(linesOf(begun({}), ...turns), "turn.start");
  expect(starts.map(({ metadata: { turn, type, attempt, remaining } }) => [turn, type, attempt, remaining])).toEqual([
    [1, "normal", undefined, undefined],
    [2, "must_return", undefined, undefined],
    [3, "retry", 1, 2],
    [4, "retry", 2, 1],
  ]);
});

test("without a Step a turn shows its reply: the program, or the text if there is none", () => {
  const lines = linesOf(
    begun({}),
    model(1, T + 1),
    reply(2, "Here:\n```clojure\n(+ 1 2)\n```", T + 2),
    model(2, T + 3),
    reply(4, "I will not.", T + 4),
    model(3, T + 5),
  );
  expect(of(lines, "turn.stop").map(({ metadata }) => [metadata.program, metadata.raw_response])).toEqual([
    ["(+ 1 2)", undefined],
    [null, "I will not."],
  ]);
});

test("a nested agent's call has its arguments, its result and the id of its log", () => {
  const CHILD = "e".repeat(32);
  const asked: Written = [
    "StartChildWorkflowExecutionInitiated",
    {
      workflowType: { name: "agentRun" },
      workflowId: "agent/a/help/1.1",
      input: payloads({ agent: {}, context: { x: 1 } }),
    },
    T + 3,
  ];
  const child = historyOf([
    [
      "WorkflowExecutionStarted",
      {
        workflowType: { name: "agentRun" },
        workflowId: "agent/a/help/1.1",
        firstExecutionRunId: CHILD,
        input: payloads({ agent: { name: "help", prompt: "H", max_turns: 1, retry_turns: 0, tools: [] }, depth: 1 }),
      },
      T + 4,
    ],
    completed({ return: 7, trace_id: CHILD }, T + 6),
  ]);
  const logs = missionLogs({
    workflow_id: "agent/a",
    runs: [
      historyOf([
        begun({}),
        model(1, T + 1),
        reply(2, "(return (tool/help {:x 1}))", T + 2),
        asked,
        [
          "ChildWorkflowExecutionCompleted",
          { initiatedEventId: "4", result: payloads(stepOf({ return: 7, trace_id: CHILD })) },
          T + 8,
        ],
        completed({ return: 7 }, T + 9),
      ]),
    ],
    children: [{ workflow_id: "agent/a/help/1.1", runs: [child], children: [] }],
  });
  const [own, nested] = logs.map(({ lines }) => lines) as [TraceLine[], TraceLine[]];
  expect(of(own, "tool.start")[0]?.metadata).toMatchObject({ tool_name: "help", args: { x: 1 } });
  expect(of(own, "tool.stop")[0]).toMatchObject({ duration_ms: 5, metadata: { result: 7, child_trace_id: CHILD } });
  expect(nested[0]).toMatchObject({
    event: "trace.start",
    trace_id: CHILD,
    metadata: { parent_trace_id: ROOT, depth: 1, tool_name: "help" },
  });
});

test.each<[string, Written, object]>([
  [
    "failed",
    ["ChildWorkflowExecutionFailed", { initiatedEventId: "4", failure: FAILURE }, T + 8],
    { reason: "server_error" },
  ],
  ["was ended", ["ChildWorkflowExecutionTerminated", { initiatedEventId: "4" }, T + 8], { reason: "terminated" }],
  ["ran out of time", ["ChildWorkflowExecutionTimedOut", { initiatedEventId: "4" }, T + 8], { reason: "timed_out" }],
  [
    "could not begin",
    ["StartChildWorkflowExecutionFailed", { initiatedEventId: "4", cause: "EXISTS" }, T + 8],
    { reason: "failed", cause: "EXISTS" },
  ],
  [
    "ended with a fail",
    [
      "ChildWorkflowExecutionCompleted",
      { initiatedEventId: "4", result: payloads(stepOf({ fail: { reason: "no_luck", message: "none" } })) },
      T + 8,
    ],
    { reason: "no_luck", message: "none" },
  ],
  ["was not waited for any more", model(2, T + 8), { reason: "given_up" }],
])("a nested agent that %s", (_, end, exception) => {
  const asked: Written = [
    "StartChildWorkflowExecutionInitiated",
    { workflowType: { name: "agentRun" }, workflowId: "agent/a/deep/er/1.1" },
    T + 3,
  ];
  const lines = linesOf(begun({}), model(1, T + 1), reply(2, "(tool/x)", T + 2), asked, end);
  const [stop] = of(lines, "tool.stop");
  expect(stop?.metadata).toMatchObject({ tool_name: "deep/er", exception });
});

test("a cached call, a refusal and the calls of a section come from the Step", () => {
  const call = { name: "find", args: { q: 1 }, result: 5, error: null, timestamp: T + 4, duration_ms: 0 };
  const refused = {
    ...call,
    args: { q: 2 },
    result: null,
    error: "not approved",
    approval: { choice: "reject", by: "anna", at: T },
  };
  const turn = {
    number: 1,
    raw_response: "(x)",
    program: "(x)",
    result: 5,
    prints: ["hi"],
    success: true,
    type: "normal",
    tool_calls: [call, refused],
  };
  const lines = linesOf(
    begun({}),
    model(1, T + 1),
    reply(2, "(x)", T + 2),
    completed({ return: 5, turns: [turn as unknown as Json], tool_calls: [{ ...call, cached: true }, refused] }, T + 9),
  );
  const [cached, not] = of(lines, "tool.stop");
  expect(cached).toMatchObject({ duration_ms: 0, metadata: { result: 5, cached: true } });
  expect(not?.metadata).toMatchObject({ exception: { message: "not approved" }, approval: { by: "anna" } });
  expect(not?.metadata).not.toHaveProperty("result");
  expect(of(lines, "turn.stop")[0]?.metadata).toMatchObject({ prints: ["hi"], result_preview: "5", success: true });
});

test("a run that continued as new is one trace, with the carried turns", () => {
  const turn = {
    number: 1,
    raw_response: "(x)",
    program: "(x)",
    result: 1,
    prints: ["seen"],
    success: true,
    type: "normal",
    tool_calls: [],
  };
  const runs = [
    historyOf([begun({}), model(1, T + 1), reply(2, "(x)", T + 2), ["WorkflowExecutionContinuedAsNew", {}, T + 3]]),
    historyOf([begun({ carried: { invocation: 1, state: { trace_id: ROOT, turns: [turn] } } }), model(2, T + 5)]),
  ];
  const lines = missionLogs({ workflow_id: "agent/a", runs, children: [] })[0]?.lines ?? [];
  expect(brief(lines)).toEqual([
    "trace.start",
    "run.start",
    "turn.start",
    "llm.start",
    "llm.stop",
    "turn.stop",
    "turn.start",
    "llm.start",
  ]);
  expect(of(lines, "turn.stop")[0]?.metadata).toMatchObject({ prints: ["seen"] });
  expect(of(lines, "turn.start").map(({ metadata }) => metadata.turn)).toEqual([1, 2]);
});

test("a compiled program has a turn without a model call", () => {
  const tool = scheduled("callTool", { name: "find", args: {} }, T + 2);
  const lines = linesOf(begun({ program: "(tool/find)" }), tool, completed({ return: 1 }, T + 3));
  expect(brief(lines)).toEqual([
    "trace.start",
    "run.start",
    "turn.start",
    "tool.start",
    "tool.stop",
    "turn.stop",
    "run.stop",
    "trace.stop",
  ]);
});

test("unreadable payloads still give the times", () => {
  const secret = { payloads: [{ metadata: { encoding: "YmluYXJ5L2VuY3J5cHRlZA==" }, data: "AAAA" }] };
  const lines = linesOf(
    ["WorkflowExecutionStarted", { workflowType: { name: "agentRun" }, firstExecutionRunId: RUN, input: secret }, T],
    ["ActivityTaskScheduled", { activityType: { name: "runCalls" }, input: secret }, T + 1, "turn 1: model"],
    ["ActivityTaskCompleted", { scheduledEventId: "2", result: secret }, T + 4],
    ["ActivityTaskScheduled", { activityType: { name: "callTool" }, input: secret }, T + 5, "turn 1: find"],
    ["ActivityTaskCompleted", { scheduledEventId: "4", result: secret }, T + 7],
    ["ActivityTaskScheduled", { activityType: { name: "runCalls" }, input: secret }, T + 8, "turn 2: model"],
  );
  expect(of(lines, "turn.start").map(({ metadata }) => metadata.turn)).toEqual([1, 2]);
  expect(of(lines, "tool.stop")[0]).toMatchObject({ duration_ms: 2, metadata: { tool_name: "find" } });
});

test("a parked mission ends its turn; one whose call waits for approval does not", () => {
  const status = (fields: { [name: string]: Json }, at: number): Written => [
    "UpsertWorkflowSearchAttributes",
    {
      searchAttributes: {
        indexedFields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, payload(value)])),
      },
    },
    at,
  ];
  const before: Written[] = [begun({}), model(1, T + 1), reply(2, "(x)", T + 2)];
  const parked = linesOf(...before, status({ NavigatorStatus: "WAITING" }, T + 3));
  const asking = linesOf(...before, status({ NavigatorStatus: "WAITING", NavigatorOpenReviews: 1 }, T + 3));
  expect([of(parked, "turn.stop").length, of(asking, "turn.stop").length]).toEqual([1, 0]);
});

test("a history without a workflow start has no trace", () =>
  expect(missionLogs({ workflow_id: "x", runs: [historyOf([model(1, T)])], children: [] })).toEqual([]));

test("if the last turn has no program, the Step's data on the last program belongs to the turn that ran it", () => {
  const call = { name: "find", args: { q: 1 }, result: 5, error: null, timestamp: T + 5, duration_ms: 7 };
  const section = { type: "pmap", count: 1, timestamp: T + 4, duration_ms: 10, success_count: 1, error_count: 0 };
  const turn = { number: 1, raw_response: "", program: "(x)", result: 5, prints: [], success: true, type: "normal" };
  const lines = linesOf(
    begun({}),
    model(1, T + 1),
    reply(2, "(x)", T + 2),
    localRead(T + 12),
    model(2, T + 20),
    reply(5, "I give up.", T + 21),
    completed(
      {
        turns: [
          { ...turn, tool_calls: [call] },
          { ...turn, number: 2, program: null, raw_response: "I give up.", tool_calls: [] },
        ],
        tool_calls: [call],
        pmap_calls: [{ ...section, child_trace_ids: [] }],
      },
      T + 30,
    ),
  );
  expect(brief(lines).slice(2, 11)).toEqual([
    "turn.start",
    "llm.start",
    "llm.stop",
    "pmap.start",
    "tool.start",
    "tool.stop",
    "pmap.stop",
    "turn.stop",
    "turn.start",
  ]);
  expect(of(lines, "tool.stop")[0]).toMatchObject({ duration_ms: 7, metadata: { tool_name: "find", result: 5 } });
});

const localRead = (at: number): Written => [
  "MarkerRecorded",
  {
    markerName: "core_local_activity",
    details: {
      data: payloads({ activity_type: "callTool", complete_time: { seconds: at / 1000, nanos: 0 } }),
      result: payloads({ ok: true, value: 5 }),
    },
  },
  at,
  "turn 1: find",
];

test("in text mode the reads of every turn have the times of the Step", () => {
  const call = { name: "find", args: { q: 1 }, result: 5, error: null };
  const calls = [
    { ...call, timestamp: T + 3, duration_ms: 4 },
    { ...call, timestamp: T + 22, duration_ms: 6, cached: true },
  ];
  const turn = { raw_response: "", program: null, result: null, prints: [], success: true, type: "normal" };
  const lines = linesOf(
    begun({ agent: { name: "a", prompt: "Do.", output: "text", max_turns: 5, retry_turns: 0, tools: ["find"] } }),
    model(1, T + 1),
    reply(2, "", T + 2),
    localRead(T + 7),
    model(2, T + 20),
    reply(5, "", T + 21),
    completed(
      {
        turns: calls.map((own, i) => ({ ...turn, number: i + 1, tool_calls: [own] })),
        tool_calls: calls,
      },
      T + 40,
    ),
  );
  const stops = of(lines, "tool.stop");
  expect(stops.map(({ duration_ms, metadata }) => [duration_ms, metadata.cached])).toEqual([
    [4, undefined],
    [6, true],
  ]);
});
