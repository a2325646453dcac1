import { Context } from "@temporalio/activity";
import { ActivityCompletionError } from "@temporalio/client";
import { sendDetails } from "../node/heartbeats/kept-heartbeats";

/** Well below the heartbeat timeout of the retry table: a missing heartbeat shows a lost worker. */
const INTERVAL_MS = 400;
/** The server has answered this short a time ago: an answer reaches it. */
const RECENT_MS = 1_000;
const ASKED_AGAIN_MS = 500;

/**
 * Heartbeats while `work` runs. So a dead worker can be distinguished from a slow one, and a cancellation reaches the
 * work. Work that ends within the interval sends no heartbeat. A local activity has none: the server does not know it,
 * and the SDK delivers the cancellation.
 *
 * Whatever `work` throws after a cancellation, the activity ends as cancelled.
 */
export async function withHeartbeat<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = Context.current();
  const began = performance.now();
  const timer = setInterval(() => sendHeartbeat(context), INTERVAL_MS);
  try {
    const answer = await work(context);
    if (performance.now() - began > RECENT_MS) await untilReached(context);
    return answer;
  } catch (error) {
    if (context.cancellationSignal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** One heartbeat, also of work that sends its own. It has the details of the attempt before: each replaces them. */
export function sendHeartbeat(context: Context): void {
  const { isLocal, heartbeatDetails: details } = context.info;
  if (isLocal) return;
  if (details === undefined) context.heartbeat();
  else context.heartbeat(details);
}

/**
 * Waits until the server answers, or the attempt is over: the SDK gives up an answer that it cannot send for 10 s. During that time the
 * heartbeats continue.
 */
export async function untilReached(context: Context, details: unknown = context.info.heartbeatDetails): Promise<void> {
  if (context.info.isLocal) return;
  while (!context.cancellationSignal.aborted) {
    try {
      return await sendDetails(context, details);
    } catch (error) {
      // Any other error shows that the server has answered.
      if (!(error instanceof ActivityCompletionError)) return;
      await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS));
    }
  }
}
