import type { Worker } from "@temporalio/worker";
import { POLLER_FRESH_MS } from "../core/base/limits";

/** Why a worker takes no new work, in a word each. */
export type WorkerNotReady =
  | "starting"
  | "draining"
  | "stopped"
  | "failed"
  | "server_unreachable"
  | "namespace_not_found"
  | "no_workflow_poller"
  | "no_activity_poller";

/** What a worker says of itself: the answer of `/readyz`. It has no secret. */
export interface WorkerReadiness {
  status: "ready" | "not_ready";
  /** Empty: it is ready. */
  reasons: WorkerNotReady[];
  /** `pid@host`, unless the worker has named itself; null before it is made. */
  identity: string | null;
  task_queue: string | null;
  /** Calls of models and tools that run in it now. */
  calls: number;
}

/** What of a worker is asked. */
export type WatchedWorker = Pick<Worker, "connection" | "getState" | "getStatus" | "options">;

const LIMIT_MS = 3_000;
/** gRPC's number of an answer that there is no such thing. */
const NOT_FOUND = 5;
/** Temporal's numbers for the two kinds of work. */
const KINDS = { workflow: 1, activity: 2 } as const;

/**
 * Why a worker takes no new work; empty: it does. It must run, and the server must say that this very worker has asked for tasks of
 * its task queue, of each kind that it serves. `null`: there is no worker yet.
 */
export async function whyNotReady(worker: WatchedWorker | null): Promise<WorkerNotReady[]> {
  if (worker === null) return ["starting"];
  return notRunning(worker) ?? (await notPolling(worker, Date.now()));
}

/** The answer with these reasons. What the process knows by itself is of this moment. */
export function readinessOf(worker: WatchedWorker | null, reasons: WorkerNotReady[]): WorkerReadiness {
  const { identity = null, taskQueue: task_queue = null } = worker?.options ?? {};
  const calls = worker?.getStatus().numInFlightActivities ?? 0;
  return { status: reasons.length === 0 ? "ready" : "not_ready", reasons, identity, task_queue, calls };
}

/** Whether the process must be started anew: its worker ended with an error. A server that is away is no reason. */
export const hasFailed = (worker: WatchedWorker | null): boolean => worker?.getState() === "FAILED";

function notRunning(worker: WatchedWorker): WorkerNotReady[] | null {
  const state = worker.getState();
  if (state === "RUNNING") return null;
  if (state === "INITIALIZED") return ["starting"];
  if (state === "FAILED") return ["failed"];
  return [state === "STOPPED" ? "stopped" : "draining"];
}

async function notPolling(worker: WatchedWorker, now: number): Promise<WorkerNotReady[]> {
  const { options, connection } = worker;
  // Only a worker that replays histories has none.
  if (connection === undefined) return ["server_unreachable"];
  const asks = async (type: keyof typeof KINDS): Promise<boolean> => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: options.taskQueue },
      taskQueueType: KINDS[type],
    });
    return (pollers ?? []).some(
      ({ identity, lastAccessTime }) =>
        identity === options.identity && now - Number(lastAccessTime?.seconds ?? 0) * 1_000 <= POLLER_FRESH_MS,
    );
  };
  const servesWorkflows = options.workflowBundle !== undefined || options.workflowsPath !== undefined;
  const servesCalls = options.activities.size > 0 && options.enableNonLocalActivities;
  try {
    const [workflow, activity] = await connection.withDeadline(Date.now() + LIMIT_MS, () =>
      Promise.all([!servesWorkflows || asks("workflow"), !servesCalls || hasNoFreeSlot(worker) || asks("activity")]),
    );
    return [...(workflow ? [] : ["no_workflow_poller" as const]), ...(activity ? [] : ["no_activity_poller" as const])];
  } catch (error) {
    return [(error as { code?: unknown } | null)?.code === NOT_FOUND ? "namespace_not_found" : "server_unreachable"];
  }
}

/** A worker with as many calls as it may have asks for no more: it is busy, and well. */
function hasNoFreeSlot(worker: WatchedWorker): boolean {
  const { activityTaskSlotSupplier: slots } = worker.options.tuner;
  const most = slots.type === "fixed-size" ? slots.numSlots : 1;
  return worker.getStatus().numInFlightNonLocalActivities >= most;
}
