import type { Client, Connection } from "@temporalio/client";
import { POLLER_FRESH_MS } from "../core/base/limits";
import { msOf } from "../node/timestamps";
import { ask } from "./errors";

/** Who asks the server for work of a task queue, and how much of it waits. The server alone is asked. */
export interface TaskQueueLoad {
  task_queue: string;
  /** Decisions of workflows, and calls of models and tools. */
  workflow: QueueLoad;
  activity: QueueLoad;
}

/** One kind of work of a task queue. */
export interface QueueLoad {
  /** About how many pieces of work nobody has taken. */
  backlog: number;
  /** How long the oldest of them waits, ms. */
  backlog_age_ms: number;
  /** Workers that asked for work in the last minutes. */
  pollers: QueuePoller[];
}

/** A worker, as the server knows it. */
export interface QueuePoller {
  /** `pid@host`, unless the worker has named itself. */
  identity: string;
  /** Ms since 1970. */
  last_seen: number;
}

/** Temporal's numbers for the two kinds of work. */
const KINDS = { workflow: 1, activity: 2 } as const;

/** The load of the task queue of a client. */
export async function taskQueueLoad({
  temporal,
  taskQueue,
}: {
  temporal: Client;
  taskQueue: string;
}): Promise<TaskQueueLoad> {
  const [workflow, activity] = await Promise.all([
    queueLoad(temporal, taskQueue, KINDS.workflow),
    queueLoad(temporal, taskQueue, KINDS.activity),
  ]);
  return { task_queue: taskQueue, workflow, activity };
}

async function queueLoad({ connection, options }: Client, queue: string, taskQueueType: 1 | 2): Promise<QueueLoad> {
  const { pollers, stats } = await ask(() =>
    (connection as Connection).workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: queue },
      taskQueueType,
      reportStats: true,
    }),
  );
  return {
    backlog: Number(stats?.approximateBacklogCount ?? 0),
    backlog_age_ms: msOf(stats?.approximateBacklogAge),
    pollers: (pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? "",
      last_seen: msOf(lastAccessTime),
    })),
  };
}

/** The workers that still ask for work. */
export const activePollers = ({ pollers }: QueueLoad, now = Date.now()): QueuePoller[] =>
  pollers.filter(({ last_seen }) => now - last_seen <= POLLER_FRESH_MS);
