import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export interface TurnWorkerSetup {
  /** Its name for the world outside. */
  name: string;
  address: string;
  taskQueue: string;
  /** File with the suite's tools. */
  tools: string;
  /** File with the replies of the scripted model, by agent. */
  script: string;
  /** The world outside. */
  url: string;
  /** How long the model takes for an answer. */
  latency_ms: number;
}

/** A worker as a process of its own, so that it can be killed like one. */
export class TurnWorker {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private isKilled = false;
  readonly ready: Promise<void>;

  constructor(setup: TurnWorkerSetup) {
    this.child = fork(path.join(__dirname, "turn-worker-main.js"), [JSON.stringify(setup)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.ended = once(this.child, "exit");
    this.ready = new Promise((resolve, reject) => {
      this.child.once("message", () => resolve());
      this.child.once("exit", (code, signal) =>
        reject(new Error(`A worker ended (${signal ?? code}) before it was ready.`)),
      );
    });
    // Who kills a worker that is not ready does not wait for it any more; one that nobody has killed is told by `onDeath`.
    this.ready.catch(() => {});
  }

  /** Told when it ends, and nobody has killed it: what waits for it would wait for ever. */
  onDeath(listener: (error: Error) => void): void {
    this.child.once("exit", (code, signal) => {
      if (!this.isKilled)
        listener(new Error(`A worker ended that nobody had killed (${signal ?? `exit code ${code}`}).`));
    });
  }

  /** SIGKILL: no chance to finish or to say anything. */
  async kill(): Promise<void> {
    this.isKilled = true;
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.ended;
  }
}
