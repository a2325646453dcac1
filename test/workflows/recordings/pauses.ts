import { randomUUID } from "node:crypto";
import type { AgentHandle, ReviewedHandle } from "../../../src/client/handles";
import { defineTool } from "../../../src/tools";
import { childrenOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Missions and plans that a person pauses, at each place where they can be, and what goes on afterwards (engine reference, section 15). */

/** A tool whose calls wait until the test lets them end. */
function gated(name: string) {
  const calls: number[] = [];
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tool = defineTool({
    name,
    signature: "(n :int) -> :string",
    run: async ({ n }) => {
      calls.push(Number(n));
      await released;
      return `did ${n}`;
    },
  });
  return { tool, calls, release, begun: () => until(async () => calls.length > 0, `${name} is called`) };
}

/** A tool that counts its calls. */
function counted(name: string, more: object = {}) {
  const calls: number[] = [];
  const tool = defineTool({
    name,
    signature: "(n :int) -> :string",
    ...more,
    run: ({ n }) => {
      calls.push(Number(n));
      return `did ${n}`;
    },
  });
  return { tool, calls };
}

const started = ({ client }: Rig, raw: object): Promise<AgentHandle> =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ max_turns: 6, ...raw }),
    model: "scripted",
  }) as Promise<AgentHandle>;
const opened = (asked: ReviewedHandle) =>
  until(async () => (await asked.reviews()).find(({ status }) => status === "open"), "somebody is asked");
const paused = (run: ReviewedHandle) => run.pause({ by: "anna", note: "the bank is closed" });
const HELD = { state: "paused", paused: { by: "anna", note: "the bank is closed" } };
const WAIT = fenced('(return {:status :waiting :for "the tax office"})');

/** It stays as it is, however often it is woken: signals that decide nothing wake it. */
async function woken(run: AgentHandle, count = 3): Promise<void> {
  const { refused_signals } = await run.status();
  for (let sent = 0; sent < count; sent++) await run.workflow.signal("recordDecision", { id: "", by: "" });
  await until(async () => (await run.status()).refused_signals >= refused_signals + count, "the signals are there");
}

/** Fills the history until the run goes on in another one. */
async function continued(run: ReviewedHandle, signal: string, bad: object): Promise<void> {
  const first = (await run.workflow.describe()).runId;
  for (let sent = 0; sent < 50; sent++) await run.workflow.signal(signal, bad);
  await until(async () => (await run.workflow.describe()).runId !== first, "it goes on in another run");
}
const continuedAgent = (run: ReviewedHandle) => continued(run, "recordDecision", { id: "", by: "" });

const THINKER = { thinker: { prompt: "Think.", tools: ["slow"] } };

const IN_TURN = gated("slow");
const NEXT_CALL = counted("charge");
const BEFORE_MODEL = gated("slow");
const ASKED = counted("charge", { approval: true });
const PARKED = counted("charge");
const IN_CHILD = gated("slow");
const IN_PLAN = gated("slow");
const IN_TEXT = gated("slow");
const TEXT_NEXT = counted("charge");

