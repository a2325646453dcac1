import { Worker as Thread } from "node:worker_threads";
import type { WorkerThreadRequest } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";
import { BUNDLE_FILE, readBundle, type WorkflowBundle } from "./workflow-bundle";

type Init = Extract<WorkerThreadRequest["input"], { type: "init" }>;

/** A thread that has loaded the workflows of a bundle, or is loading them. */
export interface EarlyThread {
  readonly thread: Thread;
  /** The message that made the thread load its workflows. */
  readonly init: Init;
  /** Whether it has loaded them and is alive. */
  loaded(): Promise<boolean>;
}

/** Threads without a worker. The next worker takes the last one. */
const waiting: (EarlyThread & { file: string | undefined })[] = [];
/** How many threads of ended workers are kept. */
let kept = 0;

/**
 * Starts the thread for the workflows of the next worker of this process. The thread takes 0.4 s to load the SDK and the workflows.
 * Called first in a process, this happens on another core while the process loads its other code; so this file loads nothing of the
 * SDK. The thread keeps no process alive. Without a bundle nothing is started.
 *
 * @param names of the worker's activities
 * @param file the bundle; default: that of the build
 */
export function startWorkflowThread(names: Iterable<string>, file = BUNDLE_FILE): void {
  const bundle = waiting.length === 0 ? readBundle(file) : undefined;
  if (bundle === undefined) return;
  const thread = new Thread(require.resolve("@temporalio/worker/lib/workflow/workflow-worker-thread"));
  thread.unref();
  const init = initOf(bundle, names);
  waiting.push({ thread, file, init, loaded: loading(thread) });
  thread.postMessage({ requestId: 0n, input: init } satisfies WorkerThreadRequest);
}

/** From now on the next workers of this process take the threads of ended ones, two at most, and start in a tenth of the time: for tests. */
export function keepWorkflowThreads(): void {
  kept = 2;
}

/**
 * Keeps the thread of an ended worker if the thread is alive and threads are kept.
 *
 * @param file of its bundle
 * @returns false: the caller must end the thread
 */
export function leaveWorkflowThread(thread: Thread, init: Init, file: string | undefined): boolean {
  const hasEnded = thread.threadId === -1;
  if (waiting.length >= kept || hasEnded) return false;
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
  // `loaded` shows the next worker whether the thread is still alive.
  thread.on("error", () => {}).unref();
  waiting.push({ thread, file, init, loaded: async () => thread.threadId !== -1 });
  return true;
}

/** Listens from the beginning: the thread sends its answer once. */
function loading(thread: Thread): EarlyThread["loaded"] {
  let hasEnded = false;
  const answered = new Promise<boolean>((resolve) => {
    const end = () => {
      hasEnded = true;
      resolve(false);
    };
    thread.once("message", ({ result }) => resolve(result.type === "ok"));
    thread.once("error", end).once("exit", end);
  });
  return async () => (await answered) && !hasEnded;
}

/** The bundle that the early thread has, if it is from this file. */
export const earlyBundle = (file: string): WorkflowBundle | undefined =>
  waiting.findLast((early) => early.file === file)?.init.workflowBundle;

/** The early thread, for one worker. The caller ends it. */
export function takeWorkflowThread(): EarlyThread | undefined {
  const taken = waiting.pop();
  taken?.thread.ref();
  return taken;
}

/**
 * The first message to a workflow thread. The thread gets no time limit: `TimedWorker` watches it.
 *
 * @param names of the worker's activities
 */
export const initOf = (
  workflowBundle: WorkflowBundle,
  names: Iterable<string>,
  hasPatchActivationCallback = false,
): Init => ({
  type: "init",
  workflowBundle,
  registeredActivityNames: new Set(names),
  hasPatchActivationCallback,
  reuseV8Context: true,
  isolateExecutionTimeoutMs: undefined as unknown as number,
});
