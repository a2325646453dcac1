import { Worker as Thread } from "node:worker_threads";
import type { WorkerThreadRequest } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";
import { ACTIVITY_NAMES } from "./late-activities";
import { BUNDLE_FILE, readBundle, type WorkflowBundle } from "./workflow-bundle";

/** A thread that has the workflows of a bundle, or is about to have them. */
export interface EarlyThread {
  readonly thread: Thread;
  readonly bundle: WorkflowBundle;
  /** Whether it has them and lives. */
  loaded(): Promise<boolean>;
}

let early: (EarlyThread & { file: string }) | undefined;

/**
 * Starts the thread for the workflows of the next worker of this process. To load the SDK and the workflows takes it 0.4 s. Called first in a
 * process, that happens on another core while the process loads what else it needs; so this file loads nothing of the SDK. The thread
 * keeps no process alive. Where there is no bundle, nothing is started.
 *
 * @param file the bundle; default: that of the build
 */
export function startWorkflowThread(file = BUNDLE_FILE): void {
  const bundle = early === undefined ? readBundle(file) : undefined;
  if (bundle === undefined) return;
  const thread = new Thread(require.resolve("@temporalio/worker/lib/workflow/workflow-worker-thread"));
  thread.unref();
  early = { thread, file, bundle, loaded: loading(thread) };
  thread.postMessage({ requestId: 0n, input: initOf(bundle) } satisfies WorkerThreadRequest);
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
  early?.file === file ? early.bundle : undefined;

/** The early thread, for one worker. Whoever takes it ends it. */
export function takeWorkflowThread(): EarlyThread | undefined {
  const taken = early;
  early = undefined;
  taken?.thread.ref();
  return taken;
}

/** What a thread of workflows is told first. It has no limit of its own: `TimedWorker` watches it. */
export const initOf = (
  workflowBundle: WorkflowBundle,
  { names = ACTIVITY_NAMES, hasPatchActivationCallback = false } = {},
): Extract<WorkerThreadRequest["input"], { type: "init" }> => ({
  type: "init",
  workflowBundle,
  registeredActivityNames: new Set(names),
  hasPatchActivationCallback,
  reuseV8Context: true,
  isolateExecutionTimeoutMs: undefined as unknown as number,
});
