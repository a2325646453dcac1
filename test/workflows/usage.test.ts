import { randomUUID } from "node:crypto";
import type { MissionUsage } from "../../src/core/agent/budget/mission-usage";
import { newTask } from "../../src/core/graph/task/task";
import { defineTool } from "../../src/tools";
import { usageQuery } from "../../src/workflows/messages";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { BRANCHES } from "./recordings/ledgers";
import { definitionOf } from "./task/order-graph";

/** What missions tell of their costs in their memo. */

const TOKENS = { input: 100, output: 20, cache_read: 40, total_cost: 0.002 };
const paid = (program: string) => ({ content: fenced(program), tokens: TOKENS, model: "big-1" });
const ANSWER = { turns: 1, input_tokens: 100, output_tokens: 20, cached_tokens: 40, cost: 0.002 };
const times = (n: number): Partial<MissionUsage> => ({
  turns: n,
  input_tokens: 100 * n,
  output_tokens: 20 * n,
  cached_tokens: 40 * n,
  cost: Math.round(0.002 * n * 1e9) / 1e9,
});

const note = defineTool({
  name: "note",
  signature: "(text :string) -> :string",
  effect: "write",
  run: ({ text }) => `noted ${String(text)}`,
});
const noting = agent({ name: "noting", description: "Notes.", prompt: "Note it.", tools: [note.spec], max_turns: 2 });
const NOTE = paid('(return (task "noted" (tool/note {:text "a"})))');

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({
    tools: [note],
    script: {
      lead: [paid("(tool/noting {})\n(println 1)"), paid("(return 1)")],
      noting: [NOTE, NOTE, NOTE, NOTE],
      waiter: [paid("(return {:status :waiting})"), paid("(return 2)")],
      broken: [paid('(fail {:reason :no_stock :message "none"})')],
    },
  });
});
afterAll(() => rig.stop());

const usageOf = async (workflowId: string) => {
  const { memo } = await rig.client.temporal.workflow.getHandle(workflowId).describe();
  return memo?.usage as MissionUsage | undefined;
};
const start = (raw: Record<string, unknown>) =>
  rig.client.startAgent({ id: randomUUID(), agent: agent({ max_turns: 3, ...raw }), model: "scripted" });

test("a mission tells what it and the agents below it used, by model, and its effects", async () => {
  const run = await start({ name: "lead", tools: [{ name: "noting", agent: noting }] });
  await run.result();
  expect(await usageOf(run.workflow.workflowId)).toEqual({
    ...times(3),
    models: { "big-1": times(3) },
    effects: { done: 1 },
  });
  const [child] = (await rig.client.history(run.workflow.workflowId).then(childrenIn)) as [string];
  expect(await usageOf(child)).toBeUndefined();
});

test("a mission that waits tells what it used so far, and one that is cancelled what it used at all", async () => {
  const run = await start({ name: "waiter" });
  const told = async () => (await usageOf(run.workflow.workflowId))?.turns;
  while ((await told()) !== 1) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await run.workflow.query(usageQuery)).toEqual({
    used: { ...times(1), models: { "big-1": ANSWER } },
    budget: null,
  });
  await run.workflow.cancel();
  await run.workflow.result().catch(() => {});
  expect(await usageOf(run.workflow.workflowId)).toMatchObject(times(1));
});

test("a mission that fails tells what it used", async () => {
  const run = await start({ name: "broken" });
  await run.result();
  expect(await usageOf(run.workflow.workflowId)).toMatchObject(times(1));
});

test("a task tells what the agents of its steps and branches used; one without agents tells nothing", async () => {
  const definition = definitionOf(BRANCHES);
  const given = { id: randomUUID(), issueId: "I-1", workflowType: "branches" };
  const task = await rig.client.startTask({
    task: newTask(given, definition, Date.now()),
    definition,
    agents: { noting },
    model: "scripted",
  });
  await task.result();
  expect(await usageOf(task.workflow.workflowId)).toMatchObject({ ...times(2), effects: { done: 2 } });
  const plain = definitionOf({
    id: "plain",
    nodes: { start: { type: "start" }, done: { type: "end", result: "success" } },
    edges: [{ from: "start", to: "done" }],
  });
  const other = await rig.client.startTask({
    task: newTask({ id: randomUUID(), issueId: "I-2", workflowType: "plain" }, plain, Date.now()),
    definition: plain,
    model: "scripted",
  });
  await other.result();
  expect(await usageOf(other.workflow.workflowId)).toBeUndefined();
});

test("a plan tells what the agents of its tasks used", async () => {
  const plan = await rig.client.startPlan({
    plan: {
      agents: { noting: { prompt: "Note it.", tools: ["note"] } },
      tasks: [{ id: "a", agent: "noting", input: "x" }],
    },
    options: { llm: "scripted", base_tools: [note.spec] },
  });
  await plan.result();
  expect(await usageOf(plan.workflow.workflowId)).toMatchObject(times(1));
});

function childrenIn(history: unknown): string[] {
  const { events } = history as {
    events: { childWorkflowExecutionStartedEventAttributes?: { workflowExecution: { workflowId: string } } }[];
  };
  return events.flatMap(({ childWorkflowExecutionStartedEventAttributes: started }) =>
    started === undefined ? [] : [started.workflowExecution.workflowId],
  );
}
