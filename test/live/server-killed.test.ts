import { Client, Connection } from "@temporalio/client";
import { ORDER_EXAMPLE, orderExample } from "../../examples/order/demo/mission";
import { startOrderService } from "../../examples/order/demo/order-service";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import { openOwnServer } from "../../prove/rig/own-server";
import { NavigatorClient } from "../../src/client/client";
import { newTask } from "../../src/core/graph/task/task";
import { temporaryFolder } from "../support/environment";
import { until } from "../support/until";

test("the server is killed while money moves; it restarts with its database, and the mission continues", async () => {
  const home = temporaryFolder("server-killed");
  const server = await openOwnServer(home.path);

  let killing: Promise<void> | undefined;
  const service = await startOrderService({
    afterEffect: (effect) => {
      if (effect !== "/charges" || killing) return;
      killing = server.kill();
      return killing;
    },
  });
  const worker = await startWorkerProcess({
    config: ORDER_EXAMPLE,
    taskQueue: "server-killed",
    env: { TEMPORAL_ADDRESS: server.address, ORDER_SERVICE_URL: service.url },
  });
  const connection = await Connection.connect({ address: server.address });
  try {
    const client = new NavigatorClient(new Client({ connection }), "server-killed");
    const { definition, agents } = await orderExample();
    const task = newTask(
      { id: "order-1", issueId: "1", workflowType: "order-fulfilment", context: { order_id: 42 } },
      definition,
      Date.now(),
    );
    const handle = await client.startTask({ task, definition, agents, model: "scripted" });
    const review = await until(
      async () => (await handle.reviews()).find((one) => one.status === "open"),
      "the approval opens",
    );
    expect(killing).toBeDefined();
    await handle.decide({ review: review.id, choice: "passed", by: "anna" });
    expect((await handle.result()).status).toBe("COMPLETED");
    expect(service.counts).toEqual({ charges: 1, refunds: 0, shipments: 1, receipts: 1 });
  } finally {
    await connection.close();
    await worker.stop();
    await service.close();
    await server.stop();
    home.remove();
  }
});
