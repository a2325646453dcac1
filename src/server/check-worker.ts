import { hostname } from "node:os";
import type { Connection } from "@temporalio/client";
import { POLLER_FRESH_MS } from "../core/base/limits";
import { commandLineOf, isGone } from "../node/processes";
import type { Check } from "./diagnose";

interface TaskQueue {
  namespace: string;
  taskQueue: string;
}

/** Who asked the server for workflow tasks of the queue, and when. */
async function pollersOf(connection: Connection, { namespace, taskQueue }: TaskQueue) {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    // 1 is the type of workflow tasks: a worker that serves them serves all.
    taskQueueType: 1,
  });
  return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? "",
    isFresh: Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 <= POLLER_FRESH_MS,
  }));
}

/**
 * The identities of the workers that serve a task queue now. One of this machine whose process is gone does not count, although the
 * server remembers it.
 */
export async function liveWorkers(connection: Connection, queue: TaskQueue): Promise<string[]> {
  const pollers = await pollersOf(connection, queue);
  return pollers.filter(({ identity, isFresh }) => isFresh && !hasEnded(identity)).map(({ identity }) => identity);
}

/** An identity is `pid@host`, unless somebody chose another. A process of another user is there, and has no command line for us. */
function hasEnded(identity: string): boolean {
  const pid = identity.endsWith(`@${hostname()}`) ? Number(identity.split("@")[0]) : Number.NaN;
  return Number.isInteger(pid) && pid > 0 && (isGone(pid) || (isOurs(pid) && commandLineOf(pid) === null));
}

function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether a worker of this machine (or container) serves the task queue: Temporal knows who asked it for work, and when. */
export async function checkWorker(connection: Connection, queue: TaskQueue): Promise<Check> {
  const name = "Worker";
  const { taskQueue } = queue;
  const here = (await pollersOf(connection, queue)).filter(({ identity }) => identity.endsWith(`@${hostname()}`));
  const fresh = here.filter(({ isFresh }) => isFresh);
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
