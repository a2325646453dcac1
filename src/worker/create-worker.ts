import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import { type NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker";
import { createActivities } from "../activities";
import type { EscalationTools } from "../activities/notify";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { startableProject, taskQueueOf } from "../core/base/input/project";
import { BLOCKED_TIMEOUT_MS } from "../core/base/limits";
import type { PeopleFile } from "../core/people/people-file";
import { createDataConverter } from "../encoding/data-converter";
import { maskingSecrets } from "../encoding/secret-guard";
import { documentsOf } from "../encoding/storage/stored-documents";
import type { PrivateKey } from "../identity/keys";
import { type ChunkListeners, type ModelResolver, modelsWithAgents } from "../models";
import { createNotifier, type NotifyOptions } from "../notify/notifier";
import type { StreamStore } from "../streams/stream-store";
import { type WorkerTelemetryOptions, withTelemetry } from "../telemetry/worker-telemetry";
import { type GivenTools, ToolRegistry } from "../tools";

/** Options of a worker: its task queue, tools and models. */
export interface NavigatorWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  /** Default: that of the project, `navigator-PROJECT`. */
  taskQueue?: string;
  /** The name of the project that it serves, as its clients name it. Default: none, with the task queue `navigator`. */
  project?: string;
  /** Two tools with the same name are refused. */
  tools: ToolRegistry | GivenTools;
  models: ModelResolver;
  /** Agents of `defineAgent` whose `model` is an object or a function: the worker knows these, beside `models`. */
  agents?: Iterable<AgentDefinition>;
  /** The people of the project, read for each decision: `readPeople(FILE)`. Default: names are taken as they are given. */
  people?: () => PeopleFile;
  /** Signs where the ledgers of runs end, so that a change of them is found out. Default: they stay unsigned. */
  ledgerKey?: PrivateKey;
  /** Listeners by name. A run names its listener in `on_chunk`. */
  onChunk?: ChunkListeners;
  /** Keeps the text of answers while it comes, so that people can read along. Default: it is not kept. */
  streams?: StreamStore;
  /** The address of the webhook: `notify.webhook.url`, where an address without TLS is taken as it is. */
  notifyUrl?: string;
  /** How people are told of reviews, reminders, alerts and tickets. Default: only the log. */
  notify?: NotifyOptions;
  /** Names of the tools that are called when a task ends with `alert` or `ticket`. */
  escalations?: EscalationTools;
  /**
   * How long a call waits for a worker that has the tool, model or key that it needs, in milliseconds. Then it fails with
   * `configuration_error`. Default: 24 hours. 0: the call fails at once, as it does in memory.
   */
  blockedTimeoutMs?: number;
  /**
   * How payloads are encoded, as all clients of the project encode them: `(await loadProject()).encoding.dataConverter`
   * (docs/encryption.md). Default: they are in the clear.
   */
  dataConverter?: DataConverter;
  /**
   * What goes into spans, and whether metrics are counted (docs/observability.md). Spans go to the tracer provider that the
   * process has registered, with `startTelemetry` or by itself; without one there are none.
   */
  telemetry?: WorkerTelemetryOptions;
  /** Passed to the SDK's worker last: tests and operators may set what they need. */
  overrides?: Partial<WorkerOptions>;
}

/** Tuning for a quick recovery: a lost worker is noticed in seconds, not at the time limits of its work (measured). */
const RECOVERY: Partial<WorkerOptions> & { isolateExecutionTimeout: string } = {
  // How long a workflow task waits for the worker that has the run in its cache before any other may take it.
  stickyQueueScheduleToStartTimeout: "1s",
  // Heartbeats are throttled to 80 % of the heartbeat timeout, at most to this.
  maxHeartbeatThrottleInterval: "1s",
  // After thousands of signals one call into a workflow may take longer than 5 s, the default. Cutting it off ends the whole
  // worker process (the SDK's hooks do not survive it), and the next worker meets the same signals.
  // The SDK has this option without naming it in its types.
  isolateExecutionTimeout: "30s",
};

