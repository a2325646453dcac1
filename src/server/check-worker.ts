import { hostname } from "node:os";
import type { Connection } from "@temporalio/client";
import { POLLER_FRESH_MS } from "../core/base/limits";
import type { Check } from "./diagnose";

/**
 * Whether a worker of this machine (or container) serves the task queue: Temporal knows who asked it for work, and when.
 *
 * @param now ms since 1970
 */
export async function checkWorker(
  connection: Connection,
  { namespace, taskQueue }: { namespace: string; taskQueue: string },
  now = Date.now(),
): Promise<Check> {
  const name = "Worker";
  const { pollers = [] } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    // 1 is the type of workflow tasks: a worker that serves them serves all.
    taskQueueType: 1,
  });
  // An identity is `pid@host`.
  const here = (pollers ?? []).filter(({ identity }) => identity?.endsWith(`@${hostname()}`));
  const fresh = here.filter(
    ({ lastAccessTime }) => now - Number(lastAccessTime?.seconds ?? 0) * 1_000 <= POLLER_FRESH_MS,
  );
  if (fresh.length > 0)
    return { name, state: "ok", found: `${fresh.map(({ identity }) => identity).join(", ")} serves "${taskQueue}"` };
  const gone =
    here.length === 0 ? "" : `; ${here.map(({ identity }) => identity).join(", ")} did until some minutes ago`;
  return {
    name,
    state: "missing",
    found: `no worker of this machine serves the task queue "${taskQueue}"${gone}`,
    hint: "Start one: navigator worker --config YOUR_PROJECT",
  };
}
