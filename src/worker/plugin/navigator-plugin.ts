import { readFile } from "node:fs/promises";
import { type ClientPlugin, type ConnectionPlugin, isGrpcServiceError } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import {
  type BundleOptions,
  type BundlerPlugin,
  type NativeConnection,
  type NativeConnectionPlugin,
  type ReplayWorkerOptions,
  Runtime,
  type Worker,
  type WorkerOptions,
  type WorkerPlugin,
  type WorkflowBundleOption,
} from "@temporalio/worker";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { createModels } from "../../models";
import { encodesFailures, fittingFailures } from "../../node/encoding/data-converter";
import { maskingSecrets, SecretGuard } from "../../node/encoding/secret-guard";
import { BUNDLE_ASSET, bundledTypes } from "../../node/sdk-internals/bundled-types";
import { answerFromCommitted } from "../../node/sdk-internals/committed-queries";
import { rememberConnections } from "../../node/sdk-internals/connection-memory";
import { runUntilCoreFails } from "../../node/sdk-internals/failed-core";
import { sendWholeCharacters } from "../../node/sdk-internals/whole-texts";
import { learnSecrets, type SecretSettings } from "../../node/secrets/environment-secrets";
import { knownSecrets } from "../../node/secrets/known-secrets";
import {
  reportsTelemetry,
  type WorkerTelemetryOptions,
  withSilentTelemetry,
  withTelemetry,
} from "../../node/telemetry/worker-telemetry";
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  searchAttributesMissing,
} from "../../server/search-attributes";
import { LostWork } from "../lost-work/lost-work";
import { reportOtherVersions } from "../other-versions";
import { SteadyHeartbeats } from "../steady-heartbeats";
import {
  RECOVERY,
  reportIdentities,
  reportMasked,
  TRACE_PASSED,
  type WorkerParts,
  wantsOwnBundle,
  workerActivities,
  workflowCode,
} from "../worker-parts";
import type { NexusOptions } from "./nexus-handlers";

rememberConnections();

/** What Navigator does in a worker of yours. Everything may be left out where only code is bundled, or a client made. */
export interface NavigatorPluginOptions extends Partial<WorkerParts> {
  /** What goes into spans, and whether metrics are counted (docs/observability.md), as for `createWorker`. */
  telemetry?: WorkerTelemetryOptions;
  /**
   * Masks values of secrets in all that the worker sends (docs/security.md): those of its environment, with variables that you name
   * or take out. Default: only where the data converter comes from a project of Navigator.
   */
  secrets?: Partial<SecretSettings>;
  /**
   * `false`: a worker without own workflows stays one, and only makes calls. Default: it runs Navigator's workflows,
   * and so takes all workflow tasks of its queue.
   */
  workflows?: false;
  /** Search attributes that the namespace lacks are created. Default: such a namespace is refused. */
  searchAttributes?: "create";
  /**
   * Answers `navigatorService`, so that workflows of other namespaces run agents and tasks here over a Nexus endpoint
   * (docs/embedding.md). They may run the agents of `agents`, by name. Default: no.
   */
  nexus?: boolean | NexusOptions;
}

/**
 * Adds Navigator to a worker that you have (docs/embedding.md).
 *
 *     const worker = await Worker.create({
 *       connection, namespace, taskQueue: "orders",
 *       workflowsPath: require.resolve("./workflows"),
 *       activities,
 *       plugins: [new NavigatorPlugin({ tools: [refundCard] })],
 *     });
 *
 * It may be given to the worker, to its connection, to a client, to `bundleWorkflowCode` and to a replay. `Worker.create`
 * then rejects with a NavigatorError: `already_exists` where a workflow type or an activity of yours has the name of one of Navigator's;
 * `bad_project` for a `workflowBundle` without Navigator's workflows; `search_attributes` for a namespace that lacks
 * them.
 */
