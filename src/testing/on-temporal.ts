import { randomUUID } from "node:crypto";
import { asyncLocalStorage, Context } from "@temporalio/activity";
import type { Client } from "@temporalio/client";
import type { NativeConnection, Worker, WorkerOptions } from "@temporalio/worker";
import { NavigatorClient } from "../client/client";
import { givenOptions } from "../core/agent/definition/run-options";
import { defined } from "../core/base/defined";
import { rootIdOf } from "../core/base/ids";
import { toolVersion } from "../core/effects/effect-id";
import type { Decision } from "../core/review/review";
import type { ChunkListeners } from "../models";
import { type AgentScenario, type AgentSimulation, noteOf, sentMessages } from "../simulate/simulate-agent";
import { ToolRegistry } from "../tools";
import type { Tool } from "../tools/tool";
import { createWorker } from "../worker/create-worker";
import { decideAll, type Scene, sceneOfScenario } from "./scene";

/** The server and worker of a scenario. */
export interface TemporalPlace {
  temporal: Client;
  native: NativeConnection;
  namespace: string;
  overrides?: Partial<WorkerOptions>;
}

/** The same as `simulateAgent`, on a Temporal server with a separate worker: both must answer the same. */
export async function simulateOnTemporal(scenario: AgentScenario, place: TemporalPlace): Promise<AgentSimulation> {
  const stage = await TemporalStage.open(place);
  try {
    return await stage.run(scenario);
  } finally {
    await stage.close();
  }
}

/** One worker for any number of runs, sequential or parallel, each in its own world. */
export class TemporalStage {
  private readonly scenes = new Map<string, Scene>();
  private readonly client: NavigatorClient;
  private worker?: Worker;
  private running?: Promise<void>;

  private constructor(
    place: TemporalPlace,
    taskQueue: string,
    private readonly tools: ToolRegistry,
  ) {
    this.client = new NavigatorClient(place.temporal, taskQueue);
  }

  static async open(place: TemporalPlace): Promise<TemporalStage> {
    const taskQueue = `simulate-${randomUUID()}`;
    const tools = new ToolRegistry();
    const stage = new TemporalStage(place, taskQueue, tools);
    stage.worker = await createWorker({
      connection: place.native,
      namespace: place.namespace,
      taskQueue,
      tools,
      models: {
        resolve: () => ({ complete: (...asked) => stage.here().complete(workflowId(), ...asked) }),
        price: (name) => stage.here().prices[name],
      },
      onChunk: listenersOf(() => stage.here()),
      // A test that lacks something gets an error at once, as in memory.
      blockedTimeoutMs: 0,
      callsFolder: false,
      ...defined({ overrides: place.overrides }),
    });
    stage.running = stage.worker.run();
    // `during` and `close` report it.
    stage.running.catch(() => {});
    return stage;
  }

  async run(scenario: AgentScenario, id: string = randomUUID()): Promise<AgentSimulation> {
    const scene = sceneOfScenario(scenario);
    const step = await this.during(scene, id, async (client) => {
      const run = await client.startAgent({
        ...givenOptions(scenario.options),
        id,
        agent: scenario.agent,
        context: scenario.context,
        journal: scenario.journal,
        model: scenario.llm ?? "",
        on_waiting: "return",
      });
      const deciders = decideAll(run, scenario.reviews as Omit<Decision, "review">[]);
      return run.result().finally(() => deciders.stop());
    });
    const { sent, chunks } = scene;
    return { step, journal: step.journal, messages: sentMessages(sent), calls: sent.map(noteOf), chunks };
  }

  /** While `work` runs, the run with this id finds this world. */
  async during<T>(scene: Scene, id: string, work: (client: NavigatorClient) => Promise<T>): Promise<T> {
    this.scenes.set(id, scene);
    for (const name of scene.tools) if (!this.tools.get(name)) this.tools.add(this.tool(name));
    try {
      return await Promise.race([work(this.client), this.failing()]);
    } finally {
      this.scenes.delete(id);
    }
  }

  /** A mission would wait for ever for a worker that has failed. */
  private async failing(): Promise<never> {
    await this.running;
    return new Promise(() => {});
  }

  async close(): Promise<void> {
    if (this.worker?.getState() === "RUNNING") this.worker.shutdown();
    await this.running;
  }

  /** The world of this activity: children have their root's id in theirs. */
  private here(): Scene {
    const scene = this.scenes.get(rootIdOf(workflowId()));
    if (!scene) throw new Error(`no scenario runs as ${workflowId()}`);
    return scene;
  }

  /** Stubs of one name serve scenarios that declare it differently: the declaration of the scenario counts. */
  private tool(name: string): Tool {
    const version = toolVersion({ name, effect: "write" });
    return {
      get spec() {
        return { name, effect: isDescribed() ? "write" : "read", version } as const;
      },
      run: (args, context) => this.here().callTool(name, args, context),
      lookup: (...asked) => this.here().lookUpEffect(name, ...asked),
      undo: (...asked) => this.here().undoEffect(name, ...asked),
    };
  }
}

/** Whether a run asks for a declaration: its agent has none. All other activities compare theirs with this one, the laxest. */
const isDescribed = (): boolean =>
  asyncLocalStorage.getStore() === undefined || Context.current().info.activityType === "describeTools";

const workflowId = (): string => Context.current().info.workflowExecution?.workflowId ?? "";

/** Each world has its own listeners, also when the worker lists them. */
const listenersOf = (here: () => Scene): ChunkListeners =>
  new Proxy<ChunkListeners>(
    {},
    {
      get: (_, name) => here().onChunk[String(name)],
      ownKeys: () => Object.keys(here().onChunk),
      getOwnPropertyDescriptor: (_, name) => Object.getOwnPropertyDescriptor(here().onChunk, name),
    },
  );
