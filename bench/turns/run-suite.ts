import { writeFileSync } from "node:fs";
import path from "node:path";
import { NavigatorClient } from "../../src/client/client";
import type { Setting } from "../setting";
import { fencedProgram } from "./mission-agent";
import { OutsideWorld, WorldSession } from "./outside-world";
import { type Part, type Played, Player } from "./play-conversation";
import type { OpenTurnSuite } from "./suite";
import { addTotals, NO_TOKENS, TokenMeter, type TokenTotals } from "./token-meter";
import { turnTools } from "./turn-tools";
import { TurnWorker, type TurnWorkerSetup } from "./turn-worker";

/** How a set of conversations is played. */
export interface PlayOptions {
  /** For names of files and task queues. */
  name: string;
  workers: number;
  /** Conversations at the same time on each worker. */
  atOnce: number;
  latency_ms: number;
  /** Kills the worker after each so many calls, before it hears the answer; 0 = never. */
  killEvery: number;
  countTokens: boolean;
}

export interface PlayOutcome {
  problems: string[];
  /** The engine's time of each conversation; latency of the model is in it. */
  ms: number[];
  took_ms: number;
  /** Of each conversation, by its id. */
  tokens: ReadonlyMap<string, TokenTotals>;
  kills: number;
  /** Calls that were asked for again after a kill, and got their recorded answer. */
  repeated: number;
}

/** Plays conversations on workers of their own, and judges each. */
export async function runConversations(
  setting: Setting,
  suite: OpenTurnSuite,
  parts: readonly Part[],
  options: PlayOptions,
  progress: (line: string) => void,
): Promise<PlayOutcome> {
  const meters = new Map<string, TokenMeter>();
  const lanes = new Map<string, Lane>();
  const world = new OutsideWorld({
    isRead: (tool) => suite.tools.get(tool)?.isRead === true,
    onMade: async ({ worker }) => (await lanes.get(laneOf(worker))?.onCall(worker)) === true,
    ...(options.countTokens && {
      onPrompt: ({ agent, parts, reply }) => {
        const meter = meters.get(agent) ?? new TokenMeter();
        meters.set(agent, meter);
        meter.add(parts, reply);
      },
    }),
  });
  const url = await world.open();
  const begun = performance.now();
  try {
    const specs = turnTools(suite.tools.values(), () => Promise.reject(new Error("Only workers call tools.")));
    const files = filesOf(setting.folder, options.name, suite, parts);
    const played: Played[] = [];
    const waiting = [...parts];
    const playSome = async (lane: Lane) => {
      const player = new Player(new NavigatorClient(setting.client, lane.taskQueue), specs);
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
        const session = new WorldSession(await suite.session(part.conversation.id));
        world.add(part.agents, session);
        played.push(await player.play(part, session));
        if (played.length % 50 === 0) progress(`  ${options.name}: ${played.length} of ${parts.length} conversations`);
      }
    };
    for (let n = 0; n < Math.min(options.workers, parts.length); n++) {
      const setup = { ...files, address: setting.address, url, latency_ms: options.latency_ms };
      const lane = new Lane(`${options.name}.${n}`, setup, setting.queue(options.name), world, options.killEvery);
      lanes.set(lane.name, lane);
      await lane.ready;
    }
    const all = [...lanes.values()];
    const playing = all.flatMap((lane) => Array.from({ length: options.atOnce }, () => playSome(lane)));
    await Promise.race([Promise.all(playing), ...all.map((lane) => lane.died)]);
    return {
      problems: [...played.flatMap(({ problems }) => problems), ...world.problems],
      ms: played.map(({ ms }) => ms),
      took_ms: performance.now() - begun,
      tokens: new Map(parts.map(({ conversation, agents }) => [conversation.id, sumOf(agents, meters)])),
      kills: world.dead.size,
      repeated: world.repeated,
    };
  } catch (error) {
    // Told at once: what is under way may fail besides when the server goes.
    progress(`error ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    await Promise.all([...lanes.values()].map((lane) => lane.close()));
    world.close();
  }
}

const sumOf = (agents: readonly string[], meters: ReadonlyMap<string, TokenMeter>): TokenTotals =>
  agents.map((agent) => meters.get(agent)?.totals ?? NO_TOKENS).reduce(addTotals, NO_TOKENS);

const laneOf = (worker: string): string => worker.slice(0, worker.lastIndexOf("."));

/** A task queue with a worker, and what follows it when it is killed. */
class Lane {
  private worker: TurnWorker;
  private life = 0;
  private calls = 0;
  private isClosed = false;
  private die: (error: Error) => void = () => {};
  /** Rejects when a worker ends that nobody has killed. */
  readonly died = new Promise<never>((_, reject) => {
    this.die = reject;
  });

  constructor(
    readonly name: string,
    private readonly setup: Omit<TurnWorkerSetup, "name" | "taskQueue">,
    readonly taskQueue: string,
    private readonly world: OutsideWorld,
    private readonly killEvery: number,
  ) {
    // Whoever plays on the lane waits for it; before that `ready` tells.
    this.died.catch(() => {});
    this.worker = this.begin();
  }

  get ready(): Promise<void> {
    return this.worker.ready;
  }

  /** Whether the worker was killed before it heard the answer. */
  async onCall(worker: string): Promise<boolean> {
    if (this.killEvery === 0 || worker !== this.workerName) return false;
    this.calls += 1;
    if (this.calls % this.killEvery !== 0) return false;
    const killed = this.worker;
    this.world.dead.add(worker);
    this.life += 1;
    await killed.kill();
    if (!this.isClosed) this.worker = this.begin();
    return true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker.kill();
  }

  private get workerName(): string {
    return `${this.name}.${this.life}`;
  }

  private begin(): TurnWorker {
    const worker = new TurnWorker({ ...this.setup, name: this.workerName, taskQueue: this.taskQueue });
    worker.onDeath(this.die);
    return worker;
  }
}

function filesOf(folder: string, name: string, suite: OpenTurnSuite, parts: readonly Part[]) {
  const tools = path.join(folder, "turn-tools.json");
  writeFileSync(tools, JSON.stringify([...suite.tools.values()]));
  const script = path.join(folder, `turns-${name}.json`);
  const replies = parts.flatMap(({ compiled, agents }) =>
    compiled.missions.map(({ turns }, at) => [
      agents[at] as string,
      turns.flatMap(({ programs }) => programs.map(fencedProgram)),
    ]),
  );
  writeFileSync(script, JSON.stringify(Object.fromEntries(replies)));
  return { tools, script };
}
