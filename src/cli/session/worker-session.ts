import path from "node:path";
import type { ActivityInterceptorsFactory, Worker } from "@temporalio/worker";
import { defined } from "../../core/base/defined";
import type { ProjectName } from "../../core/base/ids";
import { startableProject, taskQueueOf } from "../../core/base/input/project";
import { thrownText } from "../../core/base/navigator-error";
import type { PeopleFile } from "../../core/review/people/people-file";
import type { PrivateKey } from "../../node/identity/keys";
import type { Logger } from "../../node/log";
import { takeLastPolls } from "../../node/sdk-internals/hidden-settings";
import { startWorkflowThread } from "../../node/sdk-internals/workflow-thread";
import type { Config } from "../../node/settings";
import type { StreamStore } from "../../node/streams/stream-store";
import { capacityOptions, type WorkerCapacity } from "../../node/worker-capacity";
import type { Project } from "../../project/load";
import { ACTIVITY_NAMES } from "../../worker/late-activities";
import type { CommandIo } from "../terminal/io";

/** A worker with a running server. */
export interface OwnWorker {
  worker: Worker;
  taskQueue: string;
  /** The name of the project that it serves. */
  project: ProjectName;
  /** Runs until the worker is shut down, then closes the connection. */
  run(): Promise<void>;
}

export interface WorkerSession extends OwnWorker {
  address: string;
  uiAddress: string | null;
  startedServer: boolean;
  /** What it was loaded from. */
  loaded: { config: Config; project: Project; log: Logger };
  /** Ends the embedded server if this command started it. */
  stopServer(): Promise<void>;
}

/** A worker with the tools and models of the project in this folder (or of `config`), which serves its queue until it is stopped. */
export async function openWorker(
  io: CommandIo,
  options: { config?: string; start: boolean } & WorkerSettings,
): Promise<WorkerSession> {
  takeLastPolls();
  startWorkflowThread(ACTIVITY_NAMES);
  const [{ loadConfig }, server, { loadProject }, { createLogger }] = await Promise.all([
    import("../../node/settings"),
    import("../../server/open-server"),
    import("../../project/load"),
    import("../../node/log"),
  ]);
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const project = await loadProject(options.config ?? process.cwd(), { log });
  const { found, own } = await closing(project, async () => {
    await project.openTools();
    const found = await server.openServer(config, { start: options.start, progress: (line: string) => io.err(line) });
    return { found, own: await startWorker(config, found, project, { servesMetrics: true, ...options }) };
  });
  const { address, uiAddress, startedByUs: startedServer } = found;
  const loaded = { config, project, log };
  return { ...own, address, uiAddress, startedServer, loaded, stopServer: () => found.stop() };
}

