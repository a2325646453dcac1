import { randomUUID } from "node:crypto";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { resetToBegin, treeOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Missions that ended without success, and their retries: what is done is taken over (effects reference, section 11). */

const pay = defineTool({ name: "pay", signature: "(n :int) -> :string", run: ({ n }) => `paid ${n}` });
/** It answers from the second call on. */
function late(calls: number) {
  let left = calls;
  return defineTool({
    name: "late",
    effect: "write",
    signature: "() -> :string",
    run: () => {
      if (left-- > 0) throw new Error("closed");
      return "open";
    },
  });
}
const retried = async ({ client }: Rig, id: string): Promise<string> =>
  (await client.retry(id, { by: "olga", note: "once more" })).workflow_id;

async function twice(rig: Rig, tools: { spec: unknown }[], turns: number): Promise<string[]> {
  const raw = {
    name: "again",
    max_turns: turns,
    signature: "() -> {said :string}",
    tools: tools.map(({ spec }) => spec),
  };
  const run = await rig.client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
  await run.result();
  const id = await retried(rig, run.workflow.workflowId);
  await rig.client.agent(id.slice("agent/".length)).result();
  return [run.workflow.workflowId, id];
}

const workedOnce = (id: string) =>
  definitionOf({
    id,
    nodes: {
      start: { type: "start" },
      work: { type: "task", name: "Work", agent: "worker", maxRetries: 0 },
      done: { type: "end", result: "success" },
      lost: { type: "end", result: "failure" },
    },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "done", on: "passed" },
      { from: "work", to: "lost", on: "failed" },
    ],
  });

const lateForRun = late(1);
const lateForPlan = late(1);
const lateForTask = late(1);
const lateForLong = late(1);

const wire = defineTool({
  name: "wire",
  effect: "irreversible",
  approval: true,
  signature: "(n :int) -> :string",
  run: ({ n }) => `wired ${n}`,
});
const wires = {
  tools: [wire],
  script: Array<string>(4).fill(fenced("(return {:said (tool/wire {:n 1})})")),
};

/** Decides the first question within a mission. */
async function answers({ client }: Rig, within: string, choice: string, value?: string): Promise<void> {
  const { workflow_id, review } = await until(
    async () => (await client.openReviews({ within })).open[0],
    "a person is asked",
  );
  await client.reviewed(workflow_id).decide({ review: review.id, choice, by: "anna", ...(value ? { value } : {}) });
}

/** The approved call is made, the mission is reset, and a person reports that the call had happened. */
async function resetAfterCall(rig: Rig, id: string): Promise<string[]> {
  await answers(rig, id, "approve");
  await rig.client.temporal.workflow.getHandle(id).result();
  await resetToBegin(rig.client.temporal, id);
  await answers(rig, id, "it_happened", "wired 1");
  await rig.client.temporal.workflow.getHandle(id).result();
  return treeOf(rig.client.temporal, id);
}

export const RETRY_RECORDINGS: Recording[] = [
  {
    name: "reset-of-a-run",
    rig: wires,
    run: async (rig) => {
      const raw = { name: "wires", max_turns: 2, signature: "() -> {said :string}", tools: [wire.spec] };
      const { workflow } = await rig.client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
      const id = workflow.workflowId;
      await answers(rig, id, "approve");
      await workflow.result();
      await resetToBegin(rig.client.temporal, id);
      await answers(rig, id, "try_again");
      await answers(rig, id, "approve");
      await rig.client.temporal.workflow.getHandle(id).result();
      return [id];
    },
  },
  {
    name: "reset-of-a-plan",
    rig: { tools: [wire], script: [] },
    run: async (rig) => {
      const plan = { tasks: [{ id: "a", agent: "direct", input: "(tool/wire {:n 1})" }] };
      const options = { base_tools: [wire.spec] };
      const { workflow } = await rig.client.startPlan({ id: randomUUID(), plan, options });
      return resetAfterCall(rig, workflow.workflowId);
    },
  },
  {
    name: "reset-of-a-task",
    rig: wires,
    run: async (rig) => {
      const definition = workedOnce(`reset-${randomUUID()}`);
      const worker = agent({ name: "worker", max_turns: 2, tools: [wire.spec] });
      const task = newTask({ id: randomUUID(), issueId: "r", workflowType: definition.id }, definition, Date.now());
      const run = await rig.client.startTask({ task, definition, agents: { worker }, model: "scripted" });
      return resetAfterCall(rig, run.workflow.workflowId);
    },
  },
  {
    name: "retry-of-a-run",
    rig: {
      tools: [pay, lateForRun],
      script: ['(do (task "a" (tool/pay {:n 1})) (tool/pay {:n 2}))', "(return {:said (tool/late)})"].map(fenced),
    },
    run: (rig) => twice(rig, [pay, lateForRun], 2),
  },
  {
    name: "retry-of-a-plan",
    rig: { tools: [pay, lateForPlan], script: [] },
    run: async (rig) => {
      const plan = {
        tasks: [
          { id: "a", agent: "direct", input: "(tool/pay {:n 1})" },
          { id: "b", agent: "direct", input: "(do (tool/pay {:n 2}) (tool/late))", depends_on: ["a"] },
        ],
      };
      const options = { base_tools: [pay.spec, lateForPlan.spec] };
      const run = await rig.client.startPlan({ id: randomUUID(), plan, options });
      await run.result();
      const id = await retried(rig, run.workflow.workflowId);
      await rig.client.plan(id.slice("plan/".length)).result();
      return treeOf(rig.client.temporal, id);
    },
  },
  {
    name: "retry-of-a-task",
    rig: { tools: [pay, lateForTask], script: ["(do (tool/pay {:n 1}) (return {:said (tool/late)}))"].map(fenced) },
    run: async (rig) => {
      const definition = workedOnce(`retried-${randomUUID()}`);
      const worker = agent({ name: "worker", max_turns: 1, tools: [pay.spec, lateForTask.spec] });
      const task = newTask({ id: randomUUID(), issueId: "r", workflowType: definition.id }, definition, Date.now());
      const run = await rig.client.startTask({ task, definition, agents: { worker }, model: "scripted" });
      await run.result();
      const id = await retried(rig, run.workflow.workflowId);
      await rig.client.task(id.slice("task/".length)).result();
      return treeOf(rig.client.temporal, id);
    },
  },
];

/** On a server that asks for a new run every 40 events. */
export const LONG_RETRY_RECORDINGS: Recording[] = [
  {
    name: "retry-continued",
    // Each call has events of its own, so that the history becomes long.
    rig: {
      sequences: false,
      tools: [pay, lateForLong],
      script: [
        '(doseq [n (range 5)] (task (str "t" n) (tool/pay {:n n})))',
        "(doseq [n (range 5 15)] (tool/pay {:n n}))",
        "(doseq [n (range 15 25)] (tool/pay {:n n}))",
        "(return {:said (tool/late)})",
      ].map(fenced),
    },
    run: (rig) => twice(rig, [pay, lateForLong], 4),
  },
];
