import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "@temporalio/worker";

/** Of the SDK's worker, which declares them as `protected`. */
interface Subjects {
  unexpectedErrorSubject: Subject;
  instantTerminateErrorSubject: Subject;
  options: { shutdownGraceTimeMs: number };
}
interface Subject {
  subscribe(observer: { error(error: unknown): void }): { unsubscribe(): void };
  error(error: unknown): void;
}

const LOOK_MS = 50;
/** The SDK may end such a worker without help. */
const SDK_ENDS_MS = 1_000;

const failed = new WeakSet<object>();

/** Whether the SDK's core of this worker has failed, or its workflow thread: it completes no task any more. */
export const coreHasFailed = (worker: object): boolean => failed.has(worker);

/**
 * Runs a worker, and ends with an error if the SDK's core has failed. Without this function the SDK then waits for workflow tasks that its
 * core never finishes: `run()` does not return, whatever signals arrive. Open calls have the grace time of the worker.
 */
export async function runUntilCoreFails(worker: Worker, run: () => Promise<void>): Promise<void> {
  const { unexpectedErrorSubject, instantTerminateErrorSubject, options } = worker as unknown as Subjects;
  let hasEnded = false;
  let watching: { unsubscribe(): void } | undefined;
  const broken = new Promise<never>((_, reject) => {
    watching = unexpectedErrorSubject.subscribe({
      error: async (error) => {
        failed.add(worker);
        await callsEnded(worker, options.shutdownGraceTimeMs, () => hasEnded);
        if (hasEnded) return;
        instantTerminateErrorSubject.error(error);
        reject(error);
      },
    });
  });
  try {
    await Promise.race([run(), broken]);
  } finally {
    hasEnded = true;
    watching?.unsubscribe();
  }
}

async function callsEnded(worker: Worker, grace_ms: number, hasEnded: () => boolean): Promise<void> {
  const until = Date.now() + grace_ms + SDK_ENDS_MS;
  await delay(SDK_ENDS_MS, undefined, { ref: false });
  while (!hasEnded() && Date.now() < until && worker.getStatus().numInFlightNonLocalActivities > 0)
    await delay(LOOK_MS, undefined, { ref: false });
}