export class NavigatorPlugin
  implements WorkerPlugin, BundlerPlugin, ClientPlugin, ConnectionPlugin, NativeConnectionPlugin
{
  readonly name = "navigator";
  private readonly parts: WorkerParts;
  private readonly names: ReadonlySet<string>;
  /** Workers that have it already: given to the connection and to the worker, it is asked twice. */
  private readonly added = new WeakSet<object>();

  /** @throws NavigatorError for two tools of one name; `already_exists` for two models of one name; `bad_config` for an address of `notify` */
  constructor(private readonly options: NavigatorPluginOptions = {}) {
    const { models = createModels(), agents } = options;
    this.parts = { ...options, models, ...(agents === undefined ? {} : { agents: [...agents] }) };
    this.names = new Set(Object.keys(workerActivities(this.parts).activities));
  }

  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    if (this.added.has(runCallsOf(options.activities))) return options;
    const { connection, namespace = "default", workflowBundle } = options;
    const clashing = Object.keys(options.activities ?? {}).filter((name) => this.names.has(name));
    if (clashing.length > 0) throw nameConflict("activity", clashing);
    if (workflowBundle !== undefined) await checkBundle(workflowBundle);
    if (connection !== undefined)
      await checkNamespace(connection, namespace, this.options.searchAttributes === "create");
    const dataConverter = fittingFailures(this.maskingSecrets(options.dataConverter));
    sendWholeCharacters();
    const { activities: ours, load, tools } = workerActivities(this.parts, dataConverter);
    const lostWork =
      connection === undefined ? null : LostWork.of(this.options.callsFolder, this.names, Runtime.instance().logger);
    await (lostWork === null || connection === undefined ? load() : lostWork.beginWhile(load(), connection, namespace));
    reportIdentities(tools);
    const activities = { ...options.activities, ...ours };
    this.added.add(runCallsOf(activities));
    const together = {
      ...RECOVERY,
      // One that is there and undefined would take the place of a default.
      ...defined({ ...this.withWorkflows(options), dataConverter }),
      activities,
      ...(await this.nexusServices(options)),
    };
    const { logger } = Runtime.instance();
    const steady = new SteadyHeartbeats(connection, namespace, this.names, logger);
    const added = withAdded(together as WorkerOptions, lostWork === null ? [steady] : [steady, lostWork]);
    return withTelemetry(added, this.options.telemetry);
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    answerFromCommitted(worker);
    void reportOtherVersions(worker);
    await runUntilCoreFails(worker, () => next(worker));
  }

  async configureReplayWorker(options: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    if (options.workflowBundle !== undefined) await checkBundle(options.workflowBundle);
    return withSilentTelemetry(this.withWorkflows(options));
  }

  configureBundler(options: BundleOptions): BundleOptions {
    return withOwnWorkflows(options);
  }

  private async nexusServices({ nexusServices = [] }: WorkerOptions): Promise<Pick<WorkerOptions, "nexusServices">> {
    const { nexus = false } = this.options;
    if (nexus === false) return { nexusServices };
    const { navigatorNexusHandlers } = await import("./nexus-handlers");
    const handlers = navigatorNexusHandlers(nexus === true ? {} : nexus, this.parts.agents);
    return { nexusServices: [...nexusServices, handlers] };
  }

  /** A worker continues where a client refuses a secret. */
  private maskingSecrets(converter: DataConverter | undefined): DataConverter | undefined {
    const { secrets } = this.options;
    if (secrets === undefined) return converter && maskingSecrets(converter, { report: reportMasked });
    const { names = [], ignore = [] } = secrets;
    learnSecrets(process.env, { names, ignore });
    const theirs = (converter?.payloadCodecs ?? []).filter((codec) => !(codec instanceof SecretGuard));
    return { ...converter, payloadCodecs: [new SecretGuard(knownSecrets, "mask", reportMasked), ...theirs] };
  }

  /** A worker without own workflows runs Navigator's; those of a `workflowsPath` get them when they are bundled. */
  private withWorkflows<T extends WorkerOptions | ReplayWorkerOptions>(options: T): T {
    const { workflowBundle, workflowsPath } = options;
    if (this.options.workflows === false) return options;
    return workflowBundle === undefined && workflowsPath === undefined
      ? {
          ...options,
          ...workflowCode({
            encodeFailures: encodesFailures(options.dataConverter),
            passTraces: reportsTelemetry(this.options.telemetry),
            promiseStacks: this.options.promiseStacks,
            anew: wantsOwnBundle(options),
          }),
        }
      : options;
  }
}

/** By an activity, because other plugins may copy the object of all. */
const runCallsOf = (activities: object = {}): object => (activities as { runCalls?: object }).runCalls ?? {};

const OR_CREATE =
  'Or let this worker create them, if it has the permission: new NavigatorPlugin({ searchAttributes: "create" }).';

/** gRPC's numbers for a server that does not let this worker look: a managed service, or a role that may only work. */
const NOT_FOR_US = [7, 12];

/**
 * Refuses a namespace that lacks search attributes, and names the command that creates them.
 *
 * @param create they are created instead
 * @throws NavigatorError `search_attributes`, `namespace_not_found`
 */
async function checkNamespace(connection: NativeConnection, namespace: string, create: boolean): Promise<void> {
  if (create) return void (await ensureSearchAttributes(connection, namespace));
  try {
    const missing = await missingSearchAttributes(connection, namespace);
    if (missing.length > 0) throw searchAttributesMissing(namespace, missing, OR_CREATE);
  } catch (error) {
    if (!isGrpcServiceError(error) || !NOT_FOR_US.includes(error.code)) throw error;
  }
}

