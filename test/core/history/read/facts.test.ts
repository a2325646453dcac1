import { exportedEvents, writtenFacts } from "../../../../src/core/history/read/decode-events";
import type { HistoryFact } from "../../../../src/core/history/read/facts";
import { endedIn, keepsLedger, readHistory, startedIn } from "../../../../src/core/history/read/history";
import { readRecorded, recordedFiles } from "../../../support/recorded";
import { event, payloads } from "./made-calls";

/** Every kind of event that recorded histories have, and the fact that readers see. */

const payload = (value: unknown) => (payloads(value).payloads as object[])[0];
const row = { id: "a", text: "1", value: 1, at: 5, by: "task" };
const changed = { journal_changes: [row, { id: "b", reset: true }, { no: "change" }] };
const CHANGES = changed.journal_changes.slice(0, 2);
const application = (type: string, details: unknown) => ({
  message: "outer",
  cause: { message: "no stock", applicationFailureInfo: { type, details: payloads(details) } },
});
const NO_STOCK = { type: "no_stock", message: "no stock", ending: "failed", details: { left: 0 } };
const TIMED_OUT = { type: null, message: "late", ending: "timed_out", details: undefined };
const late = { message: "late", timeoutFailureInfo: { lastHeartbeatDetails: payloads({ n: 1 }) } };
const execution = { workflowId: "agent/b", runId: "r-2" };
const of = { scheduledEventId: "5" };
const asked = { initiatedEventId: "4", workflowExecution: execution };
const ended = { call: 5, result: undefined, failure: undefined, kept: undefined };
const over = { result: undefined, failure: undefined, reason: "", details: [], next_run_id: "" };

