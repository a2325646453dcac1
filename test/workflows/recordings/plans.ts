import { randomUUID } from "node:crypto";
import type { PlanHandle, StartPlan } from "../../../src/client/plan-client";
import { defineTool } from "../../../src/tools";
import { childrenOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Plans, and what people and operators do to them meanwhile. */

const idOf = (plan: PlanHandle) => `plan/${plan.id}`;
const start = ({ client }: Rig, tasks: object[], options: StartPlan["options"] = {}, more: Partial<StartPlan> = {}) =>
  client.startPlan({ id: randomUUID(), plan: { tasks }, options, ...more });
const opened = (plan: PlanHandle) =>
  until(async () => (await plan.reviews()).find(({ status }) => status === "open"), "somebody is asked");
const ASK = { id: "ask", type: "review", input: "Well?" };
const direct = (id: string, input: string, more: object = {}) => ({ id, agent: "direct", input, ...more });

const ENOUGH = '{"sufficient": true, "missing": [], "evidence": []}';

/** Answers after so long that somebody must end it. */
const SLOW = { default: [{ content: fenced("(return 1)"), delay_ms: 30_000 }] };

async function cancelled(plan: PlanHandle): Promise<void> {
  await plan.cancel();
  await expect(plan.result()).rejects.toMatchObject({ code: "agent_lost" });
}

/** Waits for an approval before each call. */
const keep = defineTool({
  name: "keep",
  signature: "(n :int) -> :string",
  approval: true,
  run: ({ n }) => `kept ${n}`,
});

export const PLAN_RECORDINGS: Recording[] = [
  {
    // Started by a plain Temporal client, which knows nothing of the conventions of runs.
    name: "plan-plain-start",
    run: async ({ client, taskQueue }) => {
      const workflowId = `plan/${randomUUID()}`;
      const args = [{ plan: { tasks: [direct("only", "7")] } }];
      const handle = await client.temporal.workflow.start("planRun", { workflowId, taskQueue, args });
      expect(await handle.result()).toMatchObject({ status: "ok", results: { only: 7 } });
      return [workflowId];
    },
  },
  {
    name: "plan-cancelled-while-asking",
    run: async (rig) => {
      const plan = await start(rig, [direct("a", "42"), { ...ASK, depends_on: ["a"] }]);
      await opened(plan);
      await cancelled(plan);
      return [idOf(plan)];
    },
  },
  {
    name: "plan-cancelled-in-task",
    rig: { script: SLOW },
    run: async (rig) => {
      const plan = await start(rig, [{ id: "think", input: "Think" }], { llm: "scripted" });
      const [child] = await until(async () => {
        const children = await childrenOf(rig.client.temporal, idOf(plan));
        return children.length > 0 && children;
      }, "the task's agent runs");
      await cancelled(plan);
      return [idOf(plan), child as string];
    },
  },
  {
    name: "plan-task-terminated",
    rig: { script: SLOW },
    run: async (rig) => {
      const plan = await start(rig, [{ id: "think", input: "Think", on_failure: "skip" }, direct("next", "1")], {
        llm: "scripted",
        max_concurrency: 1,
      });
      const [child] = await until(async () => {
        const children = await childrenOf(rig.client.temporal, idOf(plan));
        return children.length > 0 && children;
      }, "the task's agent runs");
      await rig.client.temporal.workflow.getHandle(child as string).terminate("by an operator");
      await plan.result();
      return [idOf(plan)];
    },
  },
  {
    name: "plan-decided-by-signal",
    run: async (rig) => {
      const plan = await start(rig, [ASK, direct("end", '(get data/results "ask")', { depends_on: ["ask"] })]);
      const { id: review } = await opened(plan);
      await plan.signalDecide({ review, choice: "perhaps", by: "anna" });
      await until(async () => (await plan.status()).refused_signals === 1, "the bad signal is counted");
      await plan.signalDecide({ review, choice: "reject", by: "ben", note: "not now" });
      await plan.result();
      return [idOf(plan)];
    },
  },
  {
    name: "plan-options",
    rig: { script: { quality_gate: [ENOUGH], default: ["two"] } },
    run: async (rig) => {
      const tasks = [
        direct("a", "2"),
        { id: "b", input: "Which", after: "a", signature: ":string", quality_gate: true },
      ];
      const plan = await start(
        rig,
        tasks,
        {
          llm: "fast",
          llm_registry: { fast: "scripted" },
          quality_gate_llm: "scripted",
          builtin_tools: ["grep"],
          max_replan_attempts: 1,
          check_plans: false,
        },
        { executor: true, mission: "Count" },
      );
      expect(await plan.result()).toMatchObject({ status: "ok" });
      return [idOf(plan)];
    },
  },
  {
    // Two people are asked at once, and answer in the order that nobody expects.
    name: "plan-two-reviews-executor",
    run: async (rig) => {
      const tasks = [ASK, { id: "ask2", type: "approval", input: "And?" }, direct("end", "1", { depends_on: ["ask"] })];
      const plan = await start(rig, tasks, {}, { executor: true, mission: "Ask" });
      const reviews = await until(async () => {
        const open = (await plan.reviews()).filter(({ status }) => status === "open");
        return open.length === 2 && open;
      }, "both are asked");
      for (const { id: review } of [...reviews].reverse()) await plan.decide({ review, choice: "approve", by: "anna" });
      await plan.result();
      return [idOf(plan)];
    },
  },
];

const count = defineTool({ name: "count", signature: "(n :int) -> :int", run: ({ n }) => Number(n) });
const counting = (length: number) =>
  Array.from({ length }, (_, i) =>
    direct(`t${i}`, `(tool/count {:n ${i}})`, i % 3 === 2 ? { after: `t${i - 1}` } : {}),
  );

/** On a server that wants a new run every 40 events. */
export const LONG_PLAN_RECORDINGS: Recording[] = [
  {
    name: "plan-continued",
    rig: { tools: [count] },
    run: async (rig) => {
      const tasks = [...counting(9), { ...ASK, after: "t8" }, direct("last", "1", { after: "ask" })];
      const plan = await start(rig, tasks, { base_tools: [count.spec], max_concurrency: 2 });
      const { id: review } = await opened(plan);
      await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "anna" });
      await plan.decide({ review, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok" });
      return [idOf(plan)];
    },
  },
  {
    name: "plan-continued-executor",
    rig: {
      tools: [count],
      script: { planner: [JSON.stringify({ tasks: [...counting(9), direct("late", "7", { after: "t8" })] })] },
    },
    run: async (rig) => {
      const late = direct("late", "(fail :empty)", { after: "t8" });
      const plan = await start(
        rig,
        [...counting(9), late],
        { llm: "scripted", base_tools: [count.spec], max_concurrency: 2, replan_cooldown_ms: 200 },
        { executor: true, mission: "Count" },
      );
      expect(await plan.result()).toMatchObject({ status: "ok", metadata: { replan_count: 1 } });
      return [idOf(plan)];
    },
  },
  {
    // It waits for people while signals that are refused fill its history.
    name: "plan-continued-while-asked",
    rig: { tools: [count] },
    run: async (rig) => {
      const tasks = [...counting(1), ASK, direct("last", "1", { after: "ask" })];
      const plan = await start(rig, tasks, { base_tools: [count.spec] });
      const { id: review } = await opened(plan);
      for (let sent = 0; sent < 50; sent++)
        await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "x" });
      expect(await plan.status()).toMatchObject({ state: "waiting", open_reviews: 1, refused_signals: 50 });
      await plan.decide({ review, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok" });
      expect(await plan.reviews()).toHaveLength(1);
      const starts = (await plan.events()).events.filter(
        (event) => event.type === "task_started" && event.task_id === "ask",
      );
      expect(starts).toHaveLength(1);
      return [idOf(plan)];
    },
  },
  {
    // An agent of its tasks asks a person, and signals that are refused fill its history.
    name: "plan-continued-while-an-agent-works",
    rig: {
      tools: [keep],
      script: {
        keeper: [fenced("(return (tool/keep {:n 1}))")],
        quality_gate: [ENOUGH],
      },
    },
    run: async (rig) => {
      const plan = await rig.client.startPlan({
        id: randomUUID(),
        plan: {
          agents: { keeper: { prompt: "Keep.", tools: ["keep"] } },
          tasks: [
            direct("first", "1"),
            { id: "kept", agent: "keeper", input: "Keep", depends_on: ["first"], quality_gate: true },
            { ...ASK, depends_on: ["first"] },
            direct("last", '(get data/results "kept")', { depends_on: ["kept", "ask"] }),
          ],
        },
        options: { llm: "scripted", base_tools: [keep.spec] },
      });
      const run = rig.client.reviewed(`${idOf(plan)}/1/kept/1`);
      const review = await until(async () => (await run.reviews())[0], "the agent asks");
      const { id: asked } = await opened(plan);
      for (let sent = 0; sent < 60; sent++)
        await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "x" });
      await run.decide({ review: review.id, choice: "approve", by: "anna" });
      await plan.decide({ review: asked, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok", results: { last: "kept 1" } });
      const told = (await plan.events()).events.filter(({ type }) => type === "quality_gate_started");
      expect(told).toHaveLength(1);
      return [idOf(plan)];
    },
  },
  {
    // Its planner takes long, and signals that are refused fill its history.
    name: "plan-continued-while-it-is-planned",
    rig: {
      script: {
        planner: [{ content: JSON.stringify({ tasks: [direct("only", "7")] }), delay_ms: 5_000 }],
      },
    },
    run: async (rig) => {
      const plan = await rig.client.startPlan({ id: randomUUID(), mission: "Count", options: { llm: "scripted" } });
      await until(async () => (await childrenOf(rig.client.temporal, idOf(plan))).length > 0, "the planner runs");
      for (let sent = 0; sent < 60; sent++)
        await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "x" });
      expect(await plan.result()).toMatchObject({ status: "ok", metadata: { results: { only: 7 } } });
      const told = (await plan.events()).events.filter(({ type }) => type === "planning_started");
      expect(told).toHaveLength(1);
      return [idOf(plan)];
    },
  },
  {
    name: "plan-continued-while-asked-executor",
    rig: { tools: [count] },
    run: async (rig) => {
      const plan = await start(
        rig,
        [...counting(1), ASK],
        { base_tools: [count.spec] },
        { executor: true, mission: "Count" },
      );
      const { id: review } = await opened(plan);
      for (let sent = 0; sent < 50; sent++)
        await plan.signalDecide({ review: "nobody/asked/1", choice: "approve", by: "x" });
      await plan.decide({ review, choice: "approve", by: "anna" });
      expect(await plan.result()).toMatchObject({ status: "ok" });
      return [idOf(plan)];
    },
  },
];
