import { Worker as Thread } from "node:worker_threads";
import type { WorkerThreadRequest } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";
import { ACTIVITY_NAMES } from "./late-activities";
import { builtBundle, type WorkflowBundle } from "./workflow-bundle";

/** A thread that has the workflows of the build, or is about to have them. */
interface EarlyThread {
  thread: Thread;
  bundle: WorkflowBundle;
  /** Whether it could load them. */
  loaded: Promise<boolean>;
  hasEnded: boolean;
}

let early: EarlyThread | undefined;

/**
 * Starts the thread for the workflows of the next worker of this process. To load the SDK and the workflows takes it 0.4 s. Called first in a
 * process, that happens on another core while the process loads what else it needs; so this file loads nothing. The thread keeps no
 * process alive.
 *
 * @param bundle Default: that of the build; where there is none, nothing is started
 */
export function startWorkflowThread(bundle = builtBundle()): void {
  if (early !== undefined || bundle === undefined) return;
  const thread = new Thread(require.resolve("@temporalio/worker/lib/workflow/workflow-worker-thread"));
  thread.unref();
  const loaded = new Promise<boolean>((resolve) => {
    const failed = () => resolve(false);
    thread.once("message", ({ result }) => resolve(result.type === "ok"));
    thread.once("error", failed).once("exit", failed);
  });
  thread.postMessage({ requestId: 0n, input: initOf(bundle) } satisfies WorkerThreadRequest);
  const started: EarlyThread = { thread, bundle, loaded, hasEnded: false };
  thread.once("exit", () => {
    started.hasEnded = true;
  });
  early = started;
}

/** The bundle that the early thread has. */
export const earlyBundle = (): WorkflowBundle | undefined => early?.bundle;

/** The early thread with the bundle that it has, for one worker; undefined when there is none that could load it. */
export async function takeWorkflowThread(): Promise<Pick<EarlyThread, "thread" | "bundle"> | undefined> {
  const taken = early;
  early = undefined;
  if (taken === undefined) return undefined;
  const { thread, loaded } = taken;
  thread.ref();
  if ((await loaded) && !taken.hasEnded) return taken;
  await thread.terminate();
  return undefined;
}

/** What a thread of workflows is told first. It has no limit of its own: `TimedWorker` watches it. */
export const initOf = (
  workflowBundle: WorkflowBundle,
  { names = ACTIVITY_NAMES, hasPatchActivationCallback = false, reuseV8Context = true } = {},
): Extract<WorkerThreadRequest["input"], { type: "init" }> => ({
  type: "init",
  workflowBundle,
  registeredActivityNames: new Set(names),
  hasPatchActivationCallback,
  reuseV8Context,
  isolateExecutionTimeoutMs: undefined as unknown as number,
});
