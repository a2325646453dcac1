import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../../src/client";
import { newTask } from "../../../src/core/graph/task/task";
import { absent, defineTool, found } from "../../../src/tools";
import { treeOf } from "../../support/record";
import type { Recording, RecordingRig } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf, reviewAt } from "../task/order-graph";

/** Effects that are meant again, asked about, lost and looked up, by every kind of workflow. */

const pay = defineTool({ name: "pay", signature: "(n :int) -> :string", run: ({ n }) => `paid ${n}` });
const wire = defineTool({
  name: "wire",
  signature: "(n :int) -> :string",
  effect: "irreversible",
  run: ({ n }) => `wired ${n}`,
});
const reworded = defineTool({
  name: "reworded",
  signature: "(n :int, memo :string) -> :string",
  effect: "irreversible",
  run: ({ n }) => `wired ${n}`,
});
/** Missions know them as a write without an approval, and as a read. */
const gated = defineTool({
  name: "gated",
  signature: "(n :int) -> :string",
  effect: "irreversible",
  identity: false,
  approval: { assignees: ["anna"] },
  run: ({ n }) => `paid ${n}`,
});
const look = defineTool({ name: "look", signature: "() -> :int", approval: true, run: () => 1 });
const FAILS = "(/ 1 nil)";

const put = defineTool({
  name: "put",
  signature: "(n :int, ms :int?) -> :string",
  effect: "idempotent",
  timeout: "800ms",
  retry: { attempts: 1 },
  run: async ({ n, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms ?? 0)));
    if (n === 0) throw new Error("it is full");
    return `put ${n}`;
  },
});

/** Calls that are lost because they take too long; `times` = how often. */
function lost(name: string, times: number, lookup?: Parameters<typeof defineTool>[0]["lookup"]) {
  let left = times;
  return defineTool({
    name,
    effect: "irreversible",
    timeout: "300ms",
    ...(lookup === undefined ? {} : { lookup }),
    run: async () => {
      if (left-- > 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return "wired";
    },
  });
}

interface Deciding {
  choice: string;
  value?: string;
}

const opened = (run: AgentHandle) =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "somebody is asked");

/** A run whose reviews anna decides, one after another. */
async function decided(rig: Rig, tools: ReturnType<typeof lost>[], decisions: Deciding[]): Promise<string[]> {
  const raw = { max_turns: 5, tools: tools.map(({ spec }) => spec) };
  const run = await rig.client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
  for (const decision of decisions) {
    const { id: review } = await opened(run);
    await run.decide({ review, by: "anna", ...decision });
  }
  await run.workflow.result().catch(() => {});
  return [run.workflow.workflowId];
}

const asked = (name: string, tools: ReturnType<typeof lost>[], script: string[], decisions: Deciding[]): Recording => ({
  name,
  rig: { tools, script: script.map(fenced) },
  run: (rig) => decided(rig, tools, decisions),
});

const slow = lost("slow", 1);
const found1 = lost("found", 1, () => found("looked up"));
const absent1 = lost("absent", 1, () => absent);

