import { WorkflowFailedError, WorkflowNotFoundError } from "@temporalio/client";
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from "@temporalio/common";
import { findAgentEnd, watchOwners } from "../../src/activities/agent-end";
import { activityEnvironment } from "./environment";

const STEP = { return: 7, fail: null, usage: {}, trace_id: "t" };

/** A server that has these runs: each has a status, and a result or the cause of its failure. */
function server(runs: { [id: string]: { status: string; first?: string; result?: unknown; cause?: Error } }) {
  const terminated: string[] = [];
  let described = 0;
  const found = (id: string) => {
    const run = runs[id];
    if (run === undefined) throw new WorkflowNotFoundError("it is not there", id, undefined);
    return run;
  };
  const client = {
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => {
          described += 1;
          const { status, first = "first" } = found(id);
          return { status: { name: status }, raw: { workflowExecutionInfo: { firstRunId: first } } };
        },
        result: async () => {
          const { cause, result } = found(id);
          if (cause !== undefined) throw new WorkflowFailedError("failed", cause, 0 as never);
          return result;
        },
        terminate: async () => void terminated.push(id),
      }),
    },
  };
  return { client, terminated, described: () => described };
}

describe("the end of an agent's run", () => {
  const failure = (...details: unknown[]) => ApplicationFailure.nonRetryable("No.", "no_stock", ...details);
  test.each([
    { name: "its Step", run: { status: "COMPLETED", result: STEP }, end: { ok: true, value: STEP } },
    {
      name: "the Step of a failed run",
      run: { status: "FAILED", cause: failure(STEP) },
      end: { ok: true, value: STEP },
    },
    {
      name: "its failure, if it has no Step",
      run: { status: "FAILED", cause: failure() },
      end: { ok: false, fail: { reason: "no_stock", message: "No." } },
    },
    {
      name: "agent_lost, if somebody terminated it",
      run: { status: "TERMINATED", cause: new TerminatedFailure("by an operator") },
      end: { ok: false, fail: { reason: "agent_lost", message: "by an operator" } },
    },
    { name: "null, if it was cancelled", run: { status: "CANCELLED", cause: new CancelledFailure("no") }, end: null },
  ])("is $name", async ({ run, end }) => {
    const result = await findAgentEnd(server({ child: run }).client)("child");
    if (end === null) expect(result).toBeNull();
    else expect(result).toMatchObject(end);
  });

  test("is agent_lost where the server does not have the run any more", async () =>
    expect(await findAgentEnd(server({}).client)("child")).toMatchObject({ fail: { reason: "agent_lost" } }));

  test.each(["RUNNING", "CONTINUED_AS_NEW"])("is asked for again while the run is %s", async (status) => {
    const end = findAgentEnd(server({ child: { status } }).client)("child");
    await expect(end).rejects.toMatchObject({ type: "agent_running", nonRetryable: false });
  });
});

describe("an agent that has an owner", () => {
  const owner = { workflow_id: "task/t", run_id: "first" };
  const calling = (given: Parameters<typeof server>[0], asked: object = { owner }) => {
    const { client, ...seen } = server(given);
    const watched = watchOwners(client)(async () => "called");
    return { call: () => activityEnvironment().run(() => watched(asked)), ...seen };
  };

  test.each([
    { name: "runs", runs: { "task/t": { status: "RUNNING" } } },
    { name: "has continued as new", runs: { "task/t": { status: "CONTINUED_AS_NEW" } } },
  ])("makes its calls while the owner $name, which is asked once a second", async ({ runs }) => {
    const { call, described } = calling(runs);
    expect([await call(), await call()]).toEqual(["called", "called"]);
    expect(described()).toBe(1);
  });

  test.each<{ name: string; runs: Parameters<typeof server>[0] }>([
    { name: "was terminated", runs: { "task/t": { status: "TERMINATED" } } },
    { name: "has completed", runs: { "task/t": { status: "COMPLETED" } } },
    { name: "is another one of the same id", runs: { "task/t": { status: "RUNNING", first: "other" } } },
    { name: "is not there any more", runs: {} },
  ])("is terminated before its next call when the owner $name", async ({ runs }) => {
    const { call, terminated } = calling(runs);
    await expect(call()).rejects.toMatchObject({ type: "owner_ended", nonRetryable: true });
    expect(terminated).toHaveLength(1);
  });

  test("asks nothing without an owner", async () => {
    const { call, described } = calling({}, {});
    expect(await call()).toBe("called");
    expect(described()).toBe(0);
  });
});
