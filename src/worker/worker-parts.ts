import { existsSync, readFileSync } from "node:fs";
import { Context } from "@temporalio/activity";
import type { DataConverter } from "@temporalio/common";
import { Runtime, type WorkerOptions } from "@temporalio/worker";
import type { ActivitiesOptions } from "../activities";
import type { EscalationTools } from "../activities/notify";
import { createNotifier, type NotifyOptions } from "../activities/notify/notifier";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { BLOCKED_TIMEOUT_MS } from "../core/base/limits";
import { IDENTITY_ADVICE, lacksIdentity } from "../core/effects/effect-settings";
import type { PeopleFile } from "../core/review/people/people-file";
import { type ChunkListeners, type ModelResolver, modelsWithAgents } from "../models";
import { isOwnFailureConverter } from "../node/encoding/data-converter";
import { documentsOf } from "../node/encoding/storage/stored-documents";
import type { PrivateKey } from "../node/identity/keys";
import { COMPUTING_LIMIT } from "../node/sdk-internals/hidden-settings";
import { BUNDLE_FILE } from "../node/sdk-internals/workflow-bundle";
import type { StreamStore } from "../node/streams/stream-store";
import { type GivenTools, ToolRegistry } from "../tools";
import { type LateActivities, lateActivities } from "./late-activities";

/** What every worker of Navigator is made of, whether it is Navigator's own or somebody else's with the plugin. */

/** What the calls of a worker need. */
export interface WorkerParts {
  /** Two tools with the same name are refused. The tools of `agents` are added, to a registry too. Default: only those. */
  tools?: ToolRegistry | GivenTools;
  models: ModelResolver;
  /**
   * Agents of `defineAgent`: the worker adds their tools to `tools`, and their model objects and functions to `models`.
   */
  agents?: Iterable<AgentDefinition>;
  /** The people of the project, read for each decision: `readPeople(FILE)`. Default: names are taken as they are given. */
  people?: () => PeopleFile;
  /** Signs where the ledgers of runs end, so that a change of them is found out. Default: they stay unsigned. */
  ledgerKey?: PrivateKey;
  /** Listeners by name. A run names its listener in `on_chunk`. */
  onChunk?: ChunkListeners;
  /** Keeps the text of answers while it comes, so that people can read along. Default: it is not kept. */
  streams?: StreamStore;
  /** How people are notified of reviews, reminders, alerts and tickets. Default: only the log. */
  notify?: NotifyOptions;
  /** Names of the tools that are called when a task ends with `alert` or `ticket`. */
  escalations?: EscalationTools;
  /**
   * How long a call waits for a worker that has the tool, model or key that it needs, in milliseconds. Then it fails with
   * `configuration_error`. Default: 24 hours. 0: the call fails at once, as it does in memory.
   */
  blockedTimeoutMs?: number;
  /**
   * The folder of this machine in which the worker keeps which calls are under way. The next worker with the same folder gives back at once
   * what a killed one had; on Linux alone. Default: `workers` in the user's cache of Navigator (`NAVIGATOR_CACHE`, ~/.cache/navigator).
   * `false`: time limits find lost calls (docs/operations.md).
   */
  callsFolder?: string | false;
  /** `false`: each call of a program is a separate activity (docs/tools.md). Default: true. */
  sequences?: boolean;
  /**
   * `true`: the query `__stack_trace` shows where the promises of a workflow were made, which costs a quarter more time
   * of the workflow thread. Default: false. Workflows that are bundled when the worker starts always have it.
   */
  promiseStacks?: boolean;
}

/** Tuning for a quick recovery: a lost worker is noticed in seconds, not at the time limits of its work (measured). */
export const RECOVERY: Partial<WorkerOptions> = {
  // How long a workflow task waits for the worker that has the run in its cache before any other may take it.
  stickyQueueScheduleToStartTimeout: "1s",
  // Heartbeats are throttled to 80 % of the heartbeat timeout, at most to this.
  maxHeartbeatThrottleInterval: "1s",
  ...COMPUTING_LIMIT,
};

/** The workflow interceptors that pass traces on, for workflows that are bundled when the worker starts. */
export const TRACE_PASSED = require.resolve("../workflows/telemetry/trace-interceptors");

/** The client of the worker that makes the call: what it sends is encoded and traced as all else of that worker. */
const ownClient: ActivitiesOptions["client"] = {
  get workflow() {
    return Context.current().client.workflow;
  },
  get options() {
    return Context.current().client.options;
  },
};

