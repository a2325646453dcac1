import path from "node:path";
import { ORDER_EXAMPLE } from "../../examples/order/demo/mission";
import { type OrderService, startOrderService } from "../../examples/order/demo/order-service";
import { parseScript } from "../../src/models";
import { readDataFile } from "../../src/node/data-file";
import { loadProject, type Project } from "../../src/project/load";
import {
  assertMissionLog,
  assertOnce,
  assertReturned,
  crashWorker,
  runInMemory,
  stub,
  type TestMission,
} from "../../src/testing";
import type { Tool } from "../../src/tools";

/** The agents of the order example, with their own tools and a payment service that counts. */
let service: OrderService;
let project: Project;
let mission: TestMission;

beforeEach(async () => {
  service = await startOrderService();
  process.env.ORDER_SERVICE_URL = service.url;
  project = await loadProject(ORDER_EXAMPLE, { env: {} });
  mission = {
    script: parseScript(readDataFile(path.join(ORDER_EXAMPLE, "script.json")), "script.json"),
    tools: project.tools.names().map((name) => project.tools.get(name) as Tool),
    context: { order_id: 42 },
  };
});
afterEach(() => service.close());

const run = (name: string, more: Partial<TestMission> = {}) =>
  project.agent(name).then((agent) => runInMemory(agent, { ...mission, ...more }));

test.each([
  ["nothing goes wrong", []],
  ["the worker dies before the money moves", [crashWorker({ before: { tool: "charge_card" } })]],
  ["the worker dies after the money moved", [crashWorker({ after: { tool: "charge_card" } })]],
  ["the model is busy", [{ model: 429 as const, times: 2 }]],
])("charge: %s", async (_, faults) => {
  const charged = await run("charge", { faults });
  assertReturned(charged, { outcome: "passed", tx: "tx_42_1" });
  assertMissionLog(charged, ["load_order_42", "charge_order_42", "receipt_order_42"]);
  assertOnce(charged, "charge_card", { order_id: 42, amount: 4990 });
  expect(service.counts).toEqual({ charges: 1, refunds: 0, shipments: 0, receipts: 1 });
});

test("charge, run again with its journal, charges nobody", async () => {
  const first = await run("charge");
  const again = await run("charge", { journal: first.journal });
  expect(again.effects).toEqual([]);
  assertReturned(again, { outcome: "passed", tx: "tx_42_1" });
});

test("ship and refund act once", async () => {
  assertOnce(await run("ship"), "ship_item");
  assertOnce(await run("refund"), "refund_card");
  assertOnce(await run("ship", { replace: { ship_item: stub.always({ parcel: "LX1" }) } }), "ship_item");
  expect(service.counts).toMatchObject({ refunds: 1, shipments: 1 });
});
