import type { Hono } from "hono";
import { activePollers, taskQueueLoad } from "../../client/task-queue";
import { NavigatorError } from "../../core/base/navigator-error";
import type { WebContext, WebEnv } from "../context/context";

/** Why the server is not ready, in a word each: the callers may be unknown. */
export type NotReady = "server_unreachable" | "namespace_not_found" | "no_workflow_poller" | "no_activity_poller";

const LIMIT_MS = 3_000;
/** Frequent requests do not load the Temporal server. */
const FRESH_MS = 1_000;

/**
 * `GET /healthz`: the process answers. `GET /readyz`: the Temporal server is reached, the namespace is there, and workers ask for work of
 * the task queue; otherwise 503 with the reasons (web reference, section 8). Both need no token, and return no more than that.
 */
export function healthRoutes(app: Hono<WebEnv>, context: Pick<WebContext, "backend">): void {
  let last: { at: number; reasons: Promise<NotReady[]> } | undefined;
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, NO_STORE));
  app.get("/readyz", async (c) => {
    if (last === undefined || Date.now() - last.at >= FRESH_MS)
      last = { at: Date.now(), reasons: whyNotReady(context) };
    const reasons = await last.reasons;
    if (reasons.length === 0) return c.json({ status: "ready" }, 200, NO_STORE);
    return c.json({ status: "not_ready", reasons }, 503, NO_STORE);
  });
}

const NO_STORE = { "cache-control": "no-store" };

async function whyNotReady({ backend }: Pick<WebContext, "backend">): Promise<NotReady[]> {
  try {
    const { client } = await withinLimit(backend());
    const { temporal } = client;
    const { namespace } = temporal.options;
    const { workflow, activity } = await temporal.withDeadline(Date.now() + LIMIT_MS, async () => {
      await temporal.workflow.workflowService.describeNamespace({ namespace });
      return taskQueueLoad(client);
    });
    return [
      ...(activePollers(workflow).length > 0 ? [] : ["no_workflow_poller" as const]),
      ...(activePollers(activity).length > 0 ? [] : ["no_activity_poller" as const]),
    ];
  } catch (error) {
    return [isMissingNamespace(error) ? "namespace_not_found" : "server_unreachable"];
  }
}

/** gRPC's number of an answer that there is no such thing. */
const NOT_FOUND = 5;
const isMissingNamespace = (error: unknown): boolean =>
  (error instanceof NavigatorError && error.code === "namespace_not_found") ||
  (error as { code?: unknown } | null)?.code === NOT_FOUND;

/** A connection that is being opened has no deadline. */
async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new NavigatorError("temporal_unavailable", "The Temporal server does not answer.")),
      LIMIT_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
