import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import { NativeConnection, type Worker } from "@temporalio/worker";
import type { NotifyOptions } from "../../src/activities/notify/notifier";
import { NavigatorClient } from "../../src/client/client";
import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { defined } from "../../src/core/base/defined";
import type { PeopleFile } from "../../src/core/review/people/people-file";
import { type ChunkListeners, createModels, type ModelResolver, type Script } from "../../src/models";
import { encodesFailures } from "../../src/node/encoding/data-converter";
import type { PrivateKey } from "../../src/node/identity/keys";
import { keepWorkflowThreads } from "../../src/node/sdk-internals/workflow-thread";
import type { StreamStore } from "../../src/node/streams/stream-store";
import { reportsTelemetry } from "../../src/node/telemetry/worker-telemetry";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { quietRuntime } from "../../src/testing/quiet";
import { type Tool, ToolRegistry } from "../../src/tools";
import { createWorker } from "../../src/worker/create-worker";
import { workflowCode } from "../../src/worker/worker-parts";
import { testAddress } from "./environment";

export { quietRuntime };

/** A client and a worker of its own on the run's Temporal server, with the scripted model. */
export interface Rig {
  client: NavigatorClient;
  taskQueue: string;
  /** The tools of its workers: more may be added while they run. */
  tools: ToolRegistry;
  /** A second worker, or the first again after `stopWorker`. */
  startWorker(keeps?: { maxCachedWorkflows?: number; promiseStacks?: boolean }): Promise<void>;
  stopWorker(): Promise<void>;
  stop(): Promise<void>;
}

export async function openRig(options: {
  tools?: Tool[];
  script?: Script;
  models?: ModelResolver;
  address?: string;
  /** Where its worker reaches the server. Default: `address`. */
  workerAddress?: string;
  /** How many workflows its worker keeps in memory; 0: each is read anew for each of its tasks. */
  maxCachedWorkflows?: number;
  onChunk?: ChunkListeners;
  notify?: NotifyOptions;
  /** Default: the one that all tests share. */
  namespace?: string;
  /** Default: one of its own. */
  taskQueue?: string;
  /** The name of the project. Default: none. */
  name?: string;
  people?: () => PeopleFile;
  /** Where the text of model calls is kept while it comes. */
  streams?: StreamStore;
  /** Signs the heads of ledgers. */
  ledgerKey?: PrivateKey;
  escalations?: { alert?: string; ticket?: string };
  /** Of client and worker. */
  dataConverter?: DataConverter;
  /** false: its workers run no programs. */
  sequences?: boolean;
  /** Default 0: what is missing fails at once. */
  blockedTimeoutMs?: number;
}): Promise<Rig> {
  quietRuntime();
  keepWorkflowThreads();
  const { taskQueue = `test-${randomUUID()}` } = options;
  const address = options.address ?? testAddress();
  const [connection, native] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address: options.workerAddress ?? address }),
  ]);
  const { namespace = "default" } = options;
  await ensureSearchAttributes(connection, namespace);
  const tools = new ToolRegistry(options.tools ?? []);
  let worker: Worker | undefined;
  let running: Promise<void> = Promise.resolve();
  const startWorker: Rig["startWorker"] = async (keeps = {}) => {
    const { maxCachedWorkflows = options.maxCachedWorkflows, promiseStacks } = keeps;
    worker = await createWorker({
      connection: native,
      namespace,
      taskQueue,
      ...defined({ project: options.name }),
      tools,
      blockedTimeoutMs: options.blockedTimeoutMs ?? 0,
      callsFolder: false,
      ...defined({ sequences: options.sequences }),
      models: options.models ?? createModels({ env: {}, script: options.script ?? [] }),
      ...(options.escalations === undefined ? {} : { escalations: options.escalations }),
      ...defined({ ledgerKey: options.ledgerKey, streams: options.streams }),
      ...(options.onChunk === undefined ? {} : { onChunk: options.onChunk }),
      ...(options.notify === undefined ? {} : { notify: options.notify }),
      ...(options.people === undefined ? {} : { people: options.people }),
      overrides: {
        // Of the sources, which are not used: with it, the SDK reads the bundle.
        workflowsPath: undefined,
        ...workflowCode(
          {
            encodeFailures: encodesFailures(options.dataConverter),
            passTraces: reportsTelemetry(),
            promiseStacks,
          },
          process.env.NAVIGATOR_TEST_BUNDLE,
        ),
        ...defined({ dataConverter: options.dataConverter, maxCachedWorkflows }),
      },
    });
    running = worker.run();
  };
  const stopWorker = async () => {
    worker?.shutdown();
    await running;
    worker = undefined;
  };
  await startWorker();
  return {
    client: new NavigatorClient(
      new Client({ connection, namespace, ...defined({ dataConverter: options.dataConverter }) }),
      { project: options.name ?? null, taskQueue },
    ),
    taskQueue,
    tools,
    startWorker,
    stopWorker,
    stop: async () => {
      await stopWorker();
      await native.close();
      await connection.close();
    },
  };
}

/** An agent that must be sound. */
export function agent(raw: Record<string, unknown>): AgentDefinition {
  const parsed = parseAgent({ prompt: "Do it.", ...raw });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

export const fenced = (program: string): string => `\`\`\`clojure\n${program}\n\`\`\``;

type RigOptions = Parameters<typeof openRig>[0];

/**
 * `openRig` for a test file with a rig for each test: to start a worker takes a second of CPU, so a rig that is stopped
 * serves the next test that asks for the same settings, with the tools and the models of that test. Runs that a test
 * leaves open are still served. A rig whose worker was stopped or started by hand is not used again.
 */
export function sharedRigs(): typeof openRig {
  const free = new Map<string, { rig: Rig; models: { now: ModelResolver } }[]>();
  afterAll(async () => {
    for (const { rig } of [...free.values()].flat()) await rig.stop();
  });
  const modelsOf = ({ models, script = [] }: RigOptions) => models ?? createModels({ env: {}, script });
  return async (options) => {
    const { tools = [], script: _script, models: _models, ...settings } = options;
    const { onChunk, people, dataConverter, taskQueue } = options;
    // A second worker of a queue that another rig serves would still take its work when both are free.
    if ([onChunk, people, dataConverter, taskQueue].some((own) => own !== undefined)) return openRig(options);
    const key = JSON.stringify(settings);
    const [one = await open(settings)] = [free.get(key)?.pop()];
    const { rig, models } = one;
    models.now = modelsOf(options);
    for (const name of rig.tools.names()) rig.tools.replace(rig.tools.from(name) as string, []);
    for (const tool of tools) rig.tools.add(tool);
    let touched = false;
    const byHand =
      <T extends unknown[]>(change: (...args: T) => Promise<void>) =>
      (...args: T) => {
        touched = true;
        return change(...args);
      };
    return {
      ...rig,
      startWorker: byHand(rig.startWorker),
      stopWorker: byHand(rig.stopWorker),
      stop: async () => {
        if (touched) await rig.stop();
        else free.set(key, [...(free.get(key) ?? []), one]);
      },
    };
  };

  async function open(settings: RigOptions) {
    const models = { now: createModels({ env: {} }) };
    const delegate: ModelResolver = {
      resolve: (name) => models.now.resolve(name),
      price: (name) => models.now.price?.(name),
      get own() {
        return models.now.own ?? [];
      },
    };
    return { rig: await openRig({ ...settings, models: delegate }), models };
  }
}