export const PAUSE_RECORDINGS: Recording[] = [
  {
    // The call that is under way ends, and its record is kept. The program makes no other one.
    name: "paused-in-a-tool-call",
    rig: {
      tools: [IN_TURN.tool, NEXT_CALL.tool],
      script: [
        fenced(
          '(task "a" (tool/slow {:n 1}))\n(task "b" (tool/charge {:n 2}))\n(return [(task "a" nil) (task "b" nil)])',
        ),
      ],
    },
    run: async (rig) => {
      const run = await started(rig, { tools: [IN_TURN.tool.spec, NEXT_CALL.tool.spec] });
      await IN_TURN.begun();
      expect(await paused(run)).toMatchObject(HELD.paused);
      IN_TURN.release();
      await until(async () => (await run.journal()).some(({ id }) => id === "a"), "the call is recorded");
      await woken(run);
      expect(await run.status()).toMatchObject({ ...HELD, turn: 1 });
      expect((await run.effects()).map(({ state }) => state)).toEqual(["done"]);
      expect(NEXT_CALL.calls).toEqual([]);
      await run.resume({ by: "ben" });
      expect(await run.result()).toMatchObject({ return: ["did 1", "did 2"] });
      expect(NEXT_CALL.calls).toEqual([2]);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "paused-before-a-model-call",
    rig: { tools: [BEFORE_MODEL.tool], script: [fenced("(def a (tool/slow {:n 1}))"), fenced("(return a)")] },
    run: async (rig) => {
      const run = await started(rig, { tools: [BEFORE_MODEL.tool.spec] });
      await BEFORE_MODEL.begun();
      await paused(run);
      BEFORE_MODEL.release();
      await until(async () => (await run.status()).turn === 2, "the turn ends");
      await woken(run);
      expect(await run.status()).toMatchObject({ ...HELD, turn: 2 });
      expect((await run.step()).usage).toMatchObject({ llm_requests: 1 });
      await run.resume({ by: "ben" });
      expect(await run.result()).toMatchObject({ return: "did 1", usage: { llm_requests: 2 } });
      return [run.workflow.workflowId];
    },
  },
  {
    // Native calls: the second one waits.
    name: "paused-in-a-native-call",
    rig: {
      tools: [IN_TEXT.tool, TEXT_NEXT.tool],
      script: [
        {
          content: "",
          tool_calls: [
            { id: "c1", name: "slow", args: { n: 1 } },
            { id: "c2", name: "charge", args: { n: 2 } },
          ],
        },
        "Done.",
      ],
    },
    run: async (rig) => {
      const run = await started(rig, {
        output: "text",
        tools: [IN_TEXT.tool.spec, TEXT_NEXT.tool.spec],
        pmap_max_concurrency: 1,
      });
      await IN_TEXT.begun();
      await paused(run);
      IN_TEXT.release();
      await until(async () => (await run.effects()).some(({ state }) => state === "done"), "the call has ended");
      await woken(run);
      expect(await run.status()).toMatchObject(HELD);
      expect(TEXT_NEXT.calls).toEqual([]);
      await run.resume({ by: "ben" });
      expect(await run.result()).toMatchObject({ return: "Done." });
      expect(TEXT_NEXT.calls).toEqual([2]);
      return [run.workflow.workflowId];
    },
  },
  {
    // A yes is kept, and the call is made after the pause. Until then nothing says that it is intended.
    name: "paused-while-asked",
    rig: { tools: [ASKED.tool], script: [fenced('(return (task "p" (tool/charge {:n 5})))')] },
    run: async (rig) => {
      const run = await started(rig, { tools: [ASKED.tool.spec] });
      const { id: review } = await opened(run);
      await paused(run);
      await run.decide({ review, choice: "approve", by: "ben" });
      await woken(run);
      expect(await run.status()).toMatchObject({ ...HELD, open_reviews: 0 });
      expect([ASKED.calls, await run.effects()]).toEqual([[], []]);
      await run.resume({ by: "anna" });
      expect(await run.result()).toMatchObject({ return: "did 5" });
      expect(ASKED.calls).toEqual([5]);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "paused-while-parked",
    rig: { tools: [PARKED.tool], script: [WAIT, fenced('(return [(task "go" nil) (tool/charge {:n 1})])')] },
    run: async (rig) => {
      const run = await started(rig, { tools: [PARKED.tool.spec] });
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      await paused(run);
      expect(await run.status()).toMatchObject({ ...HELD, waiting: { for: "the tax office" } });
      await run.recordDecision({ id: "go", value: "yes", by: "ben" });
      await woken(run);
      expect([await run.status(), PARKED.calls]).toMatchObject([HELD, []]);
      await run.resume({ by: "anna" });
      expect(await run.result()).toMatchObject({ return: ["yes", "did 1"] });
      return [run.workflow.workflowId];
    },
  },
  {
    // The pause reaches an agent that runs below, and it goes on with its caller.
    name: "paused-with-a-child",
    rig: {
      tools: [IN_CHILD.tool],
      script: {
        lead: [fenced("(return (tool/helper {}))")],
        helper: [fenced("(def a (tool/slow {:n 1}))"), fenced("(return a)")],
      },
    },
    run: async (rig) => {
      const helper = agent({ name: "helper", description: "Helps.", tools: [IN_CHILD.tool.spec], max_turns: 4 });
      const run = await started(rig, { name: "lead", tools: [{ name: "helper", agent: helper }] });
      await IN_CHILD.begun();
      const [id] = await childrenOf(rig.client.temporal, run.workflow.workflowId);
      const child = rig.client.agent(id as string);
      await paused(run);
      await until(async () => (await child.status()).state === "paused", "the agent below is told");
      IN_CHILD.release();
      await until(async () => (await child.status()).turn === 2, "its turn ends");
      await woken(child);
      expect(await child.status()).toMatchObject(HELD);
      await run.resume({ by: "ben" });
      expect(await run.result()).toMatchObject({ return: "did 1" });
      return [run.workflow.workflowId, id as string];
    },
  },
  {
    // The agent that runs is told; the task behind it does not begin.
    name: "paused-plan",
    rig: {
      tools: [IN_PLAN.tool],
      script: { thinker: [fenced("(def a (tool/slow {:n 1}))"), fenced("(return 1)")] },
    },
    run: async (rig) => {
      const tasks = [
        { id: "think", agent: "thinker", input: "Think" },
        { id: "next", agent: "direct", input: "2", depends_on: ["think"] },
      ];
      const plan = await rig.client.startPlan({
        id: randomUUID(),
        plan: { agents: THINKER, tasks },
        options: { llm: "scripted", base_tools: [IN_PLAN.tool.spec] },
      });
      await IN_PLAN.begun();
      const [id] = await childrenOf(rig.client.temporal, `plan/${plan.id}`);
      const child = rig.client.agent(id as string);
      await paused(plan);
      expect(await plan.status()).toMatchObject(HELD);
      await until(async () => (await child.status()).state === "paused", "the agent is told");
      IN_PLAN.release();
      await until(async () => (await child.status()).turn === 2, "its turn ends");
      await woken(child);
      expect(await child.status()).toMatchObject(HELD);
      await plan.resume({ by: "ben" });
      expect(await plan.result()).toMatchObject({ status: "ok", results: { think: 1, next: 2 } });
      return [`plan/${plan.id}`, id as string];
    },
  },
];

const LONG_SLOW = gated("slow");
const LONG_NEXT = counted("charge");
const LONG_ASKED = counted("charge", { approval: true });
const LONG_PLAN = gated("slow");

/** On a server that wants a new run every 40 events: the next run is paused as well. */
export const LONG_PAUSE_RECORDINGS: Recording[] = [
  {
    name: "paused-and-continued-in-a-program",
    rig: {
      tools: [LONG_SLOW.tool, LONG_NEXT.tool],
      script: [fenced('(task "a" (tool/slow {:n 1}))\n(return [(task "a" nil) (task "b" (tool/charge {:n 2}))])')],
    },
    run: async (rig) => {
      const run = await started(rig, { tools: [LONG_SLOW.tool.spec, LONG_NEXT.tool.spec] });
      await LONG_SLOW.begun();
      await paused(run);
      LONG_SLOW.release();
      await until(async () => (await run.journal()).some(({ id }) => id === "a"), "the call is recorded");
      await continuedAgent(run);
      expect([await run.status(), LONG_NEXT.calls]).toMatchObject([HELD, []]);
      await run.resume({ by: "ben" });
      expect(await run.result()).toMatchObject({ return: ["did 1", "did 2"] });
      expect(LONG_NEXT.calls).toEqual([2]);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "paused-and-continued-while-parked",
    rig: { script: [WAIT, fenced('(return (task "go" nil))')] },
    run: async (rig) => {
      const run = await started(rig, { tools: [] });
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      await paused(run);
      // Before the decision, and after it.
      await continuedAgent(run);
      await run.recordDecision({ id: "go", value: "yes", by: "ben" });
      await continuedAgent(run);
      expect(await run.status()).toMatchObject(HELD);
      await run.resume({ by: "anna" });
      expect(await run.result()).toMatchObject({ return: "yes" });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "paused-and-continued-while-asked",
    rig: { tools: [LONG_ASKED.tool], script: [fenced('(return (task "p" (tool/charge {:n 5})))')] },
    run: async (rig) => {
      const run = await started(rig, { tools: [LONG_ASKED.tool.spec] });
      const { id: review } = await opened(run);
      await paused(run);
      await run.decide({ review, choice: "approve", by: "ben" });
      await continuedAgent(run);
      expect([await run.status(), LONG_ASKED.calls, await run.effects()]).toMatchObject([HELD, [], []]);
      await run.resume({ by: "anna" });
      expect(await run.result()).toMatchObject({ return: "did 5" });
      expect(LONG_ASKED.calls).toEqual([5]);
      return [run.workflow.workflowId];
    },
  },
  {
    // Its agent goes on while the plan does in another run, and is told of the end of the pause there.
    name: "paused-plan-continued",
    rig: {
      tools: [LONG_PLAN.tool],
      script: { thinker: [fenced("(def a (tool/slow {:n 1}))"), fenced("(return 1)")] },
    },
    run: async (rig) => {
      const plan = await rig.client.startPlan({
        id: randomUUID(),
        plan: { agents: THINKER, tasks: [{ id: "think", agent: "thinker", input: "Think" }] },
        options: { llm: "scripted", base_tools: [LONG_PLAN.tool.spec] },
      });
      await LONG_PLAN.begun();
      const [id] = await childrenOf(rig.client.temporal, `plan/${plan.id}`);
      const child = rig.client.agent(id as string);
      await paused(plan);
      await until(async () => (await child.status()).state === "paused", "the agent is told");
      await continued(plan, "decide", { review: "nobody/asked/1", choice: "approve", by: "x" });
      expect(await plan.status()).toMatchObject(HELD);
      LONG_PLAN.release();
      await until(async () => (await child.status()).turn === 2, "its turn ends");
      await woken(child);
      expect(await child.status()).toMatchObject(HELD);
      await plan.resume({ by: "ben" });
      expect(await plan.result()).toMatchObject({ status: "ok", results: { think: 1 } });
      return [`plan/${plan.id}`];
    },
  },
];
