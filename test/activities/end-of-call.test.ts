import type { Client } from "@temporalio/client";
import { WorkflowNotFoundError } from "@temporalio/client";
import { ActivityCancellationDetails } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { endOfCall } from "../../src/activities/running-calls/end-of-call";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const running = async () => ({ status: { name: "RUNNING" } });

type Details = Parameters<typeof ActivityCancellationDetails.fromProto>[0];

/** Whether a call ends when the SDK cancels its attempt for this reason. */
async function endsFor(
  details: Details,
  { describe = running as () => Promise<unknown>, startToCloseTimeoutMs = 60_000 } = {},
): Promise<boolean> {
  const client = {
    withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
    workflow: { getHandle: () => ({ describe }) },
  } as unknown as Client;
  const environment = new MockActivityEnvironment({ startToCloseTimeoutMs }, { client });
  return environment.run(async () => {
    const ends = endOfCall(environment.context);
    environment.cancel("CANCELLED", ActivityCancellationDetails.fromProto(details));
    await turn();
    return ends.aborted;
  });
}

test.each<[string, Details, Parameters<typeof endsFor>[1], boolean]>([
  ["its run cancelled it", { isCancelled: true }, {}, true],
  ["its worker shuts down", { isWorkerShutdown: true }, {}, true],
  ["an operator paused it", { isPaused: true }, {}, true],
  ["the server gave the attempt up, and the run continues", { isNotFound: true }, {}, false],
  ["no heartbeat arrived for too long", { isTimedOut: true }, {}, false],
  ["its own time is over", { isTimedOut: true }, { startToCloseTimeoutMs: 0 }, true],
  [
    "its run was terminated",
    { isNotFound: true },
    { describe: async () => ({ status: { name: "TERMINATED" } }) },
    true,
  ],
  [
    "its run is gone",
    { isNotFound: true },
    { describe: () => Promise.reject(new WorkflowNotFoundError("gone", "m", undefined)) },
    true,
  ],
  [
    "nobody answers about its run",
    { isTimedOut: true },
    { describe: () => Promise.reject(new Error("unavailable")) },
    false,
  ],
])("%s: the call ends, or does not", async (_, details, options, isOver) => {
  expect(await endsFor(details, options)).toBe(isOver);
});
