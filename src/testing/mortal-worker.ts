import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Effects } from "./effects";
import type { Scene } from "./scene";
import { asSentError, type FromWorker, type ToWorker, type WorkerStart } from "./worker-calls";

/** Next to this file, or in dist when this file runs from the sources. */
const MAIN = [
  path.join(__dirname, "worker-process.js"),
  path.join(__dirname, "..", "..", "dist", "testing", "worker-process.js"),
].find(existsSync);

/**
 * A worker process that dies at the points of the test, and is replaced by another. The tools run in the test: to the
 * worker they are external, and its death does not affect them.
 */
export class MortalWorker {
  private child: ChildProcess | undefined;
  private closed = false;
  private reportBroken: (error: Error) => void = () => {};
  /** Rejects when a worker ends that was not killed. */
  readonly broken = new Promise<never>((_, reject) => {
    this.reportBroken = reject;
  });

  constructor(
    private readonly start: WorkerStart,
    private readonly scene: Scene,
    private readonly effects: Pick<Effects, "loses">,
  ) {
    this.broken.catch(() => {});
  }

  /** @throws Error with the output of the process when it ends before it is ready. */
  async launch(): Promise<void> {
    if (MAIN === undefined) throw new Error("There is no built worker: run `npm run build` first.");
    const child = fork(MAIN, { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.child = child;
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    });
    await new Promise<void>((resolve, reject) => {
      child.on("message", (message: FromWorker) => {
        if ("ready" in message) resolve();
        else void this.answer(child, message);
      });
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        const error = new Error(`The worker process ended unexpectedly (${signal ?? `exit code ${code}`}):\n${output}`);
        reject(error);
        if (!this.closed && this.child === child && signal !== "SIGKILL") this.reportBroken(error);
      });
      sendTo(child, { start: this.start });
    });
  }

  /** Kills the worker wherever it is, and starts another. Resolves when that one is ready. */
  async replace(): Promise<void> {
    if (this.child) await this.die(this.child);
  }

  /** The mission has ended: the worker has nothing to finish. */
  async close(): Promise<void> {
    this.closed = true;
    await kill(this.child);
  }

  private async answer(child: ChildProcess, asked: Exclude<FromWorker, { ready: true }>): Promise<void> {
    const { id } = asked;
    try {
      if (asked.ask === "model") {
        const value = await this.scene.complete(asked.workflow_id, asked.call, { signal: NEVER });
        return sendTo(child, { id, value });
      }
      if (asked.ask === "chunk") {
        await this.scene.onChunk[asked.name]?.(asked.chunk);
        return sendTo(child, { id, value: null });
      }
      const here = { signal: NEVER, heartbeat: () => {} };
      if (asked.ask === "lookup") {
        const { name, key, args, context } = asked;
        return sendTo(child, { id, value: await this.scene.lookUpEffect(name, key, args, { ...context, ...here }) });
      }
      if (asked.ask === "undo") {
        const { name, args, result, context } = asked;
        return sendTo(child, { id, value: await this.scene.undoEffect(name, args, result, { ...context, ...here }) });
      }
      const { name, args, context } = asked;
      const key = context.idempotencyKey;
      if (this.effects.loses("before", name, key)) return await this.die(child);
      const ran = this.scene.callTool(name, args, { ...context, ...here });
      const answer: ToWorker = await ran.then(
        (value) => ({ id, value }),
        (error: unknown) => ({ id, error: asSentError(error) }),
      );
      if (this.effects.loses("after", name, key)) return await this.die(child);
      sendTo(child, answer);
    } catch (error) {
      sendTo(child, { id, error: asSentError(error) });
    }
  }

  /** SIGKILL: the worker cannot finish or report anything. Another worker takes over. */
  private async die(child: ChildProcess): Promise<void> {
    if (child !== this.child) return; // it is dead already
    await kill(child);
    if (!this.closed) await this.launch().catch((error: Error) => this.reportBroken(error));
  }
}

const NEVER = new AbortController().signal;

function sendTo(child: ChildProcess, message: ToWorker): void {
  // A worker that died during that time gets nothing.
  if (child.connected) child.send(message, () => {});
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
