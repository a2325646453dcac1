import { randomUUID } from "node:crypto";
import { Context } from "@temporalio/activity";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { NavigatorClient, type StartAgent } from "../../../src/client/client";
import { createModels, type Script } from "../../../src/models";
import { ensureSearchAttributes } from "../../../src/server/search-attributes";
import { defineTool, ToolRegistry } from "../../../src/tools";
import { createWorker } from "../../../src/worker/create-worker";
import { testAddress } from "../../support/environment";
import { agent, quietRuntime } from "../../support/rig";
import { until } from "../../support/until";

/** Who gets the workers of a task queue: the order in which one worker with one slot does what waits. */

const FLOOD = 300;

/** Of work that gets its turn: there are four partitions of a queue, each with a turn of its own, and calls that were given out. */
const FIRST = 30;

let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  quietRuntime();
  connection = await Connection.connect({ address: testAddress() });
  native = await NativeConnection.connect({ address: testAddress() });
  await ensureSearchAttributes(connection, "default");
});

afterAll(async () => {
  await native.close();
  await connection.close();
});

const clerk = agent({ name: "clerk", tools: ["note"] });

const clientOf = (project: string | null, taskQueue: string) =>
  new NavigatorClient(new Client({ connection }), { project, taskQueue });

/** A mission that asks no model: it notes who it is for. */
const noting = (who: string): StartAgent => ({
  agent: clerk,
  program: "(return (tool/note {:who data/who}))",
  context: { who },
  model: "scripted",
});

/** A worker with one slot for everything; `order` gets who was noted, and `turns` with which priority. */
async function oneSlot(taskQueue: string, order: string[], turns: object[] = [], script: Script = []) {
  return createWorker({
    connection: native,
    namespace: "default",
    taskQueue,
    tools: new ToolRegistry([
      defineTool({
        name: "note",
        signature: "(who :string) -> :string",
        run: ({ who }) => {
          order.push(String(who));
          turns.push({ ...Context.current().info.priority });
          return "noted";
        },
      }),
    ]),
    models: createModels({ env: {}, script }),
    overrides: {
      maxCachedWorkflows: 0,
      maxConcurrentWorkflowTaskExecutions: 1,
      maxConcurrentWorkflowTaskPolls: 1,
      maxConcurrentActivityTaskExecutions: 1,
      maxConcurrentActivityTaskPolls: 1,
    },
  });
}

const WORKFLOW_TASKS = 1;

async function waitingIn(name: string): Promise<number> {
  const { stats } = await connection.workflowService.describeTaskQueue({
    namespace: "default",
    taskQueue: { name },
    taskQueueType: WORKFLOW_TASKS,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

test("a tenant's one mission, and one of priority, are not behind the hundreds that another tenant has started before", async () => {
  const taskQueue = `fair-${randomUUID()}`;
  const [big, small] = [clientOf("big", taskQueue), clientOf("small", taskQueue)];
  const flood = Array.from({ length: FLOOD }, (_, n) => `${taskQueue}-${n}`);
  for (const id of flood) await big.startAgent({ id, ...noting("big") });
  await big.startAgent({ id: `${taskQueue}-urgent`, priority: 100, ...noting("urgent") });
  await small.startAgent({ id: taskQueue, ...noting("small") });
  await until(async () => (await waitingIn(taskQueue)) === FLOOD + 2, "all missions wait in the queue");
  const order: string[] = [];
  const worker = await oneSlot(taskQueue, order);
  await worker.runUntil(
    until(() => Promise.resolve(order.includes("small") && order.includes("urgent")), "both are done"),
  );
  expect(order.indexOf("small")).toBeLessThan(FIRST);
  expect(order.indexOf("urgent")).toBeLessThan(FIRST);
  await Promise.all(
    flood.map((id) =>
      big
        .agent(id)
        .workflow.terminate()
        .catch(() => {}),
    ),
  );
});
