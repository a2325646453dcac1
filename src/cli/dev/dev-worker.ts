import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import type { FromDevProcess, ToDevProcess } from "./messages";

/** Beside this file, or in dist if this file runs from the sources. */
const MAIN = [
  path.join(__dirname, "dev-process.js"),
  path.join(__dirname, "../../../dist/cli/dev/dev-process.js"),
].find(existsSync);

/** A process with one state of the project's code, as the command sees it. */
export class DevWorker {
  private readonly told = new Map<FromDevProcess["type"], FromDevProcess>();
  private readonly waiting = new Set<() => void>();
  private readonly child: ChildProcess;
  /** How it ended: its exit code, or its signal. */
  end: string | null = null;
  readonly ended: Promise<void>;

  /** @param env the environment without what came from .env, which the process reads itself */
  constructor(place: string, env: NodeJS.ProcessEnv) {
    if (MAIN === undefined) throw new NavigatorError("internal_error", "There is no built process of navigator dev.");
    // What the project's code prints to stdout goes to stderr: stdout is the command's own.
    this.child = fork(MAIN, [place], { env, stdio: ["ignore", 2, 2, "ipc"] });
    this.child.on("message", (message) => {
      const told = message as FromDevProcess;
      this.told.set(told.type, told);
      for (const wake of this.waiting) wake();
    });
    this.ended = new Promise((resolve) => {
      const over = (how: string) => {
        this.end ??= how;
        for (const wake of this.waiting) wake();
        resolve();
      };
      this.child.once("error", (error) => over(error.message));
      this.child.once("exit", (code, signal) => over(signal ?? `exit code ${code}`));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The first message of a type; null: the process failed or ended before. */
  async first<T extends FromDevProcess["type"]>(type: T): Promise<(FromDevProcess & { type: T }) | null> {
    for (;;) {
      const told = this.told.get(type);
      if (told !== undefined) return told as FromDevProcess & { type: T };
      if (this.end !== null || this.told.has("failed")) return null;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiting.delete(wake);
          resolve();
        };
        this.waiting.add(wake);
      });
    }
  }

  /** Why it failed. */
  async failure(): Promise<(FromDevProcess & { type: "failed" })["error"]> {
    await this.ended;
    const failed = this.told.get("failed");
    if (failed?.type === "failed") return failed.error;
    return { code: "worker_stopped", message: `The process with the project's code ended: ${this.end}.` };
  }

  tell(message: ToDevProcess): void {
    if (this.child.connected) this.child.send(message);
  }

  /** Lets it finish its open work; after the limit it is killed. @returns whether it had to be */
  async stop(limit_ms: number): Promise<boolean> {
    this.tell({ type: "stop" });
    let isKilled = false;
    const timer = setTimeout(() => {
      isKilled = true;
      this.kill();
    }, limit_ms);
    await this.ended;
    clearTimeout(timer);
    return isKilled;
  }

  kill(): void {
    if (this.end === null) this.child.kill("SIGKILL");
  }
}
