import type { Client } from "@temporalio/client";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";

/** An activity's surroundings, without its warnings: failures are what these tests provoke. */
export function activityEnvironment(
  info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {},
  logger = new DefaultLogger("ERROR"),
  more: object = {},
): MockActivityEnvironment {
  const client = {
    withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
    activity: { heartbeat: async () => {} },
    ...more,
  } as unknown as Client;
  return new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000, ...info }, { client, logger });
}