/**
 * The activities of a worker. Their code is loaded when it is asked for.
 *
 * @param dataConverter of the worker: it defines where documents are kept
 * @throws NavigatorError for two tools of one name; `already_exists` for two models of one name; `bad_config` for an
 *   address of `notify`
 */
export function workerActivities(
  parts: WorkerParts,
  dataConverter: DataConverter = {},
): LateActivities & { tools: ToolRegistry } {
  const { tools = [], models, people, ledgerKey, onChunk, streams, escalations, notify = {} } = parts;
  const agents = [...(parts.agents ?? [])];
  const registry = tools instanceof ToolRegistry ? tools : new ToolRegistry(tools);
  const options: ActivitiesOptions = {
    tools: registry.addToolsOf(agents),
    models: agents.length === 0 ? models : modelsWithAgents(models, agents),
    people,
    ledgerKey,
    client: ownClient,
    onChunk,
    streams,
    documents: documentsOf(dataConverter),
    notifier: createNotifier(notify, people),
    escalations,
    blockedTimeoutMs: parts.blockedTimeoutMs ?? BLOCKED_TIMEOUT_MS,
    sequences: parts.sequences,
  };
  const late = lateActivities(async () => (await import("../activities")).createActivities(options));
  return { ...late, tools: registry };
}

/** A line for each irreversible tool that does not declare which arguments make its effect: a payment in other words is another payment. */
export function reportIdentities(tools: ToolRegistry): void {
  const { logger } = Runtime.instance();
  for (const spec of tools.specs())
    if (lacksIdentity(spec)) logger.warn("tool_without_identity", { tool: spec.name, hint: `${IDENTITY_ADVICE}.` });
}

/** Their options that only code that is bundled now can take: the SDK drops them when there is a ready bundle. */
export function wantsOwnBundle({ interceptors, bundlerOptions, dataConverter }: Partial<WorkerOptions>): boolean {
  const { payloadConverterPath, failureConverterPath } = dataConverter ?? {};
  const isTheirs = failureConverterPath !== undefined && !isOwnFailureConverter(failureConverterPath);
  const modules = interceptors?.workflowModules ?? [];
  return modules.length > 0 || bundlerOptions !== undefined || payloadConverterPath !== undefined || isTheirs;
}

/** What a worker needs of the bundle from the build. */
export interface BundleModes {
  /** Messages of failures become payloads, for workers with a codec (`src/node/encoding/bundled-failures.ts`). */
  encodeFailures?: boolean;
  /** Traces are passed on, for workers that report them (`src/workflows/telemetry/bundled-trace-interceptors.ts`). */
  passTraces?: boolean;
  /** Stacks of promises are kept, for workers that shall show them (`src/node/sdk-internals/promise-stacks.ts`). */
  promiseStacks?: boolean | undefined;
  /** The options of the worker want more than a mode: the workflows are bundled when it starts (`wantsOwnBundle`). */
  anew?: boolean;
}

/**
 * The bundle from the build, or the sources if there is none: bundling takes a second at each start, and then the
 * worker's options define the content of the bundle.
 *
 * @param file the bundle
 */
export function workflowCode(
  { encodeFailures = false, passTraces = false, promiseStacks = false, anew = false }: BundleModes = {},
  file = BUNDLE_FILE,
): Pick<WorkerOptions, "workflowBundle" | "workflowsPath"> {
  if (anew || !existsSync(file)) return { workflowsPath: require.resolve("../workflows") };
  const modes: [from: string, to: string][] = [];
  if (encodeFailures) modes.push(["failures_in_the_clear", "failures_in_payloads"]);
  if (passTraces) modes.push(["traces_end_here", "traces_go_on"]);
  if (promiseStacks) modes.push(["promise_stacks_off", "promise_stacks_on"]);
  if (modes.length === 0) return { workflowBundle: { codePath: file } };
  return { workflowBundle: { code: modes.reduce(withMode, readFileSync(file, "utf8")) } };
}

/** The bundle with one mode changed. */
function withMode(bundle: string, [from, to]: [from: string, to: string]): string {
  const [before, after, ...more] = bundle.split(`MODE="${from}"`);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`The workflow bundle has no mode ${from}: build it again (npm run build).`);
  return `${before}MODE="${to}"${after}`;
}

/** A line for each secret whose value was masked: a tool may have got a mask in place of what it needs. */
export const reportMasked = (secret: string): void => Runtime.instance().logger.warn("secret_masked", { secret });
