import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, type WorkerOptions } from "@temporalio/worker";
import { NavigatorClient } from "../client/client";
import type { AgentHandle } from "../client/handles";
import type { AgentDefinition } from "../core/agent/definition/definition";
import type { AnyAgent, ReturnOf } from "../core/agent/definition/typed-agent";
import { type Step, withTrace } from "../core/agent/result/step";
import { defined } from "../core/base/defined";
import { ensureSearchAttributes } from "../server/search-attributes";
import { sentMessages } from "../simulate/simulate-agent";
import { checkedAgent } from "../workflows/start/sendable";
import { isLostWorker } from "./faults";
import { type MissionOf, type MissionRun, type ReadyMission, readyMission, type TestMission } from "./mission";
import { MortalWorker } from "./mortal-worker";
import { TemporalStage } from "./on-temporal";
import { quietRuntime } from "./quiet";
import { decideAll, type Scene, sceneOfMission } from "./scene";
import { workerTools } from "./tools";

/** The Temporal server that tests run on. */
export interface TestServer {
  /** Default: TEMPORAL_ADDRESS, else 127.0.0.1:7233. */
  address?: string;
  /** Default: default. */
  namespace?: string;
  /** Passed to the worker of this process. */
  overrides?: Partial<WorkerOptions>;
}

/** A connection and a worker for any number of missions. Missions that lose workers have separate worker processes. */
export class Stage {
  private constructor(
    private readonly server: { address: string; namespace: string },
    private readonly connection: Connection,
    private readonly native: NativeConnection,
    private readonly temporal: Client,
    private readonly inProcess: TemporalStage,
  ) {}

  /** @throws when no server answers. */
  static async open({ address, namespace = "default", overrides }: TestServer = {}): Promise<Stage> {
    quietRuntime();
    const server = { address: address ?? process.env.TEMPORAL_ADDRESS ?? "127.0.0.1:7233", namespace };
    const [connection, native] = await Promise.all([
      Connection.connect({ address: server.address }),
      NativeConnection.connect({ address: server.address }),
    ]);
    await ensureSearchAttributes(connection, namespace);
    const temporal = new Client({ connection, namespace });
    // The worker of this process and its client encode alike. Worker processes that are killed have no codec.
    const encoding = defined({ dataConverter: overrides?.dataConverter });
    const place = {
      temporal: new Client({ connection, namespace, ...encoding }),
      native,
      namespace,
      ...defined({ overrides }),
    };
    return new Stage(server, connection, native, temporal, await TemporalStage.open(place));
  }

  /**
   * Runs a mission as runInMemory does, on the server: time is the clock's.
   *
   * @throws as runInMemory; and when a decision is refused, or a question has nobody who answers and no time limit.
   */
  async run<A extends AnyAgent>(agent: A, mission: MissionOf<A>): Promise<MissionRun<ReturnOf<A>>> {
    // The client has read the return.
    return (await this.play(checkedAgent(agent), mission as TestMission)) as unknown as MissionRun<ReturnOf<A>>;
  }

  private async play(agent: AgentDefinition, mission: TestMission): Promise<MissionRun> {
    const ready = readyMission(agent, mission);
    const scene = sceneOfMission(ready);
    const id = mission.id ?? `test-${randomUUID()}`;
    if (!ready.given.faults.some(isLostWorker))
      return this.inProcess.during(scene, id, (client) => playMission(client, id, ready, scene));
    return this.withMortalWorker(ready, scene, (client) => playMission(client, id, ready, scene));
  }

  /**
   * Runs a mission on a separate worker process. The stage calls `watch` when the mission has started: `watch` may
   * replace the worker, which kills it, at any time.
   */
  async runWatched<A extends AnyAgent>(
    agent: A,
    mission: MissionOf<A>,
    watch: (run: AgentHandle, replaceWorker: () => Promise<void>) => Promise<void>,
  ): Promise<MissionRun<ReturnOf<A>>> {
    const run = await this.playWatched(checkedAgent(agent), mission as TestMission, watch);
    return run as unknown as MissionRun<ReturnOf<A>>;
  }