/** Navigator's workflows in the bundle of an application (docs/embedding.md). */

const OWN = require.resolve("../../workflows");
const WITH_THEIRS = require.resolve("../../workflows/embedded/with-theirs");

/** The workflow types of Navigator. */
const ownTypes = (): string[] => Object.keys(require("../../workflows/index") as object);

type Hook = NonNullable<BundleOptions["webpackConfigHook"]>;
type WebpackConfig = Parameters<Hook>[0];
interface Compiler {
  hooks: { afterCompile: { tapPromise(name: string, tap: (compilation: Compilation) => Promise<void>): void } };
}
interface Compilation {
  errors: unknown[];
  assets: { [file: string]: { source(): string | Buffer } };
}

/** The bundler's options, with Navigator's workflows added to the application's own. */
function withOwnWorkflows(options: BundleOptions): BundleOptions {
  const { workflowsPath, workflowInterceptorModules = [], webpackConfigHook = (config) => config } = options;
  // A plugin that was given to the connection and to the worker is asked twice.
  if (workflowInterceptorModules.includes(TRACE_PASSED)) return options;
  const passing = { ...options, workflowInterceptorModules: [...workflowInterceptorModules, TRACE_PASSED] };
  if (workflowsPath === OWN) return passing;
  return {
    ...passing,
    workflowsPath: WITH_THEIRS,
    webpackConfigHook: (config) => webpackConfigHook(combinedWith(config, workflowsPath)),
  };
}

function combinedWith(config: WebpackConfig, theirs: string): WebpackConfig {
  const resolve = config.resolve ?? {};
  const { alias } = resolve;
  // Either form of webpack's: a hook of another plugin may have made a list of it.
  const withTheirs = Array.isArray(alias)
    ? [...alias, { name: "their-workflows", alias: theirs, onlyModule: true }]
    : { ...alias, "their-workflows$": theirs };
  return {
    ...config,
    resolve: { ...resolve, alias: withTheirs },
    plugins: [...(config.plugins ?? []), { apply: refuseClashes } as never],
  };
}

/** Thrown from here, the error is what `Worker.create` or `bundleWorkflowCode` rejects with. */
function refuseClashes(compiler: unknown): void {
  (compiler as Compiler).hooks.afterCompile.tapPromise("navigator", async ({ errors, assets }) => {
    const bundle = Object.entries(assets).find(([file]) => BUNDLE_ASSET.test(file))?.[1];
    // Code that does not compile is reported by the bundler.
    if (errors.length > 0 || bundle === undefined) return;
    const found = bundledTypes(String(bundle.source()));
    if ("clashing" in found) throw nameConflict("workflow", found.clashing);
  });
}

/** @throws NavigatorError `bad_project` for a bundle that was made without Navigator's workflows */
async function checkBundle(bundle: WorkflowBundleOption): Promise<void> {
  const code = "code" in bundle ? bundle.code : await readFile(bundle.codePath, "utf8");
  const found = bundledTypes(code);
  if ("clashing" in found) throw nameConflict("workflow", found.clashing);
  if ("unknown" in found) return;
  const missing = ownTypes().filter((type) => !found.types.includes(type));
  if (missing.length === 0) return;
  throw new NavigatorError("bad_project", `The workflowBundle lacks workflows of Navigator: ${missing.join(", ")}.`, {
    hint: "Make the bundle with the plugin, bundleWorkflowCode({ workflowsPath, plugins: [new NavigatorPlugin()] }), or export these workflows of navigator-agents/workflows from yours",
    details: { path: "workflowBundle", missing },
  });
}

function nameConflict(kind: "activity" | "workflow", names: readonly string[]): NavigatorError {
  const [what, things] = kind === "activity" ? ["Activities", "activities"] : ["Workflow types", "workflows"];
  return new NavigatorError(
    "already_exists",
    `${what} of this worker have the names of Navigator's: ${names.join(", ")}.`,
    { hint: `Give your ${things} other names.`, details: { path: names[0] ?? "", kind, names: [...names] } },
  );
}

/** The SDK asks no plugin that another one adds to configure the worker, but to run it. */
function withAdded(options: WorkerOptions, added: readonly (LostWork | SteadyHeartbeats)[]): WorkerOptions {
  const configured = added.reduce((configured, plugin) => plugin.configureWorker(configured), options);
  return { ...configured, plugins: [...(configured.plugins ?? []), ...added] };
}
