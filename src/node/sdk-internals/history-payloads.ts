import type { ExternalStorage, Payload } from "@temporalio/common";
import {
  extstoreInboundOptions,
  visit,
  walkGetWorkflowExecutionHistoryResponse,
} from "@temporalio/common/lib/internal-non-workflow";
import type { temporal } from "@temporalio/proto";

/** A history, or a part of one, as Temporal's service returns it. */
export type History = temporal.api.history.v1.IHistory;

/** Lists of payloads that are changed at the same time: a codec may ask a service. */
const AT_ONCE = 20;

/**
 * Replaces references to payloads outside of the server by these payloads, in place.
 *
 * @throws ExternalStorageNotConfiguredError for a reference without a storage
 */
export const fetchStoredPayloads = (history: History, storage: ExternalStorage | undefined): Promise<void> =>
  visit({ history }, walkGetWorkflowExecutionHistoryResponse, extstoreInboundOptions(storage));

/** Changes the payloads of a history in place. Search attributes stay: the SDK gives them to no codec. */
export const changePayloads = (history: History, change: (payloads: Payload[]) => Promise<Payload[]>): Promise<void> =>
  visit({ history }, walkGetWorkflowExecutionHistoryResponse, {
    transformPayload: async (payload: Payload) => (await change([payload]))[0] as Payload,
    transformPayloads: change,
    skipSearchAttributes: true,
    limit: atMost(AT_ONCE),
  });

/** Runs functions in the order of the calls, `most` at the same time. */
function atMost(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
