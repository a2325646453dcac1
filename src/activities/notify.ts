import { Context } from "@temporalio/activity";
import type { NavigatorActivities } from "../core/effects";

const PATIENCE_MS = 10_000;

/**
 * One line in the worker's log, and a POST of the same as JSON to the webhook, if there is one. A webhook that refuses
 * is tried again by Temporal.
 */
export function notify(url: string | undefined): NavigatorActivities["notify"] {
  return async (input) => {
    const { log } = Context.current();
    log.info(input.event, { workflow_id: input.workflow_id, review: input.review.id, title: input.review.title });
    if (url === undefined) return;
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
  };
}
