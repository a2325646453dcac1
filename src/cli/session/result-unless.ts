import type { WorkflowHandle } from "@temporalio/client";
import { NavigatorError } from "../../core/base/navigator-error";

/** The server is asked anew after this time. */
const ROUND_MS = 120_000;

/**
 * The result of a mission, however long it takes, unless the signal is aborted first. The SDK puts a listener on its signal with each
 * call that it makes to the server, some three a minute, and takes none away: so each round has a signal of its own.
 */
export async function resultUnless<T>(
  over: AbortSignal,
  handle: { workflow: Pick<WorkflowHandle, "client">; result(): Promise<T> },
  round_ms = ROUND_MS,
): Promise<T> {
  const { client } = handle.workflow;
  for (;;) {
    const round = new AbortController();
    const end = () => round.abort();
    over.addEventListener("abort", end, { once: true });
    try {
      return await client.withDeadline(Date.now() + round_ms, () =>
        client.withAbortSignal(round.signal, () => handle.result()),
      );
    } catch (error) {
      const isRoundOver = error instanceof NavigatorError && error.code === "no_worker";
      if (over.aborted || !isRoundOver) throw error;
    } finally {
      over.removeEventListener("abort", end);
    }
  }
}
