import type { Client } from "@temporalio/client";
import { ask } from "../../client/errors";
import type { Json } from "../../core/base/json";
import { isAbsent } from "../../core/base/navigator-error";
import { writtenFacts } from "../../core/history/read/decode-events";
import { delay } from "../../node/delay";
import { readableHistory } from "../../node/encoding/readable-history";

/** A part of a history, as it was exported, and whether it is the last part of its run. */
export interface HistoryPart {
  run_id: string;
  events: Json[];
  isLast: boolean;
}

/** How long an outage lasts before the server is asked again, in ms. */
const AGAIN_MS = 500;
const AGAIN_SELDOM_MS = 10_000;

/**
 * Follows the history of a workflow by long polls: first what there is, then what comes, through all runs of one that continues as new.
 * It ends with the workflow. An outage of the server makes it wait.
 *
 * @param onOutage called with each error after which it continues
 * @throws NavigatorError `not_found` if there is no such workflow, or not any more; the signal's reason
 */
export async function* followHistory(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
  onOutage: (error: unknown) => void,
): AsyncGenerator<HistoryPart> {
  const { workflow } = client;
  const { namespace, loadedDataConverter } = client.options;
  let runId = (await ask(() => workflow.getHandle(workflowId).describe())).runId;
  let token: Uint8Array | null = null;
  let pause = AGAIN_MS;
  for (;;) {
    signal.throwIfAborted();
    let answer: Awaited<ReturnType<typeof workflow.workflowService.getWorkflowExecutionHistory>>;
    try {
      answer = await untilAborted(client, signal, () =>
        ask(() =>
          workflow.workflowService.getWorkflowExecutionHistory({
            namespace,
            execution: { workflowId, runId },
            waitNewEvent: true,
            ...(token === null ? {} : { nextPageToken: token }),
          }),
        ),
      );
      pause = AGAIN_MS;
    } catch (error) {
      signal.throwIfAborted();
      if (isAbsent(error)) throw error;
      onOutage(error);
      await delay(pause, signal);
      pause = Math.min(pause * 2, AGAIN_SELDOM_MS);
      continue;
    }
    token = (answer.nextPageToken?.length ?? 0) === 0 ? null : (answer.nextPageToken as Uint8Array);
    const { history } = answer;
    const events = history == null ? [] : await ask(() => eventsOf(readableHistory(history, loadedDataConverter)));
    if (events.length > 0 || token === null) yield { run_id: runId, events, isLast: token === null };
    if (token !== null) continue;
    const next = nextRunOf(events.at(-1));
    if (next === undefined) return;
    runId = next;
  }
}

/**
 * Aborts a call when nobody follows any more: otherwise it would outlive its connection. It has a separate signal, because the SDK never
 * removes its listener.
 */
async function untilAborted<T>(client: Client, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const own = new AbortController();
  const abort = () => own.abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await client.withAbortSignal(own.signal, call);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function eventsOf(history: Promise<Json>): Promise<Json[]> {
  const { events } = (await history) as { events?: Json[] };
  return events ?? [];
}

/** The run that follows; undefined: the workflow is over. */
function nextRunOf(last: Json | undefined): string | undefined {
  const [fact] = last === undefined ? [] : writtenFacts([last]);
  return fact?.kind === "ended" || fact?.kind === "continued_as_new" ? fact.next_run_id || undefined : undefined;
}
