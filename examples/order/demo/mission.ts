import { existsSync } from "node:fs";
import path from "node:path";
import type { NavigatorClient } from "../../../src/client/client";
import type { TaskHandle } from "../../../src/client/handles";
import type { AgentDefinition } from "../../../src/core/agent/definition/definition";
import type { Json } from "../../../src/core/base/json";
import { parseDefinition } from "../../../src/core/graph/definition/parse";
import type { Definition } from "../../../src/core/graph/definition/schema";
import { renderWay } from "../../../src/core/graph/show/diagram";
import { newTask, type Task } from "../../../src/core/graph/task/task";
import { childIds } from "../../../src/core/history/trace/read-mission";
import type { Review } from "../../../src/core/review/review";
import { readDataFile } from "../../../src/node/data-file";
import { loadProject } from "../../../src/project/load";
import { type OrderService, startOrderService } from "./order-service";
import { startWorkerProcess, type WorkerProcess } from "./worker-process";

/**
 * The order mission (engine reference, section 12): charge, approval by a person, ship. A real worker process, a
 * payment service that counts, and a kill at the worst moment.
 */
export interface OrderMissionOptions {
  client: NavigatorClient;
  /** Environment of the worker: where the Temporal server is. */
  env: Record<string, string>;
  model: string;
  taskId: string;
  /** Kill the worker after the money moved and before the response is recorded. */
  crash: boolean;
  /** A person's answer to the approval. */
  approve(review: Review): Promise<{ choice: string; by: string; note?: string }>;
  report(event: MissionEvent): void;
}

/** What happens in the demo, as it is reported on the way. */
export type MissionEvent =
  | { event: "service_ready"; url: string }
  | { event: "worker_ready"; pid: number; first: boolean }
  | { event: "task_started"; workflow_id: string }
  | { event: "money_moved"; key: string }
  | { event: "worker_killed"; pid: number }
  | { event: "review_open"; review: Review }
  | { event: "review_decided"; choice: string; by: string };

/** What the demo shows at its end. */
export interface OrderMissionResult {
  task: Task;
  definition: Definition;
  reviews: Review[];
  /** The graph with the path taken, as text. */
  way: string;
  /** The progress list of each agent run by its workflow id, as Markdown. */
  progress: { [workflow_id: string]: string };
  counts: OrderService["counts"];
  requests: OrderService["requests"];
  /** Ms since 1970: when the worker was killed and when the new one was ready; null without a crash. */
  crash: { killed_at: number; back_at: number } | null;
}

/** The folder of this example, from its sources and from dist. */
export const ORDER_EXAMPLE = [path.join(__dirname, ".."), path.join(__dirname, "../../../../examples/order")].find(
  (folder) => existsSync(path.join(folder, "navigator.config.cjs")),
) as string;

export async function runOrderMission(options: OrderMissionOptions): Promise<OrderMissionResult> {
  const crash = { killed_at: 0, back_at: 0 };
  let worker: WorkerProcess | undefined;
  let killing: Promise<void> | undefined;
  const service = await startOrderService({
    afterEffect: (effect, key) => {
      if (effect !== "/charges" || !options.crash || killing) return;
      options.report({ event: "money_moved", key });
      killing = replaceWorker();
      // The response never reaches the worker that asked: it is dead by the time this returns.
      return killing;
    },
  });
  options.report({ event: "service_ready", url: service.url });

  const launch = async (first: boolean) => {
    worker = await startWorkerProcess({
      config: ORDER_EXAMPLE,
      taskQueue: options.client.taskQueue,
      env: { ...options.env, ORDER_SERVICE_URL: service.url },
    });
    options.report({ event: "worker_ready", pid: worker.pid, first });
  };
  const replaceWorker = async () => {
    const dying = worker as WorkerProcess;
    await dying.kill();
    crash.killed_at = Date.now();
    options.report({ event: "worker_killed", pid: dying.pid });
    await launch(false);
    crash.back_at = Date.now();
  };

  try {
    await launch(true);
    const { definition, agents } = await orderExample();
    const task = newTask(
      {
        id: options.taskId,
        issueId: "order 42",
        workflowType: definition.id ?? "order-fulfilment",
        context: { order_id: 42 },
      },
      definition,
      Date.now(),
    );
    const handle = await options.client.startTask({ task, definition, agents, model: options.model });
    options.report({ event: "task_started", workflow_id: handle.workflow.workflowId });
    const ended = handle.result();
    await Promise.race([ended, answerReviews(handle, ended, options)]);
    const done = await ended;
    return {
      task: done,
      definition,
      reviews: await handle.reviews(),
      way: renderWay(definition, done),
      progress: await progressOf(options.client, handle.workflow.workflowId),
      counts: { ...service.counts },
      requests: [...service.requests],
      crash: killing ? crash : null,
    };
  } finally {
    await killing?.catch(() => {});
    await worker?.stop();
    await service.close();
  }
}

/** Watches the inbox; the decision is sent as a plain Temporal signal, as any program outside could. */
async function answerReviews(handle: TaskHandle, ended: Promise<unknown>, options: OrderMissionOptions): Promise<void> {
  const answered = new Set<string>();
  let over = false;
  ended.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (over) return;
    for (const review of await handle.reviews()) {
      if (review.status !== "open" || answered.has(review.id)) continue;
      options.report({ event: "review_open", review });
      const answer = await options.approve(review);
      answered.add(review.id);
      await handle.signalDecision({ review: review.id, ...answer });
      options.report({ event: "review_decided", choice: answer.choice, by: answer.by });
    }
  }
}

/** The progress list of each child run, queried while a worker still runs. */
async function progressOf(client: NavigatorClient, workflowId: string): Promise<OrderMissionResult["progress"]> {
  const lists: OrderMissionResult["progress"] = {};
  for (const id of childIds(await client.history(workflowId))) lists[id] = await client.agent(id).progress();
  return lists;
}

/** The example as it lies in examples/order. */
export async function orderExample(): Promise<{ definition: Definition; agents: { [name: string]: AgentDefinition } }> {
  const raw = readDataFile(path.join(ORDER_EXAMPLE, "order-fulfilment.json")) as Json;
  const parsed = parseDefinition(raw);
  if (!parsed.ok) throw new Error(`examples/order: ${parsed.fail.message}`);
  const project = await loadProject(ORDER_EXAMPLE);
  return { definition: parsed.value.definition, agents: project.agents };
}
