import { randomUUID } from "node:crypto";
import type { AgentHandle, StartAgent } from "../../../src/client";
import { scheduledRunId } from "../../../src/client/schedule";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { agentRunInput } from "../../../src/workflows/start/agent-input";
import { childrenOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Runs that fail: the workflow fails, and its failure holds the Step. */

const start = ({ client }: Rig, raw: Record<string, unknown>, more: Partial<StartAgent> = {}): Promise<AgentHandle> =>
  client.startAgent({ id: randomUUID(), agent: agent({ max_turns: 2, ...raw }), model: "scripted", ...more });

const idOf = (run: AgentHandle) => run.workflow.workflowId;

/** Waits for the end of a run, which must have failed for this reason, and for Temporal, too. */
async function failedFor(run: AgentHandle, reason: string): Promise<string[]> {
  expect((await run.result()).fail?.reason).toBe(reason);
  expect((await run.workflow.describe()).status.name).toBe("FAILED");
  return [idOf(run)];
}

const broken = defineTool({
  name: "print_label",
  signature: "(order :int) -> :string",
  run: () => {
    throw new Error("out of paper");
  },
});
const pay = defineTool({ name: "pay", signature: "(cents :int) -> :int", approval: true, run: ({ cents }) => cents });

/** One run, alone, that fails for a reason. */
function fails(name: string, reason: string, rig: Recording["rig"], raw: Record<string, unknown> = {}): Recording {
  return {
    name,
    ...(rig === undefined ? {} : { rig }),
    run: async (open) => failedFor(await start(open, raw), reason),
  };
}

export const FAILED_RECORDINGS: Recording[] = [
  fails("agent-failed-model", "llm_error", {
    script: [{ error: { class: "client_error", message: "no such model" } }],
  }),
  fails("agent-failed-max-turns", "max_turns_exceeded", { script: [fenced("(def a 1)"), fenced("(def b 2)")] }),
  fails("agent-failed-by-program", "no_stock", {
    script: [fenced('(do (task "looked" 7) (fail {:reason :no_stock :message "None is left."}))')],
  }),
  fails(
    "agent-failed-tool",
    "max_turns_exceeded",
    { tools: [broken], script: [fenced("(return (tool/print_label {:order 42}))")] },
    { max_turns: 1, tools: [broken.spec] },
  ),
  {
    name: "agent-failed-after-waiting",
    rig: {
      script: [fenced("(return {:status :waiting})"), fenced('(fail {:reason :refused :message "The bank said no."})')],
    },
    run: async (rig) => {
      const run = await start(rig, {});
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      await run.recordDecision({ id: "bank", value: false, by: "anna" });
      return failedFor(run, "refused");
    },
  },
  {
    name: "agent-failed-nested",
    rig: {
      script: {
        lead: [fenced("(return (tool/helper {}))"), fenced("(return (:message data/fail))")],
        helper: [fenced('(fail {:reason :tired :message "Not today."})')],
      },
    },
    run: async (rig) => {
      const helper = { name: "helper", prompt: "Help.", max_turns: 2 };
      const run = await start(rig, { name: "lead", tools: [{ name: "helper", description: "Helps", agent: helper }] });
      const step = await run.result();
      expect(step.return).toContain("Not today.");
      expect(step.child_steps[0]?.fail).toMatchObject({ reason: "tired" });
      const children = await childrenOf(rig.client.temporal, idOf(run));
      expect((await rig.client.agent(children[0] as string).workflow.describe()).status.name).toBe("FAILED");
      return [idOf(run), ...children];
    },
  },
  {
    name: "agent-cancelled-while-asked",
    rig: { tools: [pay], script: [fenced("(return (tool/pay {:cents 100}))")] },
    run: async (rig) => {
      const run = await start(rig, { tools: [pay.spec] });
      await until(async () => (await run.status()).open_reviews === 1, "a review opens");
      expect(await run.status()).toMatchObject({ state: "waiting" });
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      expect(await run.status()).toMatchObject({ state: "cancelled" });
      return [idOf(run)];
    },
  },
  {
    // Started by a plain Temporal client, which knows nothing of the conventions of runs.
    name: "agent-failed-plain-start",
    rig: { script: [fenced('(fail {:reason :no_stock :message "None is left."})')] },
    run: async ({ client, taskQueue }) => {
      const workflowId = `agent/${randomUUID()}`;
      const { format: _, ...input } = agentRunInput({ agent: agent({ max_turns: 1 }), model: "scripted" });
      await client.temporal.workflow.start("agentRun", { workflowId, taskQueue, args: [input] });
      return failedFor(client.agent(workflowId), "no_stock");
    },
  },
  {
    // The same in the present format: the context must fit its type, which a plain client does not check.
    name: "agent-plain-start-refused",
    rig: { script: [] },
    run: async ({ client, taskQueue }) => {
      const workflowId = `agent/${randomUUID()}`;
      const checked = agent({ max_turns: 1, signature: "(order_id :int) -> :any" });
      const { format: _, ...input } = agentRunInput({ agent: checked, model: "scripted", context: { order_id: 1 } });
      const args = [{ ...input, context: { order_id: "abc" } }];
      await client.temporal.workflow.start("agentRun", { workflowId, taskQueue, args });
      return failedFor(client.agent(workflowId), "validation_error");
    },
  },
  {
    name: "scheduled-run-failed",
    rig: { script: [fenced('(fail {:reason :no_stock :message "None is left."})')] },
    run: async ({ client, taskQueue }) => {
      const id = randomUUID();
      const workflowId = `schedule/${id}-1`;
      const run = agentRunInput({ agent: agent({ name: "nightly", max_turns: 1 }), model: "scripted" });
      const args = [{ format: run.format, id, once_per: "day", run }];
      const handle = await client.temporal.workflow.start("scheduledAgent", { workflowId, taskQueue, args });
      const failure = { type: "no_stock", message: "None is left.", details: [{ run: runOf(id) }] };
      await expect(handle.result()).rejects.toMatchObject({ cause: failure });
      return [workflowId, runOf(id)];
    },
  },
];

const statusOf = async ({ client }: Rig, workflowId: string) =>
  (await client.temporal.workflow.getHandle(workflowId).describe()).status.name;

/** What a plain Temporal client sent to each type of workflow, which ends at once with every mistake. */
const WRONG_INPUTS: [type: string, input: unknown][] = [
  ["agentRun", { agent: { prompt: "" }, context: [] }],
  ["planRun", { plan: { tasks: [{ id: "a", agent: "nobody" }] } }],
  ["navigatorTask", { task: { id: "a", priority: "high" }, definition: { nodes: {} } }],
  ["scheduledAgent", { id: "nightly", once_per: "year", run: { agent: {} } }],
  ["workflowDefinition", { id: "Bad Id" }],
  ["taskTree", { base: "x" }],
];

export const WRONG_START_RECORDINGS: Recording[] = WRONG_INPUTS.map(([type, input]) => ({
  name: `invalid-input-${type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  run: async ({ client, taskQueue }) => {
    const workflowId = `plain-${randomUUID()}`;
    const handle = await client.temporal.workflow.start(type, { workflowId, taskQueue, args: [input] });
    const details = [{ issues: expect.arrayContaining([{ path: expect.any(String), message: expect.any(String) }]) }];
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "invalid_input", details } });
    return [workflowId];
  },
}));

/** A step of an agent, with an end for its failure. */
const WORKED = {
  id: "recorded",
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build", agent: "builder" },
    done: { type: "end", result: "success" },
    lost: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "done", on: "passed" },
    { from: "build", to: "lost", on: "failed" },
  ],
};
const NO_STOCK = fenced('(fail {:reason :no_stock :message "None is left."})');

function beginTask({ client }: Rig) {
  const definition = definitionOf(WORKED);
  const id = randomUUID();
  const task = newTask({ id, issueId: "I-1", workflowType: definition.id }, definition, Date.now());
  const agents = { builder: agent({ name: "builder", max_turns: 1 }) };
  return client.startTask({ task, definition, agents, model: "scripted" });
}

/** Plans and tasks that fail do as runs do. What ends in a way that people drew or wanted has not failed. */
export const FAILED_PLANS_AND_TASKS: Recording[] = [
  {
    name: "plan-failed",
    run: async (rig) => {
      const tasks = [{ id: "count", agent: "direct", input: '(fail {:reason :no_stock :message "None is left."})' }];
      const plan = await rig.client.startPlan({ id: randomUUID(), plan: { tasks } });
      expect(await plan.result()).toMatchObject({ status: "error", task_id: "count" });
      expect(await plan.ended()).toBe("failed");
      expect(await plan.status()).toMatchObject({ state: "failed" });
      return [`plan/${plan.id}`];
    },
  },
  {
    name: "plan-cancelled-while-asked",
    run: async (rig) => {
      const tasks = [{ id: "ask", type: "review", input: "Well?" }];
      const plan = await rig.client.startPlan({ id: randomUUID(), plan: { tasks } });
      await until(async () => (await plan.status()).open_reviews === 1, "somebody is asked");
      await plan.cancel();
      await expect(plan.result()).rejects.toMatchObject({ code: "agent_lost" });
      expect(await plan.ended()).toBe("cancelled");
      return [`plan/${plan.id}`];
    },
  },
  {
    name: "task-failed",
    rig: { script: [NO_STOCK] },
    run: async (rig) => {
      const task = await beginTask(rig);
      expect(await task.result()).toMatchObject({ status: "FAILED", currentStep: "lost", endResult: "failure" });
      const message = `Task "${task.id}" failed at "lost" with the result "failure". The message of its last failed step: no_stock: None is left.`;
      await expect(task.workflow.result()).rejects.toMatchObject({ cause: { type: "task_failed", message } });
      expect(await statusOf(rig, `task/${task.id}`)).toBe("FAILED");
      expect(await task.show()).toMatchObject({ status: "FAILED" });
      return [`task/${task.id}`, `task/${task.id}/build/1`];
    },
  },
  {
    name: "task-cancelled-by-a-person",
    rig: { script: [{ content: fenced("(return 1)"), delay_ms: 30_000 }] },
    run: async (rig) => {
      const task = await beginTask(rig);
      await until(() => rig.client.has(`task/${task.id}/build/1`), "the agent works");
      await task.workflow.executeUpdate("cancelTask", { args: [{ note: "not needed" }] });
      expect(await task.result()).toMatchObject({ status: "FAILED", endResult: "cancelled" });
      expect(await statusOf(rig, `task/${task.id}`)).toBe("COMPLETED");
      return [`task/${task.id}`];
    },
  },
];

const runOf = (schedule: string) => `agent/${scheduledRunId(schedule, new Date(), "day")}`;
