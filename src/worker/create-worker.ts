import type { DataConverter } from "@temporalio/common";
import { type NativeConnection, Runtime, type Worker, type WorkerOptions } from "@temporalio/worker";
import { startableProject, taskQueueOf } from "../core/base/input/project";
import { createDataConverter, encodesFailures, fittingFailures } from "../node/encoding/data-converter";
import { maskingSecrets, SecretGuard } from "../node/encoding/secret-guard";
import { answerFromCommitted } from "../node/sdk-internals/committed-queries";
import { rememberConnections } from "../node/sdk-internals/connection-memory";
import { TimedWorker, type TimedWorkerOptions } from "../node/sdk-internals/timed-worker";
import { sendWholeCharacters } from "../node/sdk-internals/whole-texts";
import { knownSecrets } from "../node/secrets/known-secrets";
import { reportsTelemetry, type WorkerTelemetryOptions, withTelemetry } from "../node/telemetry/worker-telemetry";
import { LostWork } from "./lost-work/lost-work";
import { reportOtherVersions } from "./other-versions";
import { SteadyHeartbeats } from "./steady-heartbeats";
import {
  RECOVERY,
  reportIdentities,
  reportMasked,
  TRACE_PASSED,
  type WorkerParts,
  wantsOwnBundle,
  workerActivities,
  workflowCode,
} from "./worker-parts";

rememberConnections();

/** Options of a worker: its task queue, tools and models. */
export interface NavigatorWorkerOptions extends WorkerParts {
  connection: NativeConnection;
  namespace: string;
  /** Default: that of the project, `navigator-PROJECT`. */
  taskQueue?: string;
  /** The name of the project that it serves, as its clients name it. Default: none, with the task queue `navigator`. */
  project?: string;
  /**
   * How payloads are encoded, as all clients of the project encode them: `(await loadProject()).encoding.dataConverter`
   * (docs/encryption.md). Default: they are in the clear.
   */
  dataConverter?: DataConverter;
  /**
   * What goes into spans, and whether metrics are counted (docs/observability.md). Spans go to the tracer provider that
   * the process has registered, with `startTelemetry` or in another way; without one there are none.
   */
  telemetry?: WorkerTelemetryOptions;
  /** The SDK's worker gets these options last. `workflowsPath` and `workflowBundle` replace Navigator's own workflows. */
  overrides?: Partial<WorkerOptions>;
}

/**
 * Makes a worker: the tools, models and workflows of one process. It is stateless, so any number of workers may serve
 * one task queue. `run()` starts it; `shutdown()` lets it finish its open work. To add them to your own worker:
 * `NavigatorPlugin`.
 *
 * @throws NavigatorError for two tools of one name; `already_exists` for two models of one name; `bad_project` for a
 *   name that no project can have; `bad_config` for an address of `notify` that cannot be used.
 */
export async function createWorker(options: NavigatorWorkerOptions): Promise<Worker> {
  const { connection, namespace, project = null, taskQueue, overrides, telemetry, ...parts } = options;
  // Without one it reads data in the clear, and rejects all other data.
  const given = overrides?.dataConverter ?? options.dataConverter ?? createDataConverter({ codecs: [] });
  const guard = new SecretGuard(knownSecrets, "mask");
  const dataConverter = fittingFailures(maskingSecrets(given, { guard, report: reportMasked }));
  sendWholeCharacters();
  const passTraces = reportsTelemetry(telemetry);
  const { activities, load, tools } = workerActivities(parts, dataConverter);
  const worker: TimedWorkerOptions = {
    connection,
    namespace,
    taskQueue: taskQueue ?? taskQueueOf(startableProject(project)),
    activities,
    ...(overrides?.workflowsPath === undefined && overrides?.workflowBundle === undefined
      ? workflowCode({
          encodeFailures: encodesFailures(dataConverter),
          passTraces,
          promiseStacks: parts.promiseStacks,
          anew: wantsOwnBundle({ ...overrides, dataConverter }),
        })
      : {}),
    ...RECOVERY,
    whileStarting: load,
    ...overrides,
    dataConverter,
  };
  const configured = await withTelemetry(passTraces ? withTracePassed(worker) : worker, telemetry);
  const names = new Set(Object.keys(activities));
  const { logger } = Runtime.instance();
  const steady = new SteadyHeartbeats(connection, configured.namespace ?? namespace, names, logger);
  const plugins = [...(configured.plugins ?? []), steady];
  reportIdentities(tools);
  const lostWork = LostWork.of(parts.callsFolder, names, logger);
  if (lostWork === null) return withCode(TimedWorker.create({ ...configured, plugins }), load);
  const making = TimedWorker.create({ ...configured, plugins: [...plugins, lostWork] });
  return withCode(lostWork.beginWhile(making, connection, configured.namespace), load);
}

/** The worker with the code of its activities: loaded now if that did not happen while the worker started. */
async function withCode(making: Promise<Worker>, load: () => Promise<void>): Promise<Worker> {
  const worker = await making;
  answerFromCommitted(worker);
  void reportOtherVersions(worker);
  await load();
  return worker;
}

/** The built bundle can pass traces on; workflows that are bundled now need the module for it. */
function withTracePassed(options: WorkerOptions): WorkerOptions {
  if (options.workflowBundle !== undefined) return options;
  const { interceptors } = options;
  const workflowModules = [...(interceptors?.workflowModules ?? []), TRACE_PASSED];
  return { ...options, interceptors: { ...interceptors, workflowModules } };
}
