import {
  QueryNotRegisteredError,
  ServiceError,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { ask } from "../../src/client/errors";
import { pauseMission, resumeMission } from "../../src/client/run-control";

/** What the server answers in a moment in which it cannot take an update: the update is sent again. */
const refusal = (details: string) =>
  Object.assign(new ServiceError("refused"), {
    cause: Object.assign(new Error(details), { code: 9, details, metadata: {} }),
  });

describe("an update that the server refuses for the moment", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each([
    "unable to complete update due to unexpected workflow task failure",
    "Unable to perform workflow execution update due to Workflow Task in failed state.",
  ])("%s: it is sent again, and its answer is given", async (details) => {
    const call = jest.fn().mockRejectedValueOnce(refusal(details)).mockRejectedValueOnce(refusal(details));
    const answer = ask(call.mockResolvedValue("moved"));
    await jest.runAllTimersAsync();
    expect(await answer).toBe("moved");
    expect(call).toHaveBeenCalledTimes(3);
  });

  test("after five refusals no worker has answered", async () => {
    const details = "Unable to perform workflow execution update due to Workflow Task in failed state.";
    const call = jest.fn().mockRejectedValue(refusal(details));
    const refused = expect(ask(call)).rejects.toMatchObject({ code: "no_worker", details: { server: details } });
    await jest.runAllTimersAsync();
    await refused;
    expect(call).toHaveBeenCalledTimes(5);
  });

  test("any other refusal is told at once", async () => {
    const call = jest.fn().mockRejectedValue(refusal("something else"));
    await expect(ask(call)).rejects.toMatchObject({ code: "no_worker" });
    expect(call).toHaveBeenCalledTimes(1);
  });
});

describe("a query that a worker does not answer", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const unanswered = (message: string) => new QueryNotRegisteredError(message, 3);
  const NONE = "Workflow did not register a handler for task. Registered queries: [__stack_trace]";

  test.each([
    "[TMPRL1100] Nondeterminism error: the history has another command",
    "Query task was failed: the worker is shutting down",
    NONE,
  ])("%s: it is asked again, and its answer is given", async (message) => {
    const call = jest.fn().mockRejectedValueOnce(unanswered(message));
    const answer = ask(call.mockResolvedValue("here"));
    await jest.runAllTimersAsync();
    expect(await answer).toBe("here");
  });

  test.each([
    ["the worker is shutting down", "no_worker", 3],
    [NONE, "wrong_kind", 3],
    ["Workflow did not register a handler for task. Registered queries: [journal]", "wrong_kind", 1],
    ["unknown queryType task. KnownQueryTypes=[state]", "wrong_kind", 1],
  ])("%s: in the end %s", async (message, code, calls) => {
    const call = jest.fn().mockRejectedValue(unanswered(message));
    const refused = expect(ask(call)).rejects.toMatchObject({ code, hint: expect.stringMatching(/navigator/) });
    await jest.runAllTimersAsync();
    await refused;
    expect(call).toHaveBeenCalledTimes(calls);
  });
});

describe("an update that a workflow does not take", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const untaken = () =>
    new WorkflowUpdateFailedError(
      "refused",
      ApplicationFailure.nonRetryable("No registered handler for update: recordDecision", "ReferenceError"),
    );

  test("is sent again: a run that looks its tools up takes messages a moment later", async () => {
    const call = jest.fn().mockRejectedValueOnce(untaken()).mockResolvedValue("recorded");
    const answer = ask(call);
    await jest.runAllTimersAsync();
    expect(await answer).toBe("recorded");
  });

  test("is wrong_kind in the end", async () => {
    const refused = expect(ask(jest.fn().mockRejectedValue(untaken()))).rejects.toMatchObject({ code: "wrong_kind" });
    await jest.runAllTimersAsync();
    await refused;
  });

  test.each([pauseMission, resumeMission])("%o: a workflow that does not take it is refused by its id", async (say) => {
    const executeUpdate = jest.fn().mockRejectedValue(untaken());
    const run = {
      workflowId: "agent/x",
      describe: async () => ({ status: { name: "RUNNING" } }),
      // A worker answers; it only does not know the message.
      query: async () => ({}),
      client: { withDeadline: (_: number, work: () => Promise<unknown>) => work() },
      executeUpdate,
    };
    const refused = expect(say(run as unknown as WorkflowHandle, { by: "anna" })).rejects.toMatchObject({
      code: "wrong_kind",
      message: '"agent/x" cannot be paused: it is no mission and no plan.',
    });
    await jest.runAllTimersAsync();
    await refused;
    // Sent again as the same update: it cannot be taken twice.
    expect(new Set(executeUpdate.mock.calls.map(([, { updateId }]) => updateId)).size).toBe(1);
  });
});
