import type { QueryDefinition, WorkflowHandle } from "@temporalio/client";
import { ask, grpcStatusOf, STATUS } from "./errors";

/** A running worker answers in milliseconds, or in a second or two if it must replay a long history first. */
const FIRST_TRY_MS = 5_000;
/** If the server sees first that the time is over, it cancels the call, and this is the error that arrives. */
const LOST: readonly (number | undefined)[] = [STATUS.deadlineExceeded, STATUS.cancelled];

/**
 * Asks a workflow something. On a busy machine the server now and then hands a query to nobody and lets it run out (one
 * in some thousands, when the workflow moves at the same moment). Asking changes nothing, so it is asked once more before
 * anybody is told that no worker answers.
 *
 * @throws NavigatorError `no_worker`, `not_found`, `wrong_kind`
 */
export function askQuery<T, Args extends unknown[]>(
  handle: Pick<WorkflowHandle, "query" | "client">,
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const attempt = () => handle.query<T, Args>(query, ...args);
  return ask(() =>
    handle.client.withDeadline(Date.now() + FIRST_TRY_MS, attempt).catch((error: unknown) => {
      if (!LOST.includes(grpcStatusOf(error)?.code)) throw error;
      return attempt();
    }),
  );
}
