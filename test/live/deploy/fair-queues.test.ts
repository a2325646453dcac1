import { randomUUID } from "node:crypto";
import { Context } from "@temporalio/activity";
import { Client, Connection, type WorkflowHandle } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { defineGraph } from "../../../src";
import { NavigatorClient, type StartAgent } from "../../../src/client/client";
import { newTask } from "../../../src/core/graph/task/task";
import { createModels, type Script } from "../../../src/models";
import { ensureSearchAttributes } from "../../../src/server/search-attributes";
import { defineTool, ToolRegistry } from "../../../src/tools";
import { createWorker } from "../../../src/worker/create-worker";
import { testAddress } from "../../support/environment";
import { agent, fenced, quietRuntime } from "../../support/rig";

/** Who gets the workers of a task queue: the order in which one worker with one slot does what waits. */

const _FLOOD = 300;

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

/** What the server keeps of a workflow's share. */
async function shareOf(handle: Pick<WorkflowHandle, "describe">) {
  const { priority } = (await handle.describe()).raw.workflowExecutionInfo ?? {};
  return share(priority?.priorityKey ?? 0, priority?.fairnessKey ?? "", priority?.fairnessWeight ?? 0);
}

const share = (priorityKey = 0, fairnessKey = "", fairnessWeight = 0) => ({ priorityKey, fairnessKey, fairnessWeight });

describe("what a mission, a task and a plan is started with", () => {
  const taskQueue = `share-${randomUUID()}`;
  const shop = () => clientOf("shop", taskQueue);
  const nobody = () => clientOf(null, taskQueue);
  const definition = defineGraph({
    id: "g",
    name: "G",
    nodes: {
      start: { type: "start" },
      work: { type: "task", name: "Work", agent: "clerk" },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "done", on: "passed" },
    ],
  });
  const taskOf = (id: string, priority: number) => {
    const task = newTask({ id, issueId: "I-1", workflowType: "g", context: {}, priority }, definition, Date.now());
    return { task, definition, model: "scripted" };
  };
  const plan = { plan: { tasks: [{ id: "only", agent: "direct", input: "(+ 1 1)" }] } };

  test("is the project's, unless something else is said; a second start says nothing new and joins", async () => {
    const id = randomUUID();
    expect(await shareOf((await shop().startAgent({ id, ...noting("x") })).workflow)).toEqual(share(0, "shop"));
    const again = await shop().startAgent({ id, priority: 5, fairness: { key: "acme" }, ...noting("x") });
    expect(await shareOf(again.workflow)).toEqual(share(0, "shop"));
    expect(await shareOf((await shop().startTask(taskOf(randomUUID(), -5))).workflow)).toEqual(share(4, "shop"));
    expect(await shareOf((await shop().startPlan(plan)).workflow)).toEqual(share(0, "shop"));
    const fairness = { key: "acme", weight: 2 };
    const told = [
      await shop().startAgent({ priority: 200, fairness, ...noting("x") }),
      await shop().startTask({ ...taskOf(randomUUID(), 100), fairness }),
      await shop().startPlan({ ...plan, priority: 100, fairness }),
    ];
    for (const { workflow } of told) expect(await shareOf(workflow as never)).toEqual(share(1, "acme", 2));
  });

  test("is a task's issue without a project, and nothing for all else", async () => {
    expect(await shareOf((await nobody().startAgent(noting("x"))).workflow)).toEqual(share());
    expect(await shareOf((await nobody().startTask(taskOf(randomUUID(), 0))).workflow)).toEqual(share(0, "I-1"));
    expect(await shareOf((await nobody().startPlan(plan)).workflow)).toEqual(share());
  });

  test.each([
    [{ priority: Number.NaN }, "priority must be a number"],
    [{ fairness: {} }, "fairness.key must be a text"],
    [{ fairness: { key: " " } }, "fairness.key must be a text"],
    [{ fairness: { key: "ä".repeat(33) } }, "fairness.key has 66 bytes; at most 64"],
    [{ fairness: { key: "a", weight: 0 } }, "fairness.weight must be a number from 0.001 to 1000"],
  ])("%j is refused before anything is sent", async (wrong, message) => {
    const id = randomUUID();
    const starts = [
      () => shop().startAgent({ id, ...noting("x"), ...(wrong as object) }),
      () => shop().startPlan({ id, ...plan, ...(wrong as object) }),
    ];
    for (const start of starts)
      await expect(start()).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(message),
      });
    expect(await shop().has(`agent/${id}`)).toBe(false);
  });
});

test("the agents below and their calls inherit the share", async () => {
  const taskQueue = `inherit-${randomUUID()}`;
  const shop = clientOf("shop", taskQueue);
  const below = { name: "clerk", prompt: "Note.", signature: "(who :string) -> :string", tools: ["note"] };
  const run = await shop.startAgent({
    agent: agent({ name: "boss", tools: [{ name: "clerk", description: "Notes.", agent: below }] }),
    model: "scripted",
    priority: 100,
    fairness: { key: "acme", weight: 3 },
  });
  const turns: object[] = [];
  const worker = await oneSlot(taskQueue, [], turns, {
    boss: [fenced('(return (tool/clerk {:who "x"}))')],
    clerk: [fenced("(return (tool/note {:who data/who}))")],
  } as never);
  const step = await worker.runUntil(run.result());
  expect(step.fail).toBeNull();
  expect(turns).toEqual([{ priorityKey: 1, fairnessKey: "acme", fairnessWeight: 3 }]);
});