/** Stops what the project's tools have started if the work that needs them cannot begin. */
async function closing<T>(project: Project, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** How a worker of a command works. */
interface WorkerSettings {
  taskQueue?: string;
  /** For a worker inside a command that reports the results of its calls itself. */
  quiet?: boolean;
  /** For a command that shows what each mission does: no raw lines of blocked calls and of attempts after the first. */
  showsMissions?: boolean;
  /** For a process that is there to stay: Prometheus may ask it. */
  servesMetrics?: boolean;
  metricsPort?: string;
  /** How long its open calls may continue once it is stopped, in ms. Then they are aborted. Default: 0. */
  lastCalls_ms?: number;
  /** How much it does at the same time: wins over the environment and the project. */
  capacity?: WorkerCapacity;
  /** Receives the calls that are open. */
  openCalls?: { interceptor(hasEffect: (tool: string) => boolean): ActivityInterceptorsFactory };
}

/** A worker with the project's tools, which must be open; they are closed when it ends. */
export async function startWorker(
  config: Config,
  server: { address: string; namespace: string },
  project: Project,
  options: WorkerSettings = {},
): Promise<OwnWorker> {
  const [
    sdk,
    { ensureSearchAttributes },
    { createWorker },
    { createLogger },
    disk,
    { notifyOptions },
    keys,
    { openStreams },
    { processTelemetry },
    { runtimeMetrics },
    { useServer },
  ] = await Promise.all([
    import("@temporalio/worker"),
    import("../../server/search-attributes"),
    import("../../worker/create-worker"),
    import("../../node/log"),
    import("../../node/identity/people-on-disk"),
    import("../../activities/notify/settings"),
    import("../../node/identity/key-store"),
    import("../../node/streams/open-store"),
    import("./process-telemetry"),
    import("../../node/telemetry/runtime-metrics"),
    import("../../server/local-servers"),
  ]);
  const people = disk.readPeople(disk.peopleFileOf(project.folder));
  // Report a mistake in the file now, and not with the first decision.
  people();
  project.encoding.checkWritable();
  const log = createLogger(config.logLevel);
  const running = await processTelemetry(project.telemetry, log, options);
  const metrics = runtimeMetrics(running.telemetry);
  quietWorkerRuntime(sdk, log, options.showsMissions === true ? isLogged : options.quiet === true, metrics);
  const connection = await sdk.NativeConnection.connect({
    ...config.temporal.connectionOptions,
    address: server.address,
  });
  await ensureSearchAttributes(connection, server.namespace);
  const streams = await openStreams(config, project.encoding);
  pruneStreams(streams, config.streamsKeepMs, log);
  const taskQueue = options.taskQueue ?? config.taskQueue ?? taskQueueOf(startableProject(project.name));
  const worker = await createWorker({
    connection,
    namespace: server.namespace,
    taskQueue,
    callsFolder: path.join(config.home, "workers"),
    tools: project.tools,
    models: project.models,
    dataConverter: project.encoding.dataConverter,
    people,
    ...defined({ ledgerKey: ledgerKeyOf(people(), keys.serviceKey) }),
    onChunk: project.onChunk,
    streams,
    escalations: project.escalations,
    blockedTimeoutMs: config.blockedTimeoutMs,
    sequences: project.sequences,
    promiseStacks: project.promiseStacks,
    notify: notifyOptions(project.notify, config),
    telemetry: { content: running.telemetry.content },
    overrides: defined({
      ...capacityOptions({ ...project.worker, ...config.workerCapacity, ...options.capacity }),
      shutdownGraceTime: options.lastCalls_ms,
      interceptors: options.openCalls && {
        activity: [options.openCalls.interceptor((name) => project.tools.get(name)?.spec.effect !== "read")],
      },
    }),
  });
  const leave = useServer(config.cache, server.address);
  const run = async () => {
    const closeAll = () => [connection, project, streams].map((one) => one.close());
    try {
      await worker.run();
    } catch (error) {
      leave();
      // The SDK's core may still use the connection, which then cannot be closed.
      await Promise.allSettled([...closeAll(), running.stop()]);
      throw error;
    }
    leave();
    await Promise.all([...closeAll(), running.stop()]);
  };
  return { worker, taskQueue, project: project.name, run };
}

/** Runs in the background: missions do not wait for it. */
function pruneStreams(streams: StreamStore, keep_ms: number, log: Logger): void {
  if (keep_ms === 0) return;
  streams.prune(Date.now() - keep_ms).then(
    (removed) => removed > 0 && log.info("streams_removed", { removed }),
    (error: unknown) => log.warn("streams_not_removed", { error: thrownText(error) }),
  );
}

/** The key of the first service that may sign ledgers and whose key is on this machine. */
function ledgerKeyOf({ services }: PeopleFile, keyOf: (service: string) => PrivateKey): PrivateKey | undefined {
  for (const [name, { may, keys }] of Object.entries(services)) {
    if (!may.includes("sign_ledger")) continue;
    const own = keyOf(name);
    if (keys.some(({ kid, revoked }) => kid === own.kid && revoked === undefined)) return own;
  }
  return undefined;
}

/**
 * Log messages of the SDK that a command with a worker inside leaves out: failures that belong to a run, which the
 * command reports, and queries whose sender did not wait for the answer.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "Activity failed",
  "Workflow failed",
  "Query not found when attempting to respond to it",
]);

/** Whether the log of missions shows the event already: a blocked call, or an attempt of a call after the first. */
function isLogged(message: string, meta: { [field: string]: unknown } = {}): boolean {
  if (message === "configuration_error" || message === "blocked" || message === "unblocked") return true;
  const { error, attempt } = meta as { error?: { type?: unknown }; attempt?: unknown };
  return message === "Activity failed" && (error?.type === "configuration_error" || Number(attempt) > 1);
}

/** The SDK's native part writes to stdout by default: its lines go through our logger, to stderr. */
export function quietWorkerRuntime(
  sdk: typeof import("@temporalio/worker"),
  log: Logger,
  quiet: boolean | typeof isLogged,
  metrics?: import("@temporalio/worker").TelemetryOptions["metrics"],
): void {
  const levels = { TRACE: "debug", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;
  sdk.Runtime.install({
    logger: new sdk.DefaultLogger("WARN", ({ level, message, meta }) => {
      const isLeftOut = typeof quiet === "boolean" ? quiet && LEFT_OUT.has(message) : quiet(message, meta);
      const importance = isLeftOut ? "debug" : levels[level];
      log[importance](message, meta);
    }),
    telemetryOptions: { logging: { forward: {}, filter: "warn" }, ...defined({ metrics }) },
    // The command decides when to end: it shuts its worker down on the first signal and sets its own exit code.
    shutdownSignals: [],
  });
}
