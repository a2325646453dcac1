import { Context } from "@temporalio/activity";

/** Well below the heartbeat timeout of the retry table: a missing heartbeat shows a lost worker. */
const INTERVAL_MS = 400;

/**
 * Heartbeats while `work` runs. So a dead worker can be distinguished from a slow one, and a cancellation reaches the
 * work. Work that ends within the interval sends no heartbeat. A local activity has none: the server does not know it,
 * and the SDK delivers the cancellation.
 *
 * Whatever `work` throws after a cancellation, the activity ends as cancelled.
 */
export async function withHeartbeat<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => sendHeartbeat(context), INTERVAL_MS);
  try {
    return await work(context);
  } catch (error) {
    if (context.cancellationSignal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** One heartbeat, also of work that sends its own. */
export function sendHeartbeat(context: Context): void {
  if (!context.info.isLocal) context.heartbeat();
}
