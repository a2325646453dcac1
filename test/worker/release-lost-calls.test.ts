import { temporal } from "@temporalio/proto";
import type { CallUnderWay } from "../../src/worker/lost-work/calls-file";
import { isUnderWay, releaseLostCalls, type Served } from "../../src/worker/lost-work/release-lost-calls";

const { PENDING_ACTIVITY_STATE_STARTED, PENDING_ACTIVITY_STATE_SCHEDULED, PENDING_ACTIVITY_STATE_CANCEL_REQUESTED } =
  temporal.api.enums.v1.PendingActivityState;
const { PENDING_WORKFLOW_TASK_STATE_STARTED, PENDING_WORKFLOW_TASK_STATE_SCHEDULED } =
  temporal.api.enums.v1.PendingWorkflowTaskState;

const pending = (more: object = {}, maximumAttempts = 10) => ({
  activityId: "7",
  state: PENDING_ACTIVITY_STATE_STARTED,
  attempt: 1,
  activityOptions: { retryPolicy: { maximumAttempts } },
  ...more,
});

test.each<[string, object | undefined, boolean]>([
  ["a first attempt of several", pending(), true],
  ["an attempt of any number", pending({}, 0), true],
  ["the last attempt, such as the only one of an irreversible call", pending({}, 1), true],
  ["another attempt, which runs elsewhere", pending({ attempt: 2 }), false],
  ["an attempt that has not begun", pending({ state: PENDING_ACTIVITY_STATE_SCHEDULED }), false],
  ["an attempt that is to be cancelled", pending({ state: PENDING_ACTIVITY_STATE_CANCEL_REQUESTED }), false],
  ["a call of which the server does not tell the policy", pending({ activityOptions: undefined }), false],
  ["a call that has ended", undefined, false],
])("%s: an attempt is given back while the server waits for it", (_, found, isGivenBack) => {
  expect(isUnderWay(found, 1)).toBe(isGivenBack);
});

interface Answers {
  pendingActivities?: object[];
  pendingWorkflowTask?: object;
  events?: object[];
}

/** A server that tells this of every run, and keeps what it is asked. */
function server(answers: Answers | Error) {
  const asked: [string, unknown][] = [];
  const told = (name: string, answer: unknown) => async (request: unknown) => {
    asked.push([name, request]);
    if (answers instanceof Error) throw answers;
    return answer;
  };
  const { events = [], ...description } = answers instanceof Error ? {} : answers;
  const workflowService = {
    describeWorkflowExecution: told("describe", description),
    resetStickyTaskQueue: told("reset", {}),
    respondActivityTaskFailed: told("fail_activity", {}),
    respondWorkflowTaskFailed: told("fail_task", {}),
    getWorkflowExecutionHistoryReverse: told("history", { history: { events } }),
  };
  const withDeadline = (_: number, ask: () => Promise<unknown>) => ask();
  const connection = { workflowService, withDeadline };
  const served = { connection, namespace: "default", namespaceId: "id-1" } as unknown as Served;
  return { served, asked, names: () => asked.map(([name]) => name) };
}

const remote: CallUnderWay = {
  workflow_id: "agent/1",
  run_id: "r1",
  began: 5_000,
  activity: { id: "7", attempt: 1, token: "dG9rZW4=" },
};
const local: CallUnderWay = { workflow_id: "agent/1", run_id: "r1", began: 5_000 };

test("an activity is failed by its own token, in words that every project can read", async () => {
  const { served, asked } = server({ pendingActivities: [pending()] });
  expect(await releaseLostCalls(served, [remote])).toEqual({ released: 1, unanswered: 0 });
  expect(asked.at(-1)).toEqual([
    "fail_activity",
    {
      namespace: "default",
      taskToken: Buffer.from("token"),
      failure: { message: "its worker was lost", applicationFailureInfo: { type: "worker_lost" } },
    },
  ]);
});

test("a call without another attempt ends as its time limit would end it: nobody knows its outcome", async () => {
  const { served, asked } = server({ pendingActivities: [pending({}, 1)] });
  expect(await releaseLostCalls(served, [remote])).toEqual({ released: 1, unanswered: 0 });
  const timeoutType = temporal.api.enums.v1.TimeoutType.TIMEOUT_TYPE_HEARTBEAT;
  const failure = { message: "its worker was lost", timeoutFailureInfo: { timeoutType } };
  expect(asked.at(-1)).toMatchObject(["fail_activity", { failure }]);
});

