import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { ORDER_EXAMPLE, orderExample } from "../../examples/order/demo/mission";
import { type OrderService, startOrderService } from "../../examples/order/demo/order-service";
import { startWorkerProcess, type WorkerProcess } from "../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../src/client/client";
import { missionTree } from "../../src/client/mission-tree";
import { newTask, type Task } from "../../src/core/graph/task/task";
import { until } from "../support/until";

/**
 * The order mission with its worker killed at chosen points, on a real server, with real worker processes. What must
 * hold at the end is always the same: the task is completed, and every effect happened exactly once.
 */
let connection: Connection;

beforeAll(async () => {
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string });
});
afterAll(async () => {
  await connection.close();
});

/** Where the worker dies: at the nth request to the service before or after its effect, or a time after the start. */
type CrashPoint =
  | { when: "after"; path: string }
  | { when: "before"; path: string }
  | { when: "ms"; ms: number }
  | { when: "review" };

const POINTS: CrashPoint[] = [
  { when: "after", path: "/charges" },
  { when: "before", path: "/charges" },
  { when: "after", path: "/receipts" },
  { when: "before", path: "/receipts" },
  { when: "after", path: "/shipments" },
  { when: "before", path: "/shipments" },
  { when: "before", path: "/orders/get" },
  { when: "review" },
  { when: "ms", ms: 0 },
  { when: "ms", ms: 60 },
  { when: "ms", ms: 140 },
  { when: "ms", ms: 250 },
];

// Most of what a mission takes is waiting until the server notices that its worker is gone: they wait together.
test.concurrent.each(POINTS)(
  "killed at %j, the mission ends the same, and every effect happened once",
  async (point) => {
    const run = await missionWithCrash([point]);
    expect(run.task.status).toBe("COMPLETED");
    expect(run.task.currentStep).toBe("done");
    expect(run.counts).toEqual({ charges: 1, refunds: 0, shipments: 1, receipts: 1 });
    expect(run.kills).toBe(1);
    expect(run.journal).toEqual({
      load_order_42: { total: 4990, card: "visa-4242", customer: "anna" },
      charge_order_42: { tx: "tx_42_1" },
      receipt_order_42: { mail: "anna@example.com" },
      ship_order_42: { parcel: "LX421" },
    });
  },
);

test.concurrent("killed at every effect in turn, the mission still does each effect once", async () => {
  const run = await missionWithCrash([
    { when: "before", path: "/orders/get" },
    { when: "after", path: "/charges" },
    { when: "before", path: "/receipts" },
    { when: "after", path: "/shipments" },
  ]);
  expect(run.task.status).toBe("COMPLETED");
  expect(run.kills).toBe(4);
  expect(run.counts).toEqual({ charges: 1, refunds: 0, shipments: 1, receipts: 1 });
});

interface Outcome {
  task: Task;
  counts: OrderService["counts"];
  journal: Record<string, unknown>;
  kills: number;
}

async function missionWithCrash(points: CrashPoint[]): Promise<Outcome> {
  const left = [...points];
  let worker: WorkerProcess | undefined;
  let kills = 0;
  let replacing: Promise<void> = Promise.resolve();
  const taskQueue = `live-${randomUUID()}`;

  const launch = async (url: string) => {
    worker = await startWorkerProcess({ config: ORDER_EXAMPLE, taskQueue, env: { ORDER_SERVICE_URL: url } });
  };
  const replace = () => {
    replacing = replacing.then(async () => {
      await worker?.kill();
      kills += 1;
      await launch(service.url);
    });
    return replacing;
  };
  const hit = (when: "before" | "after", path: string): boolean => {
    const index = left.findIndex((point) => point.when === when && "path" in point && point.path === path);
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  };
  const service = await startOrderService({
    beforeEffect: (path) => (hit("before", path) ? replace() : undefined),
    afterEffect: (path) => (hit("after", path) ? replace() : undefined),
  });

  try {
    await launch(service.url);
    const { definition, agents } = await orderExample();
    const client = new NavigatorClient(new Client({ connection }), taskQueue);
    const id = `order-${randomUUID()}`;
    const task = newTask(
      { id, issueId: "42", workflowType: "order-fulfilment", context: { order_id: 42 } },
      definition,
      Date.now(),
    );
    const handle = await client.startTask({ task, definition, agents, model: "scripted" });
    for (const point of left) if (point.when === "ms") setTimeout(replace, point.ms);

    const review = await until(
      async () => (await handle.reviews()).find((one) => one.status === "open"),
      "the approval opens",
    );
    if (left.some((point) => point.when === "review")) await replace();
    await handle.decide({ review: review.id, choice: "passed", by: "anna" });
    const ended = await handle.result();
    const tree = await missionTree(client, handle.workflow.workflowId);
    const rows = tree.children.flatMap(({ projection }) => projection.rows);
    return {
      task: ended,
      counts: { ...service.counts },
      journal: Object.fromEntries(rows.map((row) => [row.id, row.value])),
      kills,
    };
  } finally {
    await replacing;
    await worker?.stop();
    await service.close();
  }
}
