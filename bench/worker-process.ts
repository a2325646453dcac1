import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export type SideName = "navigator" | "by-hand";

export interface WorkerSetup {
  side: SideName;
  address: string;
  taskQueue: string;
  /** File with the replies of the scripted model, by agent. */
  script: string;
  /** File with the hand-written workflows. */
  bundle: string;
  /** Folder in which Navigator's workers keep what they have under way, if they do. */
  calls: string;
  keeps: boolean;
  /** The hand-written side's worker has the same recovery settings as ours. */
  tuned: boolean;
  /** The tools `hold` and `hold_read` never answer. */
  hold: boolean;
  /** Workflow code gets a clock that goes on while it runs. */
  clock: boolean;
  /** Workflows kept in memory; the SDK's default when not given. */
  cached?: number;
}

export type FromWorker = { event: "ready" } | { event: "in_tool" } | { event: "memory"; rss: number };
export type ToWorker = { ask: "stop" } | { ask: "memory" };

/** What every thread of the worker loads first. */
const preloaded = ({ clock }: WorkerSetup) => ["collect-garbage.js", ...(clock ? ["worker-clock.js"] : [])];

/** A worker as a process of its own, so that it can be killed and weighed like one. */
export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(setup: WorkerSetup) {
    this.child = fork(path.join(__dirname, "worker-main.js"), [JSON.stringify(setup)], {
      execArgv: ["--expose-gc", ...preloaded(setup).flatMap((name) => ["-r", path.join(__dirname, name)])],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.ended = once(this.child, "exit");
  }

  /** The next message of this kind. Throws when the worker ends before. */
  next<E extends FromWorker["event"]>(event: E): Promise<Extract<FromWorker, { event: E }>> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromWorker) => {
        if (message.event !== event) return;
        this.child.off("message", onMessage).off("exit", onExit);
        resolve(message as Extract<FromWorker, { event: E }>);
      };
      const onExit = (code: number | null) =>
        reject(new Error(`A worker ended (exit code ${code}) before "${event}".`));
      this.child.on("message", onMessage).once("exit", onExit);
    });
  }

  /** Bytes of main memory of the whole process, after a collection of garbage in all its threads. */
  async memory(): Promise<number> {
    const answer = this.next("memory");
    this.child.send({ ask: "memory" } satisfies ToWorker);
    return (await answer).rss;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** SIGKILL: no chance to finish or to say anything. */
  async kill(): Promise<void> {
    if (this.lives) this.child.kill("SIGKILL");
    await this.ended;
  }

  async stop(): Promise<void> {
    if (this.lives) this.child.send({ ask: "stop" } satisfies ToWorker);
    await this.ended;
  }

  private get lives(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}