test.each(["runCalls"])("of %s the run gets what its heartbeat kept, and schedules the next one", async (name) => {
  const heartbeatDetails = { payloads: [{ data: Buffer.from("secret") }] };
  const turn = pending({ activityType: { name }, heartbeatDetails });
  const { served, asked } = server({ pendingActivities: [turn] });
  expect(await releaseLostCalls(served, [remote])).toEqual({ released: 1, unanswered: 0 });
  expect(asked.at(-1)).toMatchObject([
    "fail_activity",
    { failure: { applicationFailureInfo: { type: "worker_lost", nonRetryable: true, details: heartbeatDetails } } },
  ]);
});

test("a run is asked about once, and its next tasks come from the common queue", async () => {
  const { served, names } = server({ pendingActivities: [pending(), pending({ activityId: "8" })] });
  const other = { ...remote, activity: { id: "8", attempt: 1, token: "dG9rZW4=" } };
  expect(await releaseLostCalls(served, [remote, other])).toEqual({ released: 2, unanswered: 0 });
  expect(names()).toEqual(["describe", "reset", "fail_activity", "fail_activity"]);
});

test.each([
  ["did not answer in time", 4],
  ["cannot be reached", 14],
])("a server that %s (code %s) is told apart from one that refuses", async (_, code) => {
  const { served, asked } = server(Object.assign(new Error("no answer"), { code, details: "", metadata: {} }));
  expect(await releaseLostCalls(served, [remote, local])).toEqual({ released: 0, unanswered: 1 });
  // It holds up nobody for longer than once: 32 runs are asked about at the same time.
  const calls = Array.from({ length: 100 }, (_, n) => ({ ...remote, run_id: `r${n}` }));
  const before = asked.length;
  expect(await releaseLostCalls(served, calls)).toEqual({ released: 0, unanswered: 100 });
  expect(asked.slice(before).filter(([name]) => name === "describe")).toHaveLength(32);
});

test("a run that the server does not know is passed over", async () => {
  const { served } = server(new Error("not found"));
  expect(await releaseLostCalls(served, [remote, local])).toEqual({ released: 0, unanswered: 0 });
});

const started = (seconds: number, attempt = 1) => ({
  state: PENDING_WORKFLOW_TASK_STATE_STARTED,
  startedTime: { seconds, nanos: 0 },
  attempt,
});
const scheduledAt = (id: number) => ({ eventId: longOf(id), workflowTaskScheduledEventAttributes: {} });
const longOf = (id: number) => ({ low: id, high: 0, unsigned: false, add: (more: number) => longOf(id + more) });

/** The number of the event that scheduled a workflow task, in its token: field 4. */
const scheduledIn = (token: Uint8Array) =>
  token[token.indexOf(32, 2 + "id-1".length + 2 + "agent/1".length + 2 + 2) + 1];

test.each([
  { attempt: 1, events: [{ eventId: longOf(16) }, scheduledAt(15)], scheduled: 15 },
  { attempt: 3, events: [{ eventId: longOf(17) }, { eventId: longOf(16) }, scheduledAt(15)], scheduled: 18 },
])("attempt $attempt of a workflow task is failed by the number $scheduled", async ({ attempt, events, scheduled }) => {
  const { served, asked } = server({ pendingWorkflowTask: started(5, attempt), events });
  expect(await releaseLostCalls(served, [local])).toEqual({ released: 1, unanswered: 0 });
  const [name, request] = asked.at(-1) as [string, { taskToken: Uint8Array }];
  expect(name).toBe("fail_task");
  expect(scheduledIn(request.taskToken)).toBe(scheduled);
});

test.each<[string, Answers]>([
  ["one that began after the call", { pendingWorkflowTask: started(60), events: [scheduledAt(15)] }],
  [
    "one that has not begun",
    { pendingWorkflowTask: { state: PENDING_WORKFLOW_TASK_STATE_SCHEDULED }, events: [scheduledAt(15)] },
  ],
  ["none", {}],
  ["one whose event is not found", { pendingWorkflowTask: started(5), events: [{ eventId: longOf(3) }] }],
])("the workflow task of a local activity is not failed if there is %s", async (_, answers) => {
  const { served, names } = server(answers);
  expect(await releaseLostCalls(served, [local])).toEqual({ released: 0, unanswered: 0 });
  expect(names()).not.toContain("fail_task");
});

test("hundreds of runs are given back", async () => {
  const { served, asked } = server({ pendingActivities: [pending()] });
  const calls = Array.from({ length: 300 }, (_, n) => ({ ...remote, run_id: `r${n}` }));
  expect(await releaseLostCalls(served, calls)).toEqual({ released: 300, unanswered: 0 });
  expect(asked.filter(([name]) => name === "reset")).toHaveLength(300);
});
