import { Worker as Thread } from "node:worker_threads";
import type { WorkerThreadRequest } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";
import { ACTIVITY_NAMES } from "./late-activities";
import { BUNDLE_FILE, readBundle, type WorkflowBundle } from "./workflow-bundle";

type Init = Extract<WorkerThreadRequest["input"], { type: "init" }>;

/** A thread that has the workflows of a bundle, or is about to have them. */
export interface EarlyThread {
  readonly thread: Thread;
  /** The message that made the thread load its workflows. */
  readonly init: Init;
  /** Whether it has them and lives. */
  loaded(): Promise<boolean>;
}

/** Those that no worker has. The last one is for the next worker. */
const waiting: (EarlyThread & { file: string | undefined })[] = [];
/** How many threads of workers that have ended may wait. */
let kept = 0;

/**
 * Starts the thread for the workflows of the next worker of this process. To load the SDK and the workflows takes it 0.4 s. Called first in a
 * process, that happens on another core while the process loads what else it needs; so this file loads nothing of the SDK. The thread
 * keeps no process alive. Where there is no bundle, nothing is started.
 *
 * @param file the bundle; default: that of the build
 */
export function startWorkflowThread(file = BUNDLE_FILE): void {
  const bundle = waiting.length === 0 ? readBundle(file) : undefined;
  if (bundle === undefined) return;
  const thread = new Thread(require.resolve("@temporalio/worker/lib/workflow/workflow-worker-thread"));
  thread.unref();
  const init = initOf(bundle);
  waiting.push({ thread, file, init, loaded: loading(thread) });
  thread.postMessage({ requestId: 0n, input: init } satisfies WorkerThreadRequest);
}

/**
 * From here on workers that end leave their threads to the next ones of this process, two at most, which then start in a tenth of the time:
 * for tests, which open one worker after the other.
 */
export function keepWorkflowThreads(): void {
  kept = 2;
}

/**
 * Takes the thread of a worker that has ended, if it lives and threads are kept.
 *
 * @param file where its bundle is from
 * @returns whether it was taken; if not, it must be ended
 */
export function leaveWorkflowThread(thread: Thread, init: Init, file: string | undefined): boolean {
  const hasEnded = thread.threadId === -1;
  if (waiting.length >= kept || hasEnded) return false;
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
  // `loaded` says to the next worker whether the thread still lives.
  thread.on("error", () => {}).unref();
  waiting.push({ thread, file, init, loaded: async () => thread.threadId !== -1 });
  return true;
}

/** Listens from the beginning: what a thread says while nobody waits for it is not said again. */
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

/** The early thread, for one worker. Whoever takes it ends it. */
export function takeWorkflowThread(): EarlyThread | undefined {
  const taken = waiting.pop();
  taken?.thread.ref();
  return taken;
}

/** What a thread of workflows is told first. It has no limit of its own: `TimedWorker` watches it. */
export const initOf = (
  workflowBundle: WorkflowBundle,
  { names = ACTIVITY_NAMES, hasPatchActivationCallback = false } = {},
): Init => ({
  type: "init",
  workflowBundle,
  registeredActivityNames: new Set(names),
  hasPatchActivationCallback,
  reuseV8Context: true,
  isolateExecutionTimeoutMs: undefined as unknown as number,
});
