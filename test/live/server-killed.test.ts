import { readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client";
import { loadConfig } from "../../src/config";
import { newTask } from "../../src/core/graph/task";
import { ORDER_EXAMPLE, orderExample } from "../../src/demo/mission";
import { startOrderService } from "../../src/demo/order-service";
import { startWorkerProcess } from "../../src/demo/worker-process";
import { startServer, stopServer } from "../../src/server";
import { freePortPair, temporaryFolder } from "../support/environment";
import { until } from "../support/until";

test("the server is killed while money moves; with its database kept it comes back, and the mission goes on", async () => {
  const home = temporaryFolder("server-killed");
  const port = await freePortPair();
  const config = loadConfig({ HOME: process.env.HOME, NAVIGATOR_HOME: home.path, NAVIGATOR_PORT: String(port) });
  const open = () => startServer({ config, progress: () => {} });
  const server = await open();

  let killing: Promise<void> | undefined;
  const killServer = async () => {
    const { pid } = JSON.parse(readFileSync(path.join(home.path, "server.json"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    await until(async () => !isAlive(pid), "the server is gone");
    await open();
  };
  const service = await startOrderService({
    afterEffect: (effect) => {
      if (effect !== "/charges" || killing) return;
      killing = killServer();
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
    await stopServer({ home: home.path });
    home.remove();
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
