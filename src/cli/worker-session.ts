import type { Worker } from "@temporalio/worker";
import type { CommandIo } from "./io";

export interface WorkerSession {
  worker: Worker;
  address: string;
  uiAddress: string | null;
  taskQueue: string;
  /** Until the worker is shut down; then the connection is closed. */
  run(): Promise<void>;
  /** Ends the embedded server if this command started it. */
  stopServer(): Promise<void>;
}

/** A worker with the tools and models of the project in this folder (or of `config`). */
export async function openWorker(
  io: CommandIo,
  options: { config?: string; taskQueue?: string; start: boolean },
): Promise<WorkerSession> {
  const [sdk, { loadConfig }, server, attributes, { createWorker }, { loadProject }, { createLogger }] =
    await Promise.all([
      import("@temporalio/worker"),
      import("../config"),
      import("../server"),
      import("../server/search-attributes"),
      import("../worker"),
      import("../project"),
      import("../log"),
    ]);
  const config = loadConfig();
  const project = await loadProject(options.config ?? process.cwd());
  quietRuntime(sdk, createLogger(config.logLevel));
  const found = await server.openServer(config, { start: options.start, progress: (line: string) => io.err(line) });
  const connection = await sdk.NativeConnection.connect({
    ...config.temporal.connectionOptions,
    address: found.address,
  });
  await attributes.ensureSearchAttributes(connection, found.namespace);
  const taskQueue = options.taskQueue ?? config.taskQueue;
  const worker = await createWorker({
    connection,
    namespace: found.namespace,
    taskQueue,
    tools: project.tools,
    models: project.models,
  });
  return {
    worker,
    address: found.address,
    uiAddress: found.uiAddress,
    taskQueue,
    run: async () => {
      try {
        await worker.run();
      } finally {
        await connection.close();
      }
    },
    stopServer: () => found.stop(),
  };
}

/** The SDK's native part writes to stdout by default: its lines go through our logger, to stderr. */
function quietRuntime(sdk: typeof import("@temporalio/worker"), log: import("../log").Logger): void {
  const levels = { TRACE: "debug", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;
  sdk.Runtime.install({
    logger: new sdk.DefaultLogger("WARN", ({ level, message, meta }) => log[levels[level]](message, meta)),
    telemetryOptions: { logging: { forward: {}, filter: "warn" } },
    // Ending is the command's business: it shuts its worker down on the first signal and exits with a code of its own.
    shutdownSignals: [],
  });
}
