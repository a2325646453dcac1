import type { Context } from "@temporalio/activity";
import { ServiceError, WorkflowNotFoundError } from "@temporalio/client";

/** How the server has given up an attempt. */
interface Attempt {
  /** Aborted when the attempt ends. */
  signal: AbortSignal;
  /** It ended because the server gave it up: the reason is not a message of its run. */
  isGivenUp(): boolean;
}

/** How often a run that cannot be reached is asked about, ms. */
const ASKED_AGAIN_MS = 2_000;
/** A timer has no longer times. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Aborted when a call shall end: its run is over or has cancelled it, its own time is over, or its worker shuts down. An attempt that the
 * server gave up, because an outage of the network kept its heartbeats away, ends no call: the next attempt waits for its answer.
 */
export function endOfCall(context: Context, attempt: Attempt = ofSdk(context)): AbortSignal {
  const { signal } = attempt;
  const { info } = context;
  if (info.isLocal) return signal;
  const end = new AbortController();
  const began = performance.now();
  const left_ms = () => info.startToCloseTimeoutMs - (performance.now() - began);
  const ended = () => {
    if (!attempt.isGivenUp() || left_ms() <= 0) return end.abort(signal.reason);
    setTimeout(() => end.abort(signal.reason), Math.min(left_ms(), LONGEST_TIMER_MS)).unref();
    void untilRunIsOver(context, end.signal).then((isOver) => isOver && end.abort(signal.reason));
  };
  if (signal.aborted) ended();
  else signal.addEventListener("abort", ended, { once: true });
  return end.signal;
}

const ofSdk = (context: Context): Attempt => ({
  signal: context.cancellationSignal,
  isGivenUp: () => wasGivenUp(context),
});

/** Whether the server does not know the attempt any more, or its heartbeats did not arrive. */
export const wasGivenUp = ({ cancellationDetails }: Context): boolean =>
  cancellationDetails?.notFound === true || cancellationDetails?.timedOut === true;

/** Whether the run of a given-up attempt is over. Of a run that continues nobody asks again. */
async function untilRunIsOver({ client, info }: Context, ended: AbortSignal): Promise<boolean> {
  const { workflowId = "", runId } = info.workflowExecution ?? {};
  while (!ended.aborted) {
    try {
      // The SDK aborts the requests of an attempt that has ended.
      const { status } = await client.withAbortSignal(ended, () =>
        client.workflow.getHandle(workflowId, runId).describe(),
      );
      return status.name !== "RUNNING" && status.name !== "PAUSED";
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      // Only an outage ends: asked again, anything else would fail again.
      if (!(error instanceof ServiceError)) return false;
      await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS).unref());
    }
  }
  return false;
}
