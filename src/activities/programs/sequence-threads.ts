import { AsyncResource } from "node:async_hooks";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { Worker as Thread } from "node:worker_threads";
import { type CallMaker, type CallOutcome, runSequence } from "../../core/agent/sequence/sequence-host";
import type { MadeCall } from "../../core/calls/run-calls";

type Given = Parameters<typeof runSequence>[0];
type Reply = Parameters<typeof runSequence>[2];
type Result = Awaited<ReturnType<typeof runSequence>>;

export type ToSequenceThread =
  | { id: number; given: Given; earlier: readonly MadeCall[]; reply: Reply }
  | { id: number; outcome: CallOutcome };
export type FromSequenceThread =
  | { id: number; call: Parameters<CallMaker["make"]> }
  | { id: number; result: Result }
  | { id: number; error: Error };

/** The build writes it next to this file. */
const THREAD = path.join(__dirname, "sequence-thread.js");
/** One core stays for the main thread. */
const MOST_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** More than the limits of a program: values take more memory than the limit counts. */
const MAX_HEAP_MB = 1_024;

interface Running {
  make: CallMaker["make"];
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** A thread that runs programs. */
class SequenceThread {
  private readonly thread = new Thread(THREAD, {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  private readonly running = new Map<number, Running>();
  /** The sequences whose program computes: they wait for no call. */
  readonly computing = new Set<number>();

  constructor(ended: (thread: SequenceThread) => void) {
    this.thread.on("message", (message: FromSequenceThread) => this.receive(message));
    const end = (error: Error) => {
      ended(this);
      for (const { reject } of this.running.values()) reject(error);
      this.running.clear();
    };
    this.thread.on("error", end).on("exit", () => end(new Error("the thread of the program ended")));
    // Last: a listener for messages keeps the process alive.
    this.thread.unref();
  }

  run(id: number, message: Extract<ToSequenceThread, { given: unknown }>, calls: CallMaker): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      // A message of the thread comes outside of the activity: without it a call would have neither its context nor its span.
      const make = AsyncResource.bind(calls.make.bind(calls));
      this.running.set(id, { make, resolve, reject });
      this.computing.add(id);
      this.thread.postMessage(message);
    }).finally(() => {
      this.running.delete(id);
      this.computing.delete(id);
    });
  }

  private receive(message: FromSequenceThread): void {
    const { id } = message;
    const running = this.running.get(id);
    if (running === undefined) return;
    if ("result" in message) running.resolve(message.result);
    else if ("error" in message) running.reject(message.error);
    else {
      this.computing.delete(id);
      running.make(...message.call).then((outcome) => {
        this.computing.add(id);
        this.thread.postMessage({ id, outcome } satisfies ToSequenceThread);
      }, running.reject);
    }
  }
}

const threads = new Set<SequenceThread>();
let begun = 0;

/** The thread with the fewest programs that compute; a new one where each has some. */
function freeThread(): SequenceThread {
  const [least] = [...threads].sort((a, b) => a.computing.size - b.computing.size);
  if (least !== undefined && (least.computing.size === 0 || threads.size >= MOST_THREADS)) return least;
  const thread = new SequenceThread((ended) => threads.delete(ended));
  threads.add(thread);
  return thread;
}

/**
 * `runSequence` in another thread: programs of models compute for seconds, and heartbeats and the calls of other missions must not wait
 * for them (decision 67). The sources have no thread.
 */
export function runSequenceApart(given: Given, calls: CallMaker, reply?: Reply): Promise<Result> {
  if (!existsSync(THREAD)) return runSequence(given, calls, reply);
  begun += 1;
  const id = begun;
  const { run, state, mission, agent, now, paused_ms, owner } = given;
  const needed = { run, state, mission, agent, now, paused_ms, ...(owner === undefined ? {} : { owner }) };
  const { earlier } = calls;
  return freeThread().run(id, { id, given: needed, earlier, reply }, calls);
}
