import { DefaultLogger, Runtime } from "@temporalio/worker";

/** For a worker in a process of its own: it says only what is wrong, and ends when its parent says so. */
export function installWorkerRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger("ERROR", ({ message, meta }) =>
      process.stderr.write(`worker: ${message} ${JSON.stringify(meta ?? {})}\n`),
    ),
    telemetryOptions: { logging: { forward: {}, filter: "error" } },
    // Ctrl-C reaches it too: the parent says when to stop.
    shutdownSignals: [],
  });
  process.on("SIGINT", () => {});
}