const AGENTS: Recording[] = [
  asked(
    "effects-reused-and-equal",
    [pay, wire] as never,
    [
      `(do (task "a" (tool/pay {:n 1})) (tool/pay {:n 2}) ${FAILS})`,
      '(do (task "b" (tool/pay {:n 1})) (tool/pay {:n 2}) (tool/pay {:n 2}))',
      '(do (task-reset "b") (task "b" (tool/pay {:n 1})))',
      "(return (tool/pay {:n 2}))",
    ],
    [],
  ),
  asked(
    "effects-asked",
    [wire] as never,
    [
      `(do (tool/wire {:n 1}) ${FAILS})`,
      "(tool/wire {:n 1})",
      "(tool/wire {:n 1})",
      "(tool/wire {:n 1})",
      "(return :done)",
    ],
    [{ choice: "use_earlier" }, { choice: "do_again" }, { choice: "reject" }],
  ),
  asked(
    "effects-in-other-words",
    [reworded] as never,
    [
      `(do (tool/reworded {:n 1 :memo "for June"}) ${FAILS})`,
      '(tool/reworded {:n 1 :memo "June, as agreed"})',
      '(tool/reworded {:n 1 :memo "June again"})',
      "(return :done)",
    ],
    [{ choice: "use_earlier" }, { choice: "do_again" }],
  ),
  {
    name: "tools-that-became-stricter",
    rig: {
      tools: [gated, look],
      script: ["(return [(tool/look {}) (tool/gated {:n 1})])"].map(fenced),
    },
    run: async (rig) => {
      const before = [gated, look].map(({ spec: { approval: _, ...spec } }) => ({ ...spec, effect: "write" }));
      const tools = before.map((spec) => (spec.name === "look" ? { ...spec, effect: "read" } : spec));
      const run = await rig.client.startAgent({ id: randomUUID(), agent: agent({ tools }), model: "scripted" });
      for (const choice of ["approve", "approve"]) {
        const { id: review } = await opened(run);
        await run.decide({ review, by: "anna", choice });
      }
      await run.workflow.result().catch(() => {});
      return [run.workflow.workflowId];
    },
  },
  // Local activities with effects: refused, too late, and so slow that another activity follows.
  asked(
    "effects-idempotent",
    [put, pay] as never,
    [
      `(do (doseq [n (range 1 5)] (task (str "t" n) (tool/put {:n n}))) (tool-try (tool/put {:n 0})) (tool/pay {:n 1}) ${FAILS})`,
      `(do (tool-try (tool/put {:n 5 :ms 3000})) (doseq [n (range 6 10)] (tool/put {:n n :ms 400})) ${FAILS})`,
      "(return (pmap #(tool/put {:n %}) [6 7 20 21]))",
    ],
    [],
  ),
  asked("effects-lost-and-looked-up", [found1, absent1], ["(return [(tool/found) (tool/absent)])"], []),
  asked(
    "effects-lost-and-asked",
    [lost("slow", 4)],
    ["(tool/slow {:n 1})", "(tool/slow {:n 2})", "(return (tool/slow {:n 3}))"],
    [
      { choice: "it_happened", value: "wired 1" },
      { choice: "did_not_happen" },
      { choice: "try_again" },
      { choice: "it_happened", value: "wired 3" },
    ],
  ),
  {
    name: "effects-other-under-a-record",
    rig: {
      tools: [pay],
      script: [
        '(task "a" (tool/pay {:n 1}))',
        '(task "a" (tool/pay {:n 2}))',
        '(return (task "a" (tool/pay {:n 3})))',
      ].map(fenced),
    },
    run: async (rig) => {
      const raw = { max_turns: 4, tools: [pay.spec], on_other_effect: "ask" };
      const run = await rig.client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
      for (const choice of ["do_now", "use_recorded"]) {
        const { id: review } = await opened(run);
        await run.decide({ review, choice, by: "anna" });
      }
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // What the first program did in the task is not recorded: the task failed.
    name: "effects-other-not-recorded",
    rig: {
      tools: [pay],
      script: [
        `(task "a" (do (tool/pay {:n 1}) ${FAILS}))`,
        '(task "a" (tool/pay {:n 2}))',
        '(return (task "a" (tool/pay {:n 3})))',
      ].map(fenced),
    },
    run: async (rig) => {
      const raw = { max_turns: 4, tools: [pay.spec], on_other_effect: "ask" };
      const run = await rig.client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
      for (const choice of ["reject", "do_now"]) {
        const { id: review } = await opened(run);
        await run.decide({ review, choice, by: "anna" });
      }
      expect((await run.result()).return).toBe("paid 3");
      return [run.workflow.workflowId];
    },
  },
  {
    name: "effects-of-agents",
    rig: {
      tools: [pay],
      script: {
        lead: [
          `(do (tool/payer {:n 1}) (tool/pay {:n 2}) ${FAILS})`,
          "(return [(tool/payer {:n 1}) (tool/payer {:n 2})])",
        ].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
    },
    run: async (rig) => {
      const { workflowId } = (await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" }))
        .workflow;
      await rig.client.temporal.workflow.getHandle(workflowId).result();
      return treeOf(rig.client.temporal, workflowId);
    },
  },
  {
    // What the agent met in a program that failed is met again before its equal, which nothing has met.
    name: "effects-met-by-an-agent",
    rig: {
      tools: [pay],
      script: {
        lead: [
          `(do (tool/pay {:n 1}) (tool/pay {:n 1}) ${FAILS})`,
          `(do (tool/payer {:n 1}) ${FAILS})`,
          "(return (tool/pay {:n 1}))",
        ].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
    },
    run: async (rig) => {
      const run = await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" });
      await run.result();
      expect((await run.effects()).map(({ n, reused }) => [n, reused])).toEqual([
        [1, 2],
        [2, undefined],
      ]);
      return treeOf(rig.client.temporal, run.workflow.workflowId);
    },
  },
  {
    // Resets of a program that failed are counted: what was done before them is not done again.
    name: "effects-reset-in-a-failed-program",
    rig: {
      tools: [pay],
      script: [
        `(do (doseq [n [1 2]] (do (task-reset "p") (task "p" (tool/pay {:n n})))) ${FAILS})`,
        '(do (doseq [n [1 2 3]] (do (task-reset "p") (task "p" (tool/pay {:n n})))) (return :done))',
      ].map(fenced),
    },
    run: async (rig) => {
      const run = await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" });
      await run.result();
      expect((await run.effects()).map(({ args, n }) => [args?.n, n])).toEqual([
        [1, 1],
        [2, 1],
        [3, 1],
      ]);
      return [run.workflow.workflowId];
    },
  },
  {
    // A record that is made of an agent's answer means what the agent did: the program's own call is another one.
    name: "effects-of-an-agent-in-a-record",
    rig: {
      tools: [pay],
      script: {
        lead: [
          `(do (task "k" (tool/payer {:n 1})) ${FAILS})`,
          '(return [(task "k" (tool/payer {:n 1})) (tool/pay {:n 1})])',
        ].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
    },
    run: async (rig) => {
      const run = await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" });
      await run.result();
      expect((await run.effects()).map(({ lane, n }) => [lane, n])).toEqual([
        ["0.payer.1", 1],
        ["", 1],
      ]);
      return treeOf(rig.client.temporal, run.workflow.workflowId);
    },
  },
  {
    // Two agents beside each other ask for what the program did before it failed: one of them is asked about it.
    name: "effects-contested",
    rig: {
      tools: [pay],
      script: {
        lead: [`(do (tool/pay {:n 1}) ${FAILS})`, "(return (pmap (fn [n] (tool/payer {:n n})) [1 1]))"].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
    },
    run: async (rig) => {
      const { workflow } = await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" });
      const children = ["2.1", "2.2"].map((place) => rig.client.agent(`${workflow.workflowId}/payer/${place}`));
      const asked = await until(async () => {
        const all = await Promise.all(children.map((child) => child.reviews().catch(() => [])));
        const at = all.findIndex((reviews) => reviews.some(({ status }) => status === "open"));
        return at < 0 ? undefined : { child: children[at], review: all[at]?.[0]?.id };
      }, "one of them is asked");
      await asked.child?.decide({ review: asked.review as string, choice: "do_again", by: "anna" });
      await workflow.result();
      return treeOf(rig.client.temporal, workflow.workflowId);
    },
  },
  {
    // It paid, and was terminated: what it did is read from its history.
    name: "effects-of-a-lost-agent",
    rig: {
      tools: [pay],
      script: {
        lead: ["(tool/payer {:n 1})", "(return (tool/payer {:n 1}))"].map(fenced),
        payer: [
          fenced("(do (tool/pay {:n data/n}) nil)"),
          { content: fenced("(return (tool/pay {:n data/n}))"), delay_ms: 2_000 },
        ],
      },
    },
    run: async (rig) => {
      const run = await rig.client.startAgent({ id: randomUUID(), agent: lead(), model: "scripted" });
      const { workflowId } = run.workflow;
      const child = rig.client.temporal.workflow.getHandle(`${workflowId}/payer/1.1`);
      const calls = async () =>
        JSON.stringify(await rig.client.history(child.workflowId).catch(() => "")).split("TASK_COMPLETED");
      await until(async () => (await calls()).length > 4, "it has paid");
      await child.terminate("by an operator");
      await run.workflow.result();
      return [workflowId];
    },
  },
];

function lead() {
  const payer = agent({ name: "payer", signature: "(n :int) -> :any", max_turns: 3, tools: [pay.spec] });
  return agent({
    name: "lead",
    max_turns: 4,
    tools: [pay.spec, { name: "payer", description: "pays", agent: payer }],
  });
}

const worker = () => agent({ name: "worker", max_turns: 3, tools: [pay.spec] });
const WORKS = fenced('(do (task "paid" (tool/pay {:n 1})) (return {:outcome "passed"}))');

async function task({ client }: Rig, raw: object) {
  const definition = definitionOf({ id: "recorded", ...raw });
  const started = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
  return client.startTask({ task: started, definition, agents: { worker: worker() }, model: "scripted" });
}

/** The agent's first attempt pays and is terminated; the next one is given what that did. */
const LOSES = {
  tools: [pay],
  script: {
    worker: [
      fenced("(do (tool/pay {:n 1}) nil)"),
      { content: fenced('(do (tool/pay {:n 1}) (return {:outcome "passed"}))'), delay_ms: 2_000 },
    ],
  },
};

async function terminatedAfterPaying({ client }: Rig, workflowId: string): Promise<void> {
  const calls = async () => JSON.stringify(await client.history(workflowId).catch(() => "")).split("TASK_COMPLETED");
  await until(async () => (await calls()).length > 4, "it has paid");
  await client.temporal.workflow.getHandle(workflowId).terminate("by an operator");
}

const OTHERS: Recording[] = [
  {
    name: "effects-task-loses-its-agent",
    rig: LOSES,
    run: async (rig) => {
      const handle = await task(rig, {
        nodes: {
          start: { type: "start" },
          work: { type: "task", name: "Work", agent: "worker", maxRetries: 2 },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "work" },
          { from: "work", to: "done", on: "passed" },
          { from: "work", to: "work", on: "failed" },
        ],
      });
      const { workflowId } = handle.workflow;
      await terminatedAfterPaying(rig, `${workflowId}/work/1`);
      await handle.result();
      return [workflowId];
    },
  },
  {
    name: "effects-plan-loses-its-agent",
    rig: LOSES,
    run: async (rig) => {
      const plan = await rig.client.startPlan({
        id: randomUUID(),
        plan: {
          agents: { worker: { prompt: "Pay.", tools: ["pay"], max_turns: 3 } },
          tasks: [{ id: "work", agent: "worker", input: "Pay.", on_failure: "retry", max_retries: 2 }],
        },
        options: { llm: "scripted", base_tools: [pay.spec] },
      });
      await terminatedAfterPaying(rig, `plan/${plan.id}/1/work/1`);
      await plan.result();
      return [`plan/${plan.id}`];
    },
  },
  {
    // The second attempt asks for another amount under an id that the first one recorded.
    name: "effects-task-attempt-with-records",
    rig: {
      tools: [pay],
      script: {
        worker: [
          '(task "charge" (tool/pay {:n (if data/steps 43 42)}))',
          '(return {:outcome (if data/steps "passed" "failed")})',
        ].map(fenced),
      },
    },
    run: async (rig) => {
      const handle = await task(rig, {
        nodes: {
          start: { type: "start" },
          work: { type: "task", name: "Work", agent: "worker", maxRetries: 2 },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "work" },
          { from: "work", to: "done", on: "passed" },
          { from: "work", to: "work", on: "failed" },
        ],
      });
      await handle.result();
      return treeOf(rig.client.temporal, handle.workflow.workflowId);
    },
  },
  {
    name: "effects-task-sent-back",
    rig: { tools: [pay], script: [WORKS] },
    run: async (rig) => {
      const handle = await task(rig, {
        nodes: {
          start: { type: "start" },
          work: { type: "task", name: "Work", agent: "worker" },
          check: { type: "gate", name: "Is it right?" },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "work" },
          { from: "work", to: "check", on: "passed" },
          { from: "check", to: "done", on: "passed" },
          { from: "check", to: "work", on: "failed" },
        ],
      });
      for (const choice of ["failed", "passed"]) {
        const { id: review } = await reviewAt(handle, "check");
        await handle.decide({ review, choice, by: "anna" });
        if (choice === "failed") await until(async () => (await handle.reviews()).length === 2, "the gate asks again");
      }
      await handle.result();
      return treeOf(rig.client.temporal, handle.workflow.workflowId);
    },
  },
  {
    name: "effects-task-branches",
    rig: { tools: [pay], script: [WORKS] },
    run: async (rig) => {
      const handle = await task(rig, {
        nodes: {
          start: { type: "start" },
          split: { type: "fork", join: "merge" },
          api: { type: "task", name: "API", agent: "worker" },
          web: { type: "task", name: "Web", agent: "worker" },
          merge: { type: "join", fork: "split" },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "split" },
          { from: "split", to: "api" },
          { from: "split", to: "web" },
          { from: "api", to: "merge", on: "passed" },
          { from: "web", to: "merge", on: "passed" },
          { from: "merge", to: "done", on: "passed" },
        ],
      });
      await handle.result();
      return treeOf(rig.client.temporal, handle.workflow.workflowId);
    },
  },
  {
    name: "effects-plan-replanned",
    rig: {
      tools: [pay],
      script: {
        planner: [JSON.stringify({ tasks: [{ id: "again", agent: "direct", input: "(return (tool/pay {:n 1}))" }] })],
      },
    },
    run: async (rig) => {
      const input = `(do (tool/pay {:n 1}) ${FAILS})`;
      const plan = await rig.client.startPlan({
        id: randomUUID(),
        plan: { tasks: [{ id: "first", agent: "direct", input }] },
        options: { llm: "scripted", base_tools: [pay.spec] },
        executor: true,
        mission: "Pay",
      });
      expect(await plan.result()).toMatchObject({ status: "ok", metadata: { replan_count: 1 } });
      return treeOf(rig.client.temporal, `plan/${plan.id}`);
    },
  },
];

export const EFFECT_RECORDINGS: Recording[] = [...AGENTS, ...OTHERS];

/** On a server that asks for a new run every 40 events. */
export const LONG_EFFECT_RECORDINGS: Recording[] = [
  withoutStretches(
    asked(
      "effects-continued",
      [pay, slow] as never,
      [
        `(do (doseq [n (range 12)] (task (str "t" n) (tool/pay {:n n}))) (tool/slow {}) ${FAILS})`,
        "(return (map (fn [n] (tool/pay {:n n})) (range 13)))",
      ],
      [{ choice: "it_happened", value: "wired" }],
    ),
  ),
];

/** Each call has events of its own, so that the history becomes long. */
function withoutStretches(recording: Recording): Recording {
  return { ...recording, rig: { ...(recording.rig as RecordingRig), sequences: false } };
}
