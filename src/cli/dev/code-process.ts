import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import type { LiveLine } from "./live-line";
import type { FromCodeProcess, ToCodeProcess } from "./messages";
import { mayBeKilled, type OpenCall } from "./open-calls";

const LOOK_MS = 50;
/** A process whose code never yields sends no message. */
const DRAIN_MS = 5_000;

/** The script in this folder, or in dist if this file runs from the sources. */
const MAIN = [
  path.join(__dirname, "code-process-main.js"),
  path.join(__dirname, "../../../dist/cli/dev/code-process-main.js"),
].find(existsSync);

/** A process with one state of the project's code, as the command sees it. */
export class CodeProcess {
  private readonly received = new Map<FromCodeProcess["type"], FromCodeProcess>();
  private readonly waiting = new Set<() => void>();
  private readonly child: ChildProcess;
  /** How it ended: its exit code, or its signal. */
  end: string | null = null;
  readonly ended: Promise<void>;

  /**
   * @param env the environment without what came from .env, which the process reads itself
   * @param lastCalls_ms how long calls without an effect may continue once it is stopped
   */
  constructor(
    place: string,
    env: NodeJS.ProcessEnv,
    private readonly lastCalls_ms: number,
    onLine: (line: LiveLine) => void,
  ) {
    if (MAIN === undefined)
      throw new NavigatorError("internal_error", "The built process for the project's code is missing.");
    // What the project's code prints to stdout goes to stderr: stdout is the command's own.
    this.child = fork(MAIN, [place, String(lastCalls_ms)], { env, stdio: ["ignore", 2, 2, "ipc"] });
    this.child.on("message", (message) => {
      const received = message as FromCodeProcess;
      if (received.type === "log") return onLine(received.line);
      this.received.set(received.type, received);
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
  async first<T extends FromCodeProcess["type"]>(type: T): Promise<(FromCodeProcess & { type: T }) | null> {
    for (;;) {
      const received = this.received.get(type);
      if (received !== undefined) return received as FromCodeProcess & { type: T };
      if (this.end !== null || this.received.has("failed")) return null;
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
  async failure(): Promise<(FromCodeProcess & { type: "failed" })["error"]> {
    await this.ended;
    const failed = this.received.get("failed");
    if (failed?.type === "failed") return failed.error;
    return { code: "no_worker", message: `The process with the project's code ended: ${this.end}.` };
  }

  post(message: ToCodeProcess): void {
    if (this.child.connected) this.child.send(message);
  }

  /** The calls of models and tools that run in it. */
  get openCalls(): OpenCall[] {
    const received = this.received.get("open_calls");
    return received?.type === "open_calls" && this.end === null ? received.calls : [];
  }

  /** Lets it finish its open calls. Once nothing is worth waiting for it is killed (`mayBeKilled`). @returns whether it had to be */
  async stop(): Promise<boolean> {
    this.post({ type: "stop" });
    const stopped_at = Date.now();
    let isKilled = false;
    const timer = setInterval(() => {
      if (!mayBeKilled(this.openCalls, { stopped_at, lastCalls_ms: this.lastCalls_ms, now: Date.now() })) return;
      isKilled = true;
      this.kill();
    }, LOOK_MS);
    await this.ended;
    clearInterval(timer);
    return isKilled;
  }

  /** Takes no new work. After this process ends, it continues its open calls alone, and ends as after `stop`. */
  async leave(): Promise<void> {
    this.post({ type: "stop" });
    await Promise.race([this.first("drained"), new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
  }

  kill(): void {
    if (this.end === null) this.child.kill("SIGKILL");
  }
}
