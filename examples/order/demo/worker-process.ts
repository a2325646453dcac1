import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

/** A worker in its own process, so that it can be killed like one. */
export interface WorkerProcess {
  pid: number;
  /** SIGKILL: the worker cannot finish or report anything. */
  kill(): Promise<void>;
  /** SIGTERM, and wait until it has finished its work. */
  stop(): Promise<void>;
}

export interface WorkerProcessOptions {
  config: string;
  taskQueue: string;
  env: Record<string, string>;
  /** For Node itself, before the program. */
  nodeFlags?: string[];
}

/** The built command: in the folder of this file, or in dist if this file runs from the sources. */
const MAIN = [
  path.join(__dirname, "..", "..", "..", "cli", "main.js"),
  path.join(__dirname, "..", "..", "..", "dist", "cli", "main.js"),
].find(existsSync);

/** Starts `navigator worker` and waits until it is ready. Throws with its output if it ends before. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  if (MAIN === undefined) throw new Error("There is no built command: run `npm run build` first.");
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeFlags ?? []),
      MAIN,
      "worker",
      "--json",
      "--config",
      options.config,
      "--task-queue",
      options.taskQueue,
    ],
    { env: { ...process.env, ...options.env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = once(child, "exit");
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes('"worker_ready"')) resolve();
    });
    child.once("exit", (code) =>
      reject(new Error(`The worker ended (exit code ${code}) before it was ready:\n${output}`)),
    );
    child.once("error", reject);
  });
  return {
    pid: child.pid as number,
    kill: () => end(child, "SIGKILL", ended),
    stop: () => end(child, "SIGTERM", ended),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await ended;
}
