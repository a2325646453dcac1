import type { TemporalPlace } from "../../testing/on-temporal";
import type { ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { withSession } from "./session";
import { quietWorkerRuntime } from "./worker-session";

/** Runs a scenario on the Temporal server that is found, or on one that is started for it. */
export async function simulateForReal(io: CommandIo, run: (place: TemporalPlace) => Promise<ExitCode>): Promise<void> {
  await withSession(io, "start", async ({ client, config, address, namespace, encoding }) => {
    const [sdk, { createLogger }] = await Promise.all([import("@temporalio/worker"), import("../../node/log")]);
    quietWorkerRuntime(sdk, createLogger(config.logLevel), true);
    const native = await sdk.NativeConnection.connect({ ...config.temporal.connectionOptions, address });
    try {
      return await run({
        temporal: client.temporal,
        native,
        namespace,
        overrides: { dataConverter: encoding.dataConverter },
      });
    } finally {
      await native.close();
    }
  });
}
