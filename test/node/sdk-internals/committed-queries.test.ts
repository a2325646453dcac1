import { temporal } from "@temporalio/proto";
import type { Worker } from "@temporalio/worker";
import { UNCOMMITTED_TASK } from "../../../src/core/base/error-codes";
import { CommittedAnswers, TaskHistory } from "../../../src/node/sdk-internals/committed-queries";
import { NavigatorPlugin } from "../../../src/worker/plugin/navigator-plugin";

type Activation = Parameters<CommittedAnswers["activate"]>[0];

/** A workflow of which the server has the answers to the tasks that began with these events. */
function workflow(...answered: number[]) {
  const looks: number[] = [];
  const history = {
    hasAnswer: async (started: number) => {
      looks.push(started);
      return answered.includes(started);
    },
  };
  const activate = async ({ runId, jobs }: Activation) => {
    const refused = { updateResponse: { rejected: { message: "no" } } };
    return { runId, successful: { commands: jobs?.[0]?.doUpdate?.name === "refused" ? [refused] : [] } };
  };
  const run = new CommittedAnswers({ activate } as never, history);
  const told = async (activation: Activation) => (await run.activate({ runId: "r1", ...activation })).failed?.failure;
  return {
    looks,
    sees: (historyLength: number, job: object, isReplaying = false) =>
      told({ historyLength, isReplaying, jobs: [job] }),
    asked: (queryId = "legacy_query") => told({ isReplaying: true, jobs: [{ queryWorkflow: { queryId } }] }),
  };
}

const ends = { resolveActivity: {} };
const refused = { message: UNCOMMITTED_TASK };

test("a query after a task that nobody has answered is refused, until the workflow is read anew", async () => {
  const run = workflow(3);
  await run.sees(3, { initializeWorkflow: {} }, true);
  await run.sees(9, ends);
  expect(await run.asked()).toEqual(refused);
  expect(await run.asked()).toEqual(refused);
});

test("a task that is answered is looked for once", async () => {
  const run = workflow(9, 15);
  await run.sees(9, ends);
  expect([await run.asked(), await run.asked()]).toEqual([undefined, undefined]);
  await run.sees(15, ends);
  expect(await run.asked()).toBeUndefined();
  expect(run.looks).toEqual([9, 15]);
});

test("what is replayed is in the history, and a query that comes with a task needs no look", async () => {
  const run = workflow();
  await run.sees(9, ends, true);
  expect(await run.asked()).toBeUndefined();
  await run.sees(15, ends);
  expect(await run.asked("7d8a")).toBeUndefined();
  expect(run.looks).toEqual([]);
});

test("a task that refuses an update is in no history, and changes nothing; one that takes it does", async () => {
  const run = workflow(9);
  await run.sees(9, ends);
  await run.sees(15, { doUpdate: { name: "refused" } });
  expect(await run.asked()).toBeUndefined();
  await run.sees(15, { doUpdate: { name: "taken" } });
  expect(await run.asked()).toEqual(refused);
  expect(run.looks).toEqual([9, 15]);
});

const {
  EVENT_TYPE_WORKFLOW_TASK_COMPLETED: completed,
  EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT: timedOut,
  EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: terminated,
} = temporal.api.enums.v1.EventType;

/** A history of events 1 to `length`, read from its end, in pages of two. */
function historyWith(length: number, types: { [id: number]: number }, identity = "me") {
  const pages: number[] = [];
  const getWorkflowExecutionHistoryReverse = async ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
    const from = nextPageToken?.[0] ?? length;
    pages.push(from);
    const ids = [from, from - 1].filter((id) => id > 0);
    return {
      history: {
        events: ids.map((eventId) => ({
          ...{ eventId, eventType: types[eventId] ?? 0 },
          workflowTaskCompletedEventAttributes: { identity },
        })),
      },
      nextPageToken: Uint8Array.of(from - 2),
    };
  };
  const connection = { workflowService: { getWorkflowExecutionHistoryReverse } } as never;
  const made = { info: { workflowId: "agent/1", runId: "r1" } } as never;
  return { history: new TaskHistory(connection, { namespace: "default", identity: "me" }, made), pages };
}

test.each([
  ["answered", 15, { 10: completed }, true],
  ["lost, and begun again", 12, { 10: timedOut }, false],
  ["under way", 9, {}, false],
  ["never begun when its workflow was terminated", 9, { 9: terminated }, true],
])("a task that was %s, in the history", async (_, length, types, isAnswered) => {
  const { history, pages } = historyWith(length, types);
  expect(await history.hasAnswer(9)).toBe(isAnswered);
  // Only as far back as needed.
  expect(Math.min(...pages)).toBeGreaterThanOrEqual(9);
});

test("what another worker has answered is not what this one has seen", async () => {
  const { history } = historyWith(15, { 10: completed }, "somebody else");
  expect(await history.hasAnswer(9)).toBe(false);
});

test("a worker of one's own with the plugin answers so, also when the plugin is given twice", async () => {
  const made = { info: { workflowId: "agent/1", runId: "r1" } };
  const inner = { activate: async () => ({}) };
  const workflowCreator = { createWorkflow: async (_: object): Promise<object> => inner };
  const unexpectedErrorSubject = { subscribe: () => ({ unsubscribe: () => {} }) };
  const options = { namespace: "default" };
  const worker = { workflowCreator, connection: {}, options, unexpectedErrorSubject } as unknown as Worker;
  const plugin = new NavigatorPlugin();
  await plugin.runWorker(worker, (one) => plugin.runWorker(one, async () => {}));
  const run = await workflowCreator.createWorkflow(made);
  expect(run).toBeInstanceOf(CommittedAnswers);
  expect(Object.values(run)).toContain(inner);
});
