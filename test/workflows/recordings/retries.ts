import { randomUUID } from "node:crypto";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { treeOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
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

const lateForRun = late(1);
const lateForPlan = late(1);
const lateForTask = late(1);
const lateForLong = late(1);

export const RETRY_RECORDINGS: Recording[] = [
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
      const definition = definitionOf({
        id: `retried-${randomUUID()}`,
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
