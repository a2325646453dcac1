import { Client, Connection } from "@temporalio/client";
import { ORDER_EXAMPLE, orderExample } from "../../../examples/order/demo/mission";
import { startOrderService } from "../../../examples/order/demo/order-service";
import { NavigatorClient } from "../../../src/client/client";
import { newTask } from "../../../src/core/graph/task/task";
import { openPlace } from "../../support/cli";
import { temporaryFolder } from "../../support/environment";
import { openPostgres } from "../../support/servers/postgres";
import { createSchema, openCluster } from "../../support/servers/temporal-cluster";
import { until } from "../../support/until";

/** A cluster as in production: the Temporal server on PostgreSQL. It is killed, backed up, lost and restored while an order is shipped. */

const DATABASES = { store: "temporal", visibility: "temporal_visibility" };

test("an order outlives a killed server and a lost database; its card is charged once", async () => {
  const folder = temporaryFolder("cluster");
  const postgres = await openPostgres();
  const cluster = await openCluster(postgres, folder.path);
  let killed: Promise<void> | undefined;
  const service = await startOrderService({
    afterEffect: (effect) => {
      if (effect !== "/charges" || killed) return;
      // The answer about the charge finds no server.
      killed = cluster.kill();
      return killed;
    },
  });
  const place = await openPlace("cluster", {
    TEMPORAL_ADDRESS: cluster.address,
    ORDER_SERVICE_URL: service.url,
    NAVIGATOR_TASK_QUEUE: "cluster",
  });
  try {
    createSchema(postgres, DATABASES);
    await cluster.start(DATABASES);
    const connection = await Connection.connect({ address: cluster.address });
    await connection.workflowService.registerNamespace({
      namespace: "default",
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    const before = await until(async () => {
      const report = await place.json(["doctor"], { code: 0 });
      return report.checks.some(({ name }: { name: string }) => name === "Namespace") && report;
    }, "the namespace is known everywhere");
    expect(before.checks).toContainEqual(
      expect.objectContaining({ name: "Search attributes", state: "note", found: expect.stringMatching("missing") }),
    );

    const worker = await place.startWorker(["--config", ORDER_EXAMPLE, "--health-port", "0"]);
    const readiness = async () => (await fetch(`${worker.health}/readyz`)).json() as Promise<{ reasons: string[] }>;
    const ready = () => until(async () => (await readiness()).reasons.length === 0, "the worker is ready");
    await ready();
    const after = await place.json(["doctor"]);
    expect(after.checks).toContainEqual(expect.objectContaining({ name: "Search attributes", state: "ok" }));

    const client = new NavigatorClient(new Client({ connection }), "cluster");
    const { definition, agents } = await orderExample();
    const task = newTask(
      { id: "order-1", issueId: "1", workflowType: "order-fulfilment", context: { order_id: 42 } },
      definition,
      Date.now(),
    );
    const handle = await client.startTask({ task, definition, agents, model: "scripted" });
    await until(async () => killed !== undefined, "the card is charged");
    await killed;
    await until(async () => (await readiness()).reasons.includes("server_unreachable"), "the worker tells of it");
    await cluster.start(DATABASES);
    await ready();
    const review = await until(
      async () => (await handle.reviews()).find((one) => one.status === "open"),
      "the approval opens",
    );

    // Backup, loss of everything, restore. The databases keep their names: Temporal has them in its tables. The worker is never stopped.
    await cluster.stop();
    for (const database of Object.values(DATABASES)) {
      const dump = postgres.run("pg_dump", ["--no-owner", database]);
      postgres.run("dropdb", [database]);
      postgres.run("createdb", [database]);
      postgres.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", database], dump);
    }
    await cluster.start(DATABASES);
    await ready();
    await until(async () => {
      const { open } = await client.openReviews();
      return open.length === 1;
    }, "the inbox has the review again");
    await handle.decide({ review: review.id, choice: "passed", by: "anna" });
    expect((await handle.result()).status).toBe("COMPLETED");
    expect(service.counts).toEqual({ charges: 1, refunds: 0, shipments: 1, receipts: 1 });
    expect(await worker.stop()).toBe(0);
    await connection.close();
  } finally {
    await service.close();
    await cluster.stop();
    await postgres.remove();
    place.close();
    folder.remove();
  }
});
