import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../../src/client/handles";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf, reviewAt } from "../task/order-graph";

/** Workflows that publish what waits in them: in the memo, and in search attributes (approvals reference, section 7). */

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :string",
  approval: { assignees: ["anna", "ben"], quorum: 2 },
  run: ({ cents }) => `paid ${cents}`,
});
const WAIT = fenced('(return {:status :waiting :for "the tax office"})');

const started = ({ client }: Rig, raw: object) =>
  client.startAgent({ id: randomUUID(), agent: agent({ max_turns: 4, ...raw }), model: "scripted" });

const opened = (asked: Pick<AgentHandle, "reviews">) =>
  until(async () => (await asked.reviews()).find(({ status }) => status === "open"), "somebody is asked");

/** What lists see of a workflow. */
const itemsOf = async ({ client }: Rig, mission: string, count: number) =>
  until(async () => {
    const { items } = await client.inbox({ mission });
    return items.length === count && items;
  }, `${count} things of ${mission} wait`);

const GATE = definitionOf({
  id: "gate",
  nodes: {
    start: { type: "start" },
    check: { type: "gate", name: "Is it right?", review: { assignees: ["anna", "ben"], quorum: 2 } },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "check" },
    { from: "check", to: "done", on: "passed" },
  ],
});

const beginTask = ({ client }: Rig) => {
  const task = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "gate" }, GATE, Date.now());
  return client.startTask({ task, definition: GATE, model: "scripted" });
};

const PLAN = { tasks: [{ id: "ask", type: "review", input: "Well?" }] };

const look = defineTool({ name: "look", signature: "(n :int) -> :int", effect: "read", run: () => 1 });

const blocked = (name: string, tools: unknown[]): Recording => ({
  name,
  rig: { script: [fenced("(return (tool/look {:n 5}))")], blockedTimeoutMs: 60_000 },
  run: async (rig) => {
    const run = await started(rig, { tools });
    const { workflowId } = run.workflow;
    expect(await itemsOf(rig, workflowId, 1)).toMatchObject([{ kind: "blocked", blocked: { name: "look" } }]);
    rig.tools.add(look);
    expect(await run.result()).toMatchObject({ return: 1 });
    return [workflowId];
  },
});

export const INBOX_RECORDINGS: Recording[] = [
  {
    // Two people must agree, then the run parks and is woken.
    name: "inbox-agent",
    rig: {
      tools: [pay],
      script: [fenced('(task "p" (tool/pay {:cents 5}))'), WAIT, fenced('(return (task "p" nil))')],
    },
    run: async (rig) => {
      const run = await started(rig, { tools: [pay.spec] });
      const { workflowId } = run.workflow;
      const { id: review } = await opened(run);
      await run.decide({ review, choice: "approve", by: "anna" });
      await run.decide({ review, choice: "approve", by: "ben" });
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      expect(await itemsOf(rig, workflowId, 1)).toMatchObject([{ kind: "parked" }]);
      await run.recordDecision({ id: "go", value: true, by: "anna" });
      expect(await run.result()).toMatchObject({ return: "paid 5" });
      return [workflowId];
    },
  },
  // A tool is nowhere: during a call, and before the run begins, which has only its name.
  blocked("inbox-agent-blocked", [look.spec]),
  blocked("inbox-agent-blocked-by-name", ["look"]),
  {
    name: "inbox-plan",
    run: async (rig) => {
      const plan = await rig.client.startPlan({ id: randomUUID(), plan: PLAN, options: {} });
      const { id: review } = await opened(plan);
      expect(await itemsOf(rig, `plan/${plan.id}`, 1)).toMatchObject([{ kind: "plan_review" }]);
      await plan.decide({ review, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok" });
      return [`plan/${plan.id}`];
    },
  },
  {
    name: "inbox-task",
    run: async (rig) => {
      const task = await beginTask(rig);
      const { id: review } = await reviewAt(task, "check");
      await task.decide({ review, choice: "passed", by: "anna" });
      expect(await itemsOf(rig, task.workflow.workflowId, 1)).toMatchObject([{ kind: "gate" }]);
      await task.decide({ review, choice: "passed", by: "ben" });
      await task.result();
      return [task.workflow.workflowId];
    },
  },
];

/** On a server that wants a new run every 40 events: the next run begins with the memo and the attributes. */
export const LONG_INBOX_RECORDINGS: Recording[] = [
  {
    name: "inbox-agent-continued",
    rig: { tools: [pay], script: [WAIT, fenced("(return (tool/pay {:cents 5}))")] },
    run: async (rig) => {
      const run = await started(rig, { tools: [pay.spec] });
      const { workflowId } = run.workflow;
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      const first = (await run.workflow.describe()).runId;
      for (let sent = 0; sent < 30; sent++) await run.workflow.signal("recordDecision", { id: "", by: "" });
      await until(async () => (await run.workflow.describe()).runId !== first, "the run goes on in another one");
      expect(await itemsOf(rig, workflowId, 1)).toMatchObject([{ kind: "parked", since: expect.any(Number) }]);
      await run.recordDecision({ id: "go", value: true, by: "anna" });
      const { id: review } = await opened(run);
      expect(await itemsOf(rig, workflowId, 1)).toMatchObject([{ kind: "approval" }]);
      for (const by of ["anna", "ben"]) await run.decide({ review, choice: "approve", by });
      expect(await run.result()).toMatchObject({ return: "paid 5" });
      return [workflowId];
    },
  },
  {
    name: "inbox-task-continued",
    run: async (rig) => {
      const task = await beginTask(rig);
      const { id: review } = await reviewAt(task, "check");
      const first = (await task.workflow.describe()).runId;
      for (let sent = 0; sent < 50; sent++)
        await task.signalDecision({ review: "nobody/asked/1", choice: "passed", by: "x" });
      await until(async () => (await task.workflow.describe()).runId !== first, "the task goes on in another run");
      expect(await itemsOf(rig, task.workflow.workflowId, 1)).toMatchObject([
        { kind: "gate", assignees: ["anna", "ben"] },
      ]);
      for (const by of ["anna", "ben"]) await task.decide({ review, choice: "passed", by });
      await task.result();
      return [task.workflow.workflowId];
    },
  },
  {
    name: "inbox-plan-continued",
    run: async (rig) => {
      const plan = await rig.client.startPlan({ id: randomUUID(), plan: PLAN, options: {} });
      const { id: review } = await opened(plan);
      const handle = rig.client.temporal.workflow.getHandle(`plan/${plan.id}`);
      const first = (await handle.describe()).runId;
      for (let sent = 0; sent < 50; sent++)
        await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "x" });
      await until(async () => (await handle.describe()).runId !== first, "the plan goes on in another run");
      expect(await itemsOf(rig, `plan/${plan.id}`, 1)).toMatchObject([{ kind: "plan_review" }]);
      await plan.decide({ review, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok" });
      return [`plan/${plan.id}`];
    },
  },
];
