import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../soak/seeded";
import { type CrowdClient, KINDS, openClient } from "./clients";
import { type FinalTask, judge } from "./judge";
import { AWAY, type Crowd, Orchestrator } from "./orchestrator";
import { Site } from "./site";

export interface CrowdSizes {
  clients: number;
  tasks: number;
  /** How many processes are killed while they work: MCP servers, the worker, and once the Temporal server. */
  kills: number;
  seed: number;
  lease_s: number;
}

export interface CrowdReport {
  sizes: CrowdSizes;
  took_ms: number;
  figures: { [name: string]: number };
  violations: string[];
}

const GRAPH = {
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, end: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "end", on: "passed" },
  ],
};
const LOADED_AT_ONCE = 250;
const HTTP_SERVERS = 2;
const LOOK_MS = 1_000;
/** Of their answers and calls: so many are thrown away, and sent twice. */
const LOST = 0.1;
const TWICE = 0.1;

/**
 * Many orchestrators of three kinds work off one queue, while answers are lost, calls are sent twice and processes are killed.
 *
 * @param progress how many tasks are done
 */
export async function runCrowd(sizes: CrowdSizes, progress: (done: number) => void = () => {}): Promise<CrowdReport> {
  const began = Date.now();
  const site = await Site.open(HTTP_SERVERS);
  try {
    const observer = await Observer.open(site, sizes.tasks);
    let isOver = false;
    const figures = { calls: 0, lost_answers: 0, calls_sent_twice: 0, calls_without_answer: 0 };
    const crowd: Crowd = {
      ...{ site, lease_s: sizes.lease_s, lost: LOST, twice: TWICE },
      ...{ claims: [], moves: [] },
      figures,
      isOver: () => isOver,
    };
    const all = Array.from({ length: sizes.clients }, (_, i) => {
      const kind = KINDS[i % KINDS.length] as (typeof KINDS)[number];
      return new Orchestrator(crowd, kind, i, seeded(sizes.seed * 1_000 + i));
    });
    const working = Promise.all(all.map((one) => one.work()));
    working.catch(() => {}); // it is awaited below
    const killer = killing(site, all, sizes, () => observer.done);
    killer.over.catch(() => {}); // so is this
    const failed = working.then(() => null);
    while (!observer.isDone && (await Promise.race([failed, sleep(LOOK_MS).then(() => "on")])) !== null)
      progress(await observer.look());
    isOver = true;
    await Promise.all([working, killer.stop()]);
    const tasks = await observer.tasks();
    await observer.close();
    const moved = new Set(crowd.moves.map(({ owner }) => owner.replace(/ \d+$/, "")));
    const counted = {
      ...{
        clients: all.length,
        kinds: moved.size,
        tasks: tasks.length,
        claims: crowd.claims.length,
        results: crowd.moves.length,
      },
      ...figures,
      ...killer.figures,
      claims_that_ran_out: crowd.claims.length - new Set(crowd.claims.map(({ task }) => task)).size,
    };
    const nothing = Object.entries({
      ...killer.figures,
      lost_answers: figures.lost_answers,
      calls_sent_twice: figures.calls_sent_twice,
    })
      .filter(([, count]) => count === 0 && sizes.kills >= KINDS.length + 1)
      .map(([name]) => `Nothing was tried: ${name} is 0.`);
    return {
      sizes,
      took_ms: Date.now() - began,
      figures: counted,
      violations: [...judge(crowd, tasks, sizes.tasks), ...nothing],
    };
  } finally {
    await site.close();
  }
}

/** Kills one process after another, spread over the tasks. */
function killing(site: Site, all: readonly Orchestrator[], { kills, tasks, seed }: CrowdSizes, done: () => number) {
  const random = seeded(seed);
  const figures = { stdio_kills: 0, http_kills: 0, worker_kills: 0, temporal_kills: 0 };
  const stdio = all.filter(({ kind }) => kind === "2025 stdio");
  // The last one is Temporal's own server.
  const victims: (() => Promise<void> | void)[] = [
    () => {
      figures.stdio_kills += 1;
      stdio[Math.floor(random() * stdio.length)]?.kill();
    },
    () => {
      figures.http_kills += 1;
      return site.killHttp(Math.floor(random() * HTTP_SERVERS));
    },
    () => {
      figures.worker_kills += 1;
      return site.killWorker();
    },
    () => {
      figures.temporal_kills += 1;
      return site.killTemporal();
    },
  ];
  let isStopped = false;
  const work = async () => {
    for (let i = 0; i < kills && !isStopped; i++) {
      // Temporal's own server only in the middle: everybody waits for it.
      const isMiddle = i === Math.floor(kills / 2);
      while (done() < ((i + 1) * tasks) / (kills + 2) && !isStopped) await sleep(50);
      const next = i > kills / 2 ? i - 1 : i;
      if (!isStopped) await (isMiddle ? victims[3] : victims[next % 3])?.();
    }
  };
  const over = work();
  return {
    figures,
    over,
    stop: async () => {
      isStopped = true;
      await over;
    },
  };
}

/** A client that takes no part: it loads the tasks, counts, and reads them at the end. */
class Observer {
  done = 0;

  private constructor(
    private readonly site: Site,
    private readonly count: number,
    private client: CrowdClient,
  ) {}

  get isDone(): boolean {
    return this.done >= this.count;
  }

  static async open(site: Site, count: number): Promise<Observer> {
    const observer = new Observer(site, count, await openClient("2025 stdio", site, 0));
    await observer.call("load_workflow", { id: "crowd", definition: GRAPH });
    for (let at = 0; at < count; at += LOADED_AT_ONCE) {
      const tasks = Array.from({ length: Math.min(LOADED_AT_ONCE, count - at) }, (_, i) => {
        const { issueId, priority } = { issueId: `I-${(at + i) % 100}`, priority: (at + i) % 10 };
        return { id: `t${at + i}`, issueId, priority, workflowType: "crowd", currentStep: "work" };
      });
      await observer.call("load_task_tree", { tasks, mode: at === 0 ? "replace" : "merge" });
    }
    return observer;
  }

  async look(): Promise<number> {
    const { counts } = (await this.call("get_tasks_by_status", { status: "HITL" })) as {
      counts: { COMPLETED: number };
    };
    this.done = counts.COMPLETED;
    return this.done;
  }

  async tasks(): Promise<FinalTask[]> {
    const tasks: FinalTask[] = [];
    const ids = Array.from({ length: this.count }, (_, i) => `t${i}`);
    for (let at = 0; at < ids.length; at += 20)
      tasks.push(...(await Promise.all(ids.slice(at, at + 20).map((id) => this.task(id)))));
    return tasks;
  }

  private async task(id: string): Promise<FinalTask> {
    const { task } = (await this.call("get_task", { taskId: id })) as {
      task: { id: string; status: string; history: { output?: unknown }[] };
    };
    return { id: task.id, status: task.status, outputs: task.history.map(({ output }) => output) };
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Until it is answered: it is not its task to find out who was killed. */
  private async call(name: string, args: object): Promise<unknown> {
    for (;;) {
      const told = await this.client.call(name, args).catch(() => null);
      if (told !== null && "data" in told) return told.data;
      if (told !== null && !AWAY.has(told.refused) && told.refused !== "load_incomplete")
        throw new Error(`${name} was refused with ${told.refused}.`);
      if (told === null) this.client = await openClient("2025 stdio", this.site, 0);
      await sleep(LOOK_MS);
    }
  }
}
