import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";

/** An activity's surroundings, without its warnings: failures are what these tests provoke. */
export function activityEnvironment(
  info: { attempt?: number; isLocal?: boolean } = {},
  logger = new DefaultLogger("ERROR"),
): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger });
}
