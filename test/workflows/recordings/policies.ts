import { randomUUID } from "node:crypto";
import { TaskService } from "../../../src/client/tasks/task-service";
import { newTask } from "../../../src/core/graph/task/task";
import { COMMENT, HAND_OVER } from "../../../src/core/review/decision-input";
import type { Review } from "../../../src/core/review/review";
import { defineTool } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Reviews whose terms do something as time passes, and that people comment and hand over. */

/** Every moment is one of work, but the clocks of a zone are asked. */
const ALWAYS = {
  days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  from: "00:00",
  to: "24:00",
  zone: "Asia/Kolkata",
};

const LADDER = { assignees: ["anna"], escalate: [{ after_ms: 400, to: ["ben"] }], hours: ALWAYS, remind_ms: 700 };

interface Asked {
  reviews(): Promise<Review[]>;
  decide(decision: {
    review: string;
    choice: string;
    by: string;
    value?: { [name: string]: string };
  }): Promise<unknown>;
}

const escalated = (asked: Asked) =>
  until(
    async () => (await asked.reviews()).find((review) => review.assignees?.includes("ben")),
    "ben is asked as well",
  );

/** Ben is asked after a while, comments, and gives it to cleo, who decides. */
async function through(asked: Asked, choice: string): Promise<void> {
  const { id: review } = await escalated(asked);
  await asked.decide({ review, choice: COMMENT, by: "ben", value: { text: "Which one?" } });
  await asked.decide({ review, choice: HAND_OVER, by: "ben", value: { to: "cleo" } });
  await asked.decide({ review, choice, by: "cleo" });
}

/** Eve, who asked for the work, may not decide. Anna may. */
async function otherThanEve(asked: Asked, choice: string): Promise<void> {
  const { id: review } = await until(async () => {
    try {
      return (await asked.reviews()).find(({ status }) => status === "open");
    } catch {
      return undefined;
    }
  }, "a review opens");
  await expect(asked.decide({ review, choice, by: "eve" })).rejects.toMatchObject({ code: "self_approval" });
  await asked.decide({ review, choice, by: "anna" });
}

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :map",
  effect: "write",
  approval: true,
  run: (args) => args,
});

export const POLICY_RECORDINGS: Recording[] = [
  {
    name: "policy-agent-ladder",
    rig: { tools: [pay], script: [fenced("(return (tool/pay {:cents 5}))")] },
    run: async ({ client }) => {
      const asking = agent({ max_turns: 1, tools: [pay.spec], people: LADDER });
      const run = await client.startAgent({ id: randomUUID(), agent: asking, model: "scripted" });
      await through(run, "approve");
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // Two must agree, the second is asked later, and the time of the default is over before.
    name: "policy-agent-default-of-people",
    rig: { tools: [pay], script: [fenced("(return (tool/pay {:cents 5}))")] },
    run: async ({ client }) => {
      const people = { ...LADDER, quorum: 2, timeout_ms: 1_500, on_timeout: "approve" };
      const asking = agent({ max_turns: 1, tools: [pay.spec], people });
      const run = await client.startAgent({ id: randomUUID(), agent: asking, model: "scripted" });
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "policy-task-ladder",
    run: async ({ client }) => {
      const service = new TaskService(client);
      const id = randomUUID();
      await service.loadWorkflow("policies", {
        people: LADDER,
        nodes: {
          start: { type: "start" },
          check: { type: "gate", name: "Check" },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "check" },
          { from: "check", to: "done", on: "passed" },
        ],
      });
      await service.loadTasks([{ id, issueId: "I-1", workflowType: "policies", currentStep: "check" }], "merge");
      const task = client.task(id);
      await through(task, "passed");
      await service.confirmSyncsOfTask(id);
      return [task.workflow.workflowId];
    },
  },
  {
    name: "policy-plan-ladder",
    run: async ({ client }) => {
      const plan = { people: LADDER, tasks: [{ id: "ask", type: "review", input: "Well?" }] };
      const run = await client.startPlan({ plan });
      await through(run, "approve");
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "policy-plan-people-of-options",
    run: async ({ client }) => {
      const plan = { tasks: [{ id: "ask", type: "review", input: "Well?" }] };
      const run = await client.startPlan({ plan, options: { people: LADDER as never } });
      await through(run, "approve");
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "policy-task-requested-by",
    rig: { tools: [pay], script: [fenced("(return (tool/pay {:cents 5}))")] },
    run: async ({ client }) => {
      const definition = definitionOf({
        id: "requested",
        nodes: {
          start: { type: "start" },
          pay: { type: "task", name: "Pay", agent: "payer" },
          check: { type: "gate", name: "Check" },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "pay" },
          { from: "pay", to: "check", on: "passed" },
          { from: "check", to: "done", on: "passed" },
        ],
      });
      const task = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "requested" }, definition, Date.now());
      const agents = { payer: agent({ max_turns: 1, tools: [pay.spec] }) };
      const run = await client.startTask({ task, definition, agents, model: "scripted", requested_by: "eve" });
      await otherThanEve(client.agent(`${run.workflow.workflowId}/pay/1`), "approve");
      await otherThanEve(run, "passed");
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "policy-plan-requested-by",
    rig: { tools: [pay], script: [fenced("(return (tool/pay {:cents 5}))")] },
    run: async ({ client }) => {
      const plan = {
        agents: { payer: { prompt: "Pay.", tools: ["pay"] } },
        tasks: [
          { id: "ask", type: "review", input: "Well?" },
          { id: "pay", agent: "payer", input: "Pay.", depends_on: ["ask"], max_retries: 0 },
        ],
      };
      const options = { llm: "scripted", base_tools: [pay.spec] };
      const run = await client.startPlan({ plan, options, requested_by: "eve" });
      await otherThanEve(run, "approve");
      await otherThanEve(client.agent(`${run.workflow.workflowId}/1/pay/1`), "approve");
      await run.result();
      return [run.workflow.workflowId];
    },
  },
];
