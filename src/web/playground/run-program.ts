import { existsSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { type Reason, type Result, receivedFailure } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ToolRequest } from "../../core/lisp/program";
import type { FromThread, ProgramJob, ProgramOutcome, ToThread } from "./program-job";

/** The script in this folder, or in dist when this file runs from the sources. */
const THREAD = [
  path.join(__dirname, "program-thread.js"),
  path.join(__dirname, "..", "..", "..", "dist", "web", "playground", "program-thread.js"),
];
/** Programs that run at the same time: each may keep a core busy. */
const MAX_RUNNING = 2;
/** Those that wait for a thread. */
const MAX_WAITING = 20;
/** The longest time of a program with its calls, in ms. */
const LONGEST_MS = 120_000;
/** More than the program's own limit of 64 MB: values take more memory than the limit counts. */
const MAX_HEAP_MB = 512;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a program in a thread. Whatever is wrong with the program is in the outcome.
 *
 * @param answer answers the calls that the program makes at the same time; what it throws ends the program, and is thrown
 * @throws NavigatorError `too_many_requests`
 */
export async function runProgram(
  job: ProgramJob,
  answer: (calls: ToolRequest[], signal: AbortSignal) => Promise<Result<Json>[]>,
): Promise<ProgramOutcome> {
  await turn();
  try {
    return await inThread(job, answer);
  } finally {
    const next = waiting.shift();
    // Its place goes to the next program that waits.
    if (next === undefined) running -= 1;
    else next();
  }
}

async function turn(): Promise<void> {
  if (waiting.length >= MAX_WAITING)
    throw new NavigatorError("too_many_requests", "Too many programs run in the playground.", {
      details: { retry_after_s: 5 },
    });
  if (running >= MAX_RUNNING) return new Promise<void>((resolve) => void waiting.push(resolve));
  running += 1;
}

async function inThread(job: ProgramJob, answer: Parameters<typeof runProgram>[1]): Promise<ProgramOutcome> {
  const file = THREAD.find(existsSync);
  if (file === undefined) throw new Error("The thread of the playground is not built: npm run build");
  const thread = new Worker(file, {
    workerData: job,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), LONGEST_MS);
  try {
    return await new Promise<ProgramOutcome>((resolve, reject) => {
      time.signal.addEventListener("abort", () => resolve(ended(job, "timeout", OUT_OF_TIME)));
      thread.on("message", (received: FromThread) => {
        if ("end" in received) return resolve(received.end);
        answer(received.calls, time.signal).then(
          (answers) =>
            thread.postMessage(
              answers.map((one, i) => ({ id: received.calls[i]?.id as number, answer: one })) satisfies ToThread,
            ),
          reject,
        );
      });
      thread.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? resolve(ended(job, "memory_exceeded", "the program took too much memory"))
          : reject(error),
      );
    });
  } finally {
    clearTimeout(timer);
    time.abort();
    await thread.terminate();
  }
}

const OUT_OF_TIME = `the program and its calls took more than ${LONGEST_MS / 1_000} s`;

function ended({ memory }: ProgramJob, reason: Reason, message: string): ProgramOutcome {
  return { fail: receivedFailure(reason, message), prints: [], memory, warnings: [], steps: 0 };
}
