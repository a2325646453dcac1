import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** A task on a graph that is paused while the agent of its step makes a charge. */
const keys: string[] = [];
let release = () => {};
const held = new Promise<void>((resolve) => {
  release = resolve;
});
const charge = defineTool({
  name: "charge",
  effect: "write",
  signature: "(n :int) -> :int",
  run: async ({ n }, { idempotencyKey }) => {
    keys.push(idempotencyKey);
    await held;
    return n as number;
  },
});
const PAYING = {
  id: "paying",
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Pay", agent: "payer" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
  ],
} as never;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ tools: [charge], script: { payer: [fenced("(return (tool/charge {:n 1}))")] } });
});
afterAll(() => rig.stop());

test("a step whose agent charged while its task was paused runs again after the pause, and charges no second time", async () => {
  const task = await rig.client.startTask({
    task: newTask({ id: "held-charge", issueId: "I-1", workflowType: "paying" }, PAYING, Date.now()),
    definition: PAYING,
    agents: { payer: agent({ name: "payer", tools: [charge.spec] }) },
    model: "scripted",
  });
  await until(async () => keys.length === 1, "the charge is under way");
  await task.pause({ by: "anna" });
  release();
  const first = rig.client.temporal.workflow.getHandle(`${task.workflow.workflowId}/work/1`);
  await until(async () => (await first.describe()).status.name === "COMPLETED", "its agent has ended");
  expect(await task.show()).toMatchObject({ status: "PAUSED", currentStep: "work" });
  await task.resume();
  expect(await task.result()).toMatchObject({ status: "COMPLETED" });
  const second = rig.client.temporal.workflow.getHandle(`${task.workflow.workflowId}/work/2`);
  expect((await second.describe()).status.name).toBe("COMPLETED");
  expect(keys).toHaveLength(1);
});