const ROWS: [type: string, attributes: object, fact: object][] = [
  [
    "WorkflowExecutionStarted",
    {
      ...{ workflowType: { name: "agentRun" }, workflowId: "agent/a", originalExecutionRunId: "r-1" },
      ...{ firstExecutionRunId: "r-0", continuedExecutionRunId: "r-0", priority: { priorityKey: 2 } },
      input: payloads({ context: 1 }),
      memo: { fields: { parked: payload({ since: 1 }), gone: { metadata: { encoding: btoa("binary/null") } } } },
      header: { fields: { _trace: payload("t") } },
    },
    {
      ...{ kind: "started", workflow_type: "agentRun", workflow_id: "agent/a", run_id: "r-1", first_run_id: "r-0" },
      ...{ continued_run_id: "r-0", priority: { priorityKey: 2 }, input: { context: 1 } },
      ...{ memo: { parked: { since: 1 }, gone: null }, header: { _trace: "t" } },
    },
  ],
  [
    "ActivityTaskScheduled",
    { activityId: "5", activityType: { name: "callTool" }, input: payloads({ name: "ship" }, changed) },
    {
      ...{ kind: "activity_scheduled", activity: "callTool", activity_id: "5", input: { name: "ship" } },
      ...{ header: {}, changes: CHANGES },
    },
  ],
  ["ActivityTaskStarted", { ...of, attempt: 2 }, { kind: "activity_started", call: 5, attempt: 2 }],
  ["ActivityTaskCancelRequested", of, { kind: "activity_cancel_requested", call: 5 }],
  [
    "ActivityTaskCompleted",
    { ...of, result: payloads({ ok: true }) },
    { kind: "activity_ended", outcome: "completed", ...ended, result: { ok: true } },
  ],
  [
    "ActivityTaskFailed",
    { ...of, failure: application("no_stock", { left: 0 }) },
    { kind: "activity_ended", outcome: "failed", ...ended, failure: NO_STOCK },
  ],
  [
    "ActivityTaskFailed",
    {
      ...of,
      failure: { message: "lost", applicationFailureInfo: { type: "worker_lost", details: payloads({ n: 2 }) } },
    },
    {
      ...{ kind: "activity_ended", outcome: "failed", ...ended, kept: { n: 2 } },
      failure: { type: "worker_lost", message: "lost", ending: "failed", details: { n: 2 } },
    },
  ],
  [
    "ActivityTaskTimedOut",
    { ...of, failure: late },
    { kind: "activity_ended", outcome: "timed_out", ...ended, failure: TIMED_OUT, kept: { n: 1 } },
  ],
  ["ActivityTaskCanceled", of, { kind: "activity_ended", outcome: "cancelled", ...ended }],
  [
    "MarkerRecorded",
    {
      markerName: "core_local_activity",
      details: {
        data: payloads({
          ...{ activity_type: "callTool", activity_id: "7", attempt: 2 },
          ...{ original_schedule_time: { seconds: 3, nanos: 5e6 }, complete_time: { seconds: 4 } },
        }),
        result: payloads({ ok: true, value: 1 }),
      },
    },
    {
      ...{ kind: "local_activity", activity: "callTool", activity_id: "7", attempt: 2 },
      ...{ scheduled_at: 3_005, completed_at: 4_000, answer: { ok: true, value: 1 }, failure: undefined },
    },
  ],
  ["MarkerRecorded", { markerName: "core_patch", details: { data: payloads({ id: "x" }) } }, { kind: "other" }],
  ["MarkerRecorded", { markerName: "core_local_activity", details: {} }, { kind: "other" }],
  [
    "StartChildWorkflowExecutionInitiated",
    { workflowType: { name: "agentRun" }, workflowId: "agent/b", input: payloads({ context: {} }) },
    { kind: "child_asked", workflow_type: "agentRun", workflow_id: "agent/b", input: { context: {} } },
  ],
  ["ChildWorkflowExecutionStarted", asked, { kind: "child_started", call: 4, workflow_id: "agent/b", run_id: "r-2" }],
  [
    "StartChildWorkflowExecutionFailed",
    { initiatedEventId: "4", cause: "WORKFLOW_ALREADY_EXISTS" },
    {
      ...{ kind: "child_ended", call: 4, workflow_id: "", outcome: "not_started", cause: "WORKFLOW_ALREADY_EXISTS" },
      ...{ result: undefined, failure: undefined },
    },
  ],
  ...(
    [
      ["Completed", { result: payloads(1) }, { outcome: "completed", result: 1 }],
      [
        "Failed",
        { failure: application("no_stock", { left: 0 }) },
        { outcome: "failed", result: { left: 0 }, failure: NO_STOCK },
      ],
      ["Canceled", {}, { outcome: "cancelled" }],
      ["Terminated", {}, { outcome: "terminated" }],
      ["TimedOut", {}, { outcome: "timed_out" }],
    ] as const
  ).map(([end, attributes, fact]): (typeof ROWS)[number] => [
    `ChildWorkflowExecution${end}`,
    { ...asked, ...attributes },
    {
      ...{ kind: "child_ended", call: 4, workflow_id: "agent/b", cause: undefined },
      ...{ result: undefined, failure: undefined, ...fact },
    },
  ]),
  [
    "WorkflowExecutionSignaled",
    { signalName: "decide", input: payloads({ choice: "yes" }) },
    { kind: "signal", name: "decide", input: { choice: "yes" } },
  ],
  [
    "WorkflowExecutionSignaled",
    { signalName: "wake", input: payloads("no map") },
    { kind: "signal", name: "wake", input: undefined },
  ],
  [
    "WorkflowExecutionUpdateAccepted",
    { acceptedRequest: { meta: { updateId: "u" }, input: { name: "decide", args: payloads({ choice: "no" }) } } },
    { kind: "update_accepted", update_id: "u", name: "decide", input: { choice: "no" } },
  ],
  [
    "WorkflowExecutionUpdateCompleted",
    { acceptedEventId: "6", outcome: { success: payloads(null) } },
    { kind: "update_completed", accepted: 6, failure: undefined },
  ],
  [
    "WorkflowExecutionUpdateCompleted",
    {
      acceptedEventId: "6",
      outcome: { failure: { message: "late", applicationFailureInfo: { type: "already_over" } } },
    },
    {
      ...{ kind: "update_completed", accepted: 6 },
      failure: { type: "already_over", message: "late", ending: "failed", details: undefined },
    },
  ],
  ["WorkflowExecutionCancelRequested", { cause: "anna" }, { kind: "cancel_requested", cause: "anna" }],
  ["TimerStarted", {}, { kind: "timer_started" }],
  ["TimerFired", { startedEventId: "8" }, { kind: "timer_ended", timer: 8 }],
  ["TimerCanceled", { startedEventId: "8" }, { kind: "timer_ended", timer: 8 }],
  [
    "WorkflowPropertiesModified",
    { upsertedMemo: { fields: { reviews: payload([]), journal_changes: payload(CHANGES), secret: { data: "?" } } } },
    { kind: "memo_changed", memo: { reviews: [], journal_changes: CHANGES }, changes: CHANGES },
  ],
  [
    "UpsertWorkflowSearchAttributes",
    { searchAttributes: { indexedFields: { Status: payload("WAITING"), Unread: { data: "?" } } } },
    { kind: "attributes_changed", attributes: { Status: "WAITING", Unread: null } },
  ],
  ["WorkflowTaskCompleted", {}, { kind: "workflow_task_completed" }],
  ["WorkflowTaskFailed", { newRunId: "r-3" }, { kind: "workflow_task_failed", new_run_id: "r-3", base_run_id: "" }],
  [
    "WorkflowExecutionCompleted",
    { result: payloads({ return: 1, ...changed }) },
    { kind: "ended", state: "completed", ...over, result: { return: 1, ...changed }, changes: CHANGES },
  ],
  [
    "WorkflowExecutionFailed",
    { failure: { applicationFailureInfo: { type: "x", details: payloads(changed) } }, newExecutionRunId: "r-4" },
    {
      ...{ kind: "ended", state: "failed", ...over, next_run_id: "r-4", result: changed, changes: CHANGES },
      failure: { type: "x", message: undefined, ending: "failed", details: changed },
    },
  ],
  [
    "WorkflowExecutionFailed",
    { failure: application("no_stock", { left: 0, ...changed }) },
    {
      // The changes are those of the workflow below.
      ...{ kind: "ended", state: "failed", ...over, result: { left: 0, ...changed }, changes: [] },
      failure: { ...NO_STOCK, details: { left: 0, ...changed } },
    },
  ],
  [
    "WorkflowExecutionCanceled",
    { details: payloads({ partial: 1 }) },
    { kind: "ended", state: "cancelled", ...over, details: [{ partial: 1 }] },
  ],
  [
    "WorkflowExecutionTerminated",
    { reason: "anna", details: payloads(1, 2) },
    { kind: "ended", state: "terminated", ...over, reason: "anna", details: [1, 2] },
  ],
  [
    "WorkflowExecutionTimedOut",
    { newExecutionRunId: "r-4" },
    { kind: "ended", state: "timed_out", ...over, next_run_id: "r-4" },
  ],
  ["WorkflowExecutionContinuedAsNew", { newExecutionRunId: "r-4" }, { kind: "continued_as_new", next_run_id: "r-4" }],
];