  private async playWatched(
    agent: AgentDefinition,
    mission: TestMission,
    watch: (run: AgentHandle, replaceWorker: () => Promise<void>) => Promise<void>,
  ): Promise<MissionRun> {
    const ready = readyMission(agent, mission);
    const scene = sceneOfMission(ready);
    const id = mission.id ?? `test-${randomUUID()}`;
    return this.withMortalWorker(ready, scene, async (client, worker) => {
      let watching: Promise<void> = Promise.resolve();
      // Where `watch` fails, the mission may never end.
      const run = await new Promise<MissionRun>((resolve, reject) => {
        const started = (handle: AgentHandle) => {
          watching = watch(handle, () => worker.replace());
          watching.catch(reject);
        };
        playMission(client, id, ready, scene, started).then(resolve, reject);
      });
      await watching;
      return run;
    });
  }

  async close(): Promise<void> {
    await this.inProcess.close();
    await Promise.all([this.connection.close(), this.native.close()]);
  }

  private async withMortalWorker<T>(
    { agent, effects }: ReadyMission,
    scene: Scene,
    work: (client: NavigatorClient, worker: MortalWorker) => Promise<T>,
  ): Promise<T> {
    const taskQueue = `test-${randomUUID()}`;
    const specs = workerTools(agent);
    const tools = [...effects.tools].map(([name, { spec }]) => specs.get(name) ?? spec);
    const listeners = Object.keys(scene.onChunk);
    const worker = new MortalWorker({ ...this.server, taskQueue, tools, listeners }, scene, effects);
    try {
      await worker.launch();
      return await Promise.race([work(new NavigatorClient(this.temporal, taskQueue), worker), worker.broken]);
    } finally {
      await worker.close();
    }
  }
}

/** As `runInMemory`, on a Temporal server, with a worker for this mission alone. `Stage` serves many of them. */
export async function runOnTemporal<A extends AnyAgent>(
  agent: A,
  given: MissionOf<A> & { server?: TestServer },
): Promise<MissionRun<ReturnOf<A>>> {
  const { server, ...mission } = given;
  const stage = await Stage.open(server);
  try {
    return await stage.run(agent, mission as unknown as MissionOf<A>);
  } finally {
    await stage.close();
  }
}

async function playMission(
  client: NavigatorClient,
  id: string,
  ready: ReadyMission,
  { sent, chunks }: Scene,
  onStarted: (run: AgentHandle) => void = () => {},
): Promise<MissionRun> {
  const { agent, options, context, journal, given, parks, effects } = ready;
  const { model } = given;
  const on_waiting = parks ? "park" : "return";
  const run = await client.startAgent({ ...options, id, agent, context, journal, model, on_waiting });
  onStarted(run);
  const deciders = decideAll(run, ready.reviewDecisions);
  try {
    const step = await Promise.race([parks ? untilDone(run, ready) : run.result(), deciders.stuck]);
    return {
      step,
      journal: step.journal,
      missionLog: await run.missionLog(),
      progress: await run.progress(),
      effects: effects.list,
      ledger: await run.effects(),
      messages: sentMessages(sent),
      reviews: await run.reviews(),
      chunks,
    };
  } finally {
    await deciders.stop();
    // It is over, or nothing will ever come of it.
    await run.workflow.terminate("the test is over").catch(() => {});
  }
}

/** Decides as the mission parks. It is done when it ends, or when it is parked and nobody decides any more. */
async function untilDone(run: AgentHandle, { agent, decisions }: ReadyMission): Promise<Step> {
  const left = [...decisions];
  for (;;) {
    const { state } = await run.status();
    if (state !== "running" && state !== "waiting") return run.result();
    const decision = state === "waiting" ? left.shift() : undefined;
    if (decision) await run.recordDecision(decision);
    else if (state === "waiting" && agent.wait_timeout_ms === null) return withTrace(await run.step());
    else await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