/**
 * Makes a worker: the tools, models and workflows of one process. It is stateless, so any number of workers may serve one
 * task queue. `run()` starts it; `shutdown()` lets it finish its open work.
 *
 * @throws NavigatorError for two tools of one name; `duplicate_model` for two models of one name; `bad_project` for a name that no project can have; `bad_config` for
 * an address of `notify` that cannot be used.
 */
export async function createWorker(options: NavigatorWorkerOptions): Promise<Worker> {
  const tools = options.tools instanceof ToolRegistry ? options.tools : new ToolRegistry(options.tools);
  const { connection, namespace, overrides } = options;
  // Without one it reads what is in the clear, and says of all else that it cannot.
  const dataConverter = maskingSecrets(
    overrides?.dataConverter ?? options.dataConverter ?? createDataConverter({ codecs: [] }),
  );
  // What it sends to workflows is encoded like all else.
  const client = new Client({ connection, namespace, dataConverter });
  const worker: WorkerOptions = {
    connection: options.connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue ?? taskQueueOf(startableProject(options.project ?? null)),
    activities: createActivities({
      tools,
      models: options.agents === undefined ? options.models : modelsWithAgents(options.models, options.agents),
      people: options.people,
      ledgerKey: options.ledgerKey,
      client,
      onChunk: options.onChunk,
      streams: options.streams,
      documents: documentsOf(dataConverter),
      notifier: createNotifier(withUrl(options.notify, options.notifyUrl), options.people),
      escalations: options.escalations,
      blockedTimeoutMs: options.blockedTimeoutMs ?? BLOCKED_TIMEOUT_MS,
    }),
    ...workflowCode({ encodeFailures: dataConverter.failureConverterPath !== undefined }),
    ...RECOVERY,
    ...overrides,
    dataConverter,
  };
  return Worker.create(await withTelemetry(withTracePassed(worker), options.telemetry));
}

/** The built bundle passes traces on; workflows that are bundled now need to be told. */
function withTracePassed(options: WorkerOptions): WorkerOptions {
  if (options.workflowBundle !== undefined) return options;
  const { interceptors } = options;
  const passing = require.resolve("../workflows/telemetry/trace-interceptors");
  const workflowModules = [...(interceptors?.workflowModules ?? []), passing];
  return { ...options, interceptors: { ...interceptors, workflowModules } };
}

const withUrl = (notify: NotifyOptions = {}, url: string | undefined): NotifyOptions =>
  url === undefined ? notify : { ...notify, webhook: { ...notify.webhook, url, allowPlain: true } };

/**
 * The bundle from the build, or the sources if there is none: bundling takes a second at each start.
 *
 * @param options.encodeFailures messages of failures become payloads, for workers with a codec. The SDK bundles a failure
 *   converter with the sources; the bundle from the build has one that can do both.
 */
export function workflowCode({
  encodeFailures = false,
}: {
  encodeFailures?: boolean;
} = {}): Pick<WorkerOptions, "workflowBundle" | "workflowsPath"> {
  const bundle = path.join(__dirname, "..", "workflow-bundle.js");
  if (!existsSync(bundle)) return { workflowsPath: require.resolve("../workflows") };
  if (!encodeFailures) return { workflowBundle: { codePath: bundle } };
  return { workflowBundle: { code: withEncodedFailures(readFileSync(bundle, "utf8")) } };
}

/** The failure converter of a bundle from the build (`src/encoding/bundled-failures.ts`), set to encode. */
export function withEncodedFailures(bundle: string): string {
  const [clear, encoded] = ['MODE = "failures_in_the_clear"', 'MODE = "failures_in_payloads"'];
  const [before, after, ...more] = bundle.split(clear);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error("The workflow bundle has no failure converter that can encode: build it again (npm run build).");
  return `${before}${encoded}${after}`;
}