/** Events that no reader needs. */
const OTHERS =
  /^(WorkflowTask(Scheduled|Started|TimedOut)|WorkflowExecutionUpdateAdmitted|.*ExternalWorkflowExecution.*|NexusOperation.*)$/;

const factIn = (one: object) => writtenFacts([one])[0] as HistoryFact;

test.each(ROWS)("%s %j", (type, attributes, fact) => {
  expect(factIn(event(9, type, 1_000, attributes))).toEqual({ id: 9, at: 1_000, changes: [], ...fact });
});

test("every type of event in the recorded histories is in the table", () => {
  const recorded = recordedFiles().flatMap((file) => exportedEvents(readRecorded(file)).map(({ type }) => type));
  const known = new Set(ROWS.map(([type]) => type));
  expect([...new Set(recorded)].filter((type) => !known.has(type) && !OTHERS.test(type))).toEqual([]);
  expect(recorded.length).toBeGreaterThan(5_000);
});

test.each(["WorkflowTaskStarted", "NexusOperationStarted", "constructor"])("a reader skips %s", (type) => {
  expect(factIn(event(9, type, 1_000)).kind).toBe("other");
});

test("a payload is decoded when a reader asks for it, and once", () => {
  let reads = 0;
  const counted = {
    get payloads() {
      reads += 1;
      return payloads({ name: "ship" }).payloads;
    },
  };
  const fact = factIn(event(9, "WorkflowExecutionSignaled", 1_000, { signalName: "s", input: counted }));
  expect(reads).toBe(0);
  expect(fact).toMatchObject({ input: { name: "ship" } });
  expect(fact).toMatchObject({ input: { name: "ship" } });
  expect(reads).toBe(1);
});

test("start and end of a run are its first and its last fact", () => {
  const [started, running] = [event(1, "WorkflowExecutionStarted", 0), event(2, "WorkflowTaskStarted", 1)];
  const end = event(3, "WorkflowExecutionCompleted", 2);
  expect([startedIn([started, running])?.id, endedIn([started, running])]).toEqual([1, undefined]);
  expect([startedIn([running, end]), endedIn([running, end])?.id]).toEqual([undefined, 3]);
  expect([startedIn(undefined), endedIn(undefined)]).toEqual([undefined, undefined]);
});

test.each([
  ["agentRun", true],
  ["planRun", true],
  ["undoRun", false],
])("a run of %s keeps a ledger: %s", (name, expected) => {
  const started = event(1, "WorkflowExecutionStarted", 0, { workflowType: { name } });
  expect(keepsLedger(readHistory([started])[0])).toBe(expected);
});

test("an update that the server sends again after a reset has the request of the event that admitted it", () => {
  const request = { meta: { updateId: "u" }, input: { name: "decide", args: payloads({ choice: "no" }) } };
  const events = [
    event(5, "WorkflowExecutionUpdateAdmitted", 1_000, { request, origin: "UPDATE_ADMITTED_EVENT_ORIGIN_REAPPLY" }),
    event(9, "WorkflowExecutionUpdateAccepted", 1_000, { protocolInstanceId: "u" }),
  ];
  expect(writtenFacts({ events }).at(-1)).toMatchObject({ update_id: "u", name: "decide", input: { choice: "no" } });
});
