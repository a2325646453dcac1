import { Context } from "@temporalio/activity";

/** Well below the heartbeat timeout of the retry table: a lost worker is noticed by silence. */
const INTERVAL_MS = 400;

/**
 * Heartbeats while `work` runs, so that a worker that died is told from one that is slow, and so that a
 * cancellation reaches it. Work that is over within the interval costs no heartbeat. In a local activity heartbeats
 * do nothing and cancellation arrives by itself.
 *
 * Whatever `work` throws after a cancellation, the activity ends as cancelled.
 */
export async function withHeartbeat<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), INTERVAL_MS);
  try {
    return await work(context);
  } catch (error) {
    if (context.cancellationSignal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearInterval(timer);
  }
}
