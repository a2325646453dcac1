import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import type { MissionRun } from "../../src/testing/mission";
import { Stage } from "../../src/testing/stage";
import { inParallel } from "../frame/in-parallel";
import type { Proof, ProofContext } from "../frame/proof";
import type { SizesOf } from "../frame/sizes";
import { whenInterrupted } from "../rig/interrupted";
import { type OwnServer, openOwnServer } from "../rig/own-server";
import { DueKill } from "./due-kill";
import { agent, CountingService, type CrashEnd, endDifference, endOf } from "./mission";
import { walkTask } from "./orchestrator";
import type { CRASH_SIZES, Victim } from "./sizes";

export interface CrashOptions {
  /** Runs after a kill. Tests do there what a worker would do that repeats an effect. */
  afterKill?: (service: CountingService) => void;
}

/** One case: what is killed, and at which event of the history; for the MCP process, which of the walks. */
interface Crash {
  victim: Victim;
  event: number;
}

/** Missions on separate workers that run in parallel: most of what a lost worker takes is waiting. */
const PARALLEL = 3;
/** Walks through the MCP server that are killed at every call, for `--every 1`. */
const WALKS = 12;

/**
 * Runs a mission without a kill, then again and again: its worker, or the server, is killed when the history has 1 event,
 * then `every` more, and so on. The Step, the journal, the checklist and the effects must be the same. An orchestrator
 * does the same with the process of its MCP server.
 */
export const proveCrash =
  ({ afterKill = () => {} }: CrashOptions = {}): Proof<typeof CRASH_SIZES> =>
  async (context) => {
    const server = await openOwnServer();
    const stage = await Stage.open(server);
    try {
      return await new CrashProof(context, server, stage, afterKill).run();
    } finally {
      await stage.close().catch(() => {}); // its server may be gone
      await server.stop();
    }
  };

class CrashProof {
  private readonly figures = {
    missions: 0,
    events: 0,
    effects: 0,
    calls_made_again: 0,
    worker_kills: 0,
    server_kills: 0,
    mcp_kills: 0,
    ended_before_kill: 0,
    events_killed_at: 0,
  };
  private readonly killedAt = new Set<string>();

  constructor(
    private readonly context: ProofContext<SizesOf<typeof CRASH_SIZES>>,
    private readonly server: OwnServer,
    private readonly stage: Stage,
    private readonly afterKill: NonNullable<CrashOptions["afterKill"]>,
  ) {}

  async run() {
    const { victims, every } = this.context.sizes;
    const { events, expected } = await this.undisturbed();
    this.figures.events = events;
    const steps = (count: number) => Array.from({ length: Math.ceil(count / every) }, (_, i) => 1 + i * every);
    const crashes = (victims as readonly Victim[]).flatMap((victim) =>
      steps(victim === "mcp" ? WALKS : events).map((event): Crash => ({ victim, event })),
    );
    const walk = victims.includes("mcp") ? await this.openWalk() : undefined;
    try {
      await inParallel(
        this.context.cases(crashes.length),
        async (index) => {
          const crash = crashes[index];
          if (crash === undefined) return;
          const fault = await (crash.victim === "mcp" ? walk?.killed(index) : this.killed(crash, expected));
          if (fault == null) return;
          const where = crash.victim === "mcp" ? "calls of the MCP process" : `event ${crash.event} of ${events}`;
          this.context.violation({
            what: `After the ${crash.victim} was killed, ${fault}.`,
            where,
            case: index,
            smallest: { ...crash },
          });
        },
        (index) => (crashes[index]?.victim === "worker" ? PARALLEL : 1),
      );
    } finally {
      await walk?.close();
    }
    return { ...this.figures, events_killed_at: this.killedAt.size };
  }

  private async undisturbed(): Promise<{ events: number; expected: CrashEnd }> {
    let events = 0;
    const service = new CountingService();
    const run = await this.stage.runWatched(agent, service.mission(), async (handle) => {
      await handle.result();
      events = (await handle.workflow.describe()).historyLength;
    });
    if (run.step.fail) throw new Error(`The mission fails without a kill: ${run.step.fail.message}`);
    return { events, expected: endOf(run, service) };
  }

  /** Runs the mission, and kills. @returns what is not the same at its end */
  private async killed({ victim, event }: Crash, expected: CrashEnd): Promise<string | null> {
    const due = new DueKill(event);
    const service = new CountingService(() => due.wait());
    let run: MissionRun;
    try {
      run = await this.stage.runWatched(agent, service.mission(), (handle, replaceWorker) =>
        due.watch(handle, victim === "worker" ? replaceWorker : () => this.server.kill()),
      );
    } catch (error) {
      return `the mission did not end: ${String(error)}`;
    }
    if (due.at !== null) this.afterKill(service);
    this.figures.missions += 1;
    this.figures.effects += service.done.length;
    this.figures.calls_made_again += service.requests - service.done.length;
    if (due.at === null) this.figures.ended_before_kill += 1;
    else {
      this.figures[victim === "worker" ? "worker_kills" : "server_kills"] += 1;
      this.killedAt.add(`${victim} ${due.at}`);
    }
    return endDifference(expected, endOf(run, service));
  }

  private async openWalk() {
    const folder = mkdtempSync(path.join(tmpdir(), "navigator-prove-"));
    writeFileSync(path.join(folder, "navigator.config.cjs"), "module.exports = {};\n");
    const taskQueue = `prove-crash-${randomUUID()}`;
    const { address, namespace } = this.server;
    const own = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      NAVIGATOR_PROJECT: "none",
      NAVIGATOR_TASK_QUEUE: taskQueue,
    };
    const place = { env: { ...process.env, ...own }, folder };
    const worker = await startWorkerProcess({ config: folder, taskQueue, env: own });
    const remove = () => rmSync(folder, { recursive: true, force: true });
    const stay = whenInterrupted(() => {
      process.kill(worker.pid, "SIGKILL");
      remove();
    });
    const expected = await walkTask(place, `walk-${randomUUID()}`, null);
    return {
      killed: async (index: number): Promise<string | null> => {
        const random = this.context.random(index);
        try {
          const { way, kills } = await walkTask(place, `walk-${randomUUID()}`, () => random.int(0, 80));
          this.figures.mcp_kills += kills;
          this.figures.missions += 1;
          const [before, after] = [JSON.stringify(expected.way), JSON.stringify(way)];
          return before === after ? null : `the task went ${after}, and without a kill ${before}`;
        } catch (error) {
          return `the task did not end: ${String(error)}`;
        }
      },
      close: async () => {
        stay();
        await worker.stop();
        remove();
      },
    };
  }
}
