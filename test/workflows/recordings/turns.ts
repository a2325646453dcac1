import { randomUUID } from "node:crypto";
import { createModels, type ModelResolver } from "../../../src/models";
import { defineTool } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { eventsOf, lossesOf } from "../sequences/run-events";
import { loseWorker } from "./lost-worker";
import { chain, held, signalled } from "./stretches";

/** Calls that the activity of a model call makes behind the reply, and what ends them (engine reference, section 16). */

const pay = defineTool({ name: "pay", signature: "(n :int) -> :int", run: ({ n }) => Number(n) });
const final = defineTool({ name: "final", effect: "irreversible", run: () => "done" });
const asked = defineTool({ name: "asked", approval: true, run: () => "done" });

const CHAIN = fenced(`(do ${chain(1, 6)} (return {:paid 6}))`);
/** The model takes so long that the activity hears of what comes meanwhile. */
const SLOW = { content: CHAIN, delay_ms: 6_000 };

const start = ({ client, tools }: Rig, raw: object = {}) =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ name: "payer", tools: tools.specs().map(({ name }) => name), ...raw }),
    model: "scripted",
  });
type Run = Awaited<ReturnType<typeof start>>;

const asksModel = (run: Run) =>
  until(
    async () => (await eventsOf(run)).some((event) => event.activityTaskScheduledEventAttributes),
    "the model is asked",
  );

/** A run that needs nobody. */
const alone = (name: string, tools: Recording["rig"], raw: object = {}): Recording => ({
  name,
  ...(tools === undefined ? {} : { rig: tools }),
  run: async (rig) => {
    const run = await start(rig, raw);
    expect((await run.result()).fail).toBeNull();
    return [run.workflow.workflowId];
  },
});

const REPORTED = held();
const MEANWHILE = held();
const PAUSED = held();
const CANCELLED = held();
const TERMINATED = held();

/** Loses its worker so often, as far as the server can tell. */
function losing(times: number): () => Promise<void> {
  let left = times;
  return async () => {
    if (left === 0) return;
    left -= 1;
    await loseWorker();
    // What comes of it must not come before the loss is noticed.
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
}

/** Its worker is lost in this call, once. */
function losingPay(n: number) {
  const lose = losing(1);
  return defineTool({
    name: "pay",
    signature: "(n :int) -> :int",
    run: async (args) => {
      if (Number(args.n) === n) await lose();
      return Number(args.n);
    },
  });
}

/** As often as a turn goes on after a loss that found nothing new, and once more. */
const GIVEN_UP = 4;

/** A read, which is not kept: each loss finds what the one before has found. */
function losingLook() {
  const lose = losing(GIVEN_UP);
  return defineTool({ name: "look", effect: "read", run: async () => lose().then(() => "seen") });
}

function losingModel(): ModelResolver {
  const lose = losing(GIVEN_UP);
  const scripted = createModels({ env: {}, script: [CHAIN] });
  return {
    ...scripted,
    resolve: (name) => ({
      complete: (...call) => lose().then(() => scripted.resolve(name).complete(...call)),
    }),
  };
}

/** Its worker is lost while the run is being cancelled: nobody hears of it in time. */
function losingHeld() {
  const { tool, reached } = held();
  const lose = losing(1);
  return {
    reached,
    tool: defineTool({
      name: "pay",
      signature: "(n :int) -> :int",
      run: async (args, context) => {
        const losing = Number(args.n) === 3 && new Promise((resolve) => setTimeout(resolve, 300)).then(lose);
        const [answer] = await Promise.all([tool.run(args, context), losing]);
        return answer;
      },
    }),
  };
}
const LOST = losingHeld();
const LOST_STRETCH = losingHeld();

/** While the worker of its third call is lost. */
const cancelledWhileLost = (name: string, { tool, reached }: typeof LOST, program: string): Recording => ({
  name,
  rig: { tools: [tool, final], script: [program] },
  run: async (rig) => {
    const run = await start(rig);
    await reached;
    await run.workflow.cancel();
    await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
    return [run.workflow.workflowId];
  },
});

export const TURN_RECORDINGS: Recording[] = [
  alone(
    "turn-chain",
    {
      tools: [pay, final],
      script: [
        fenced(`(do ${chain(1, 3)} (task "final" (tool/final {})) ${chain(5, 6)} (println "paid"))`),
        fenced(`(def doubled (fn [n] (* 2 n))) (pmap (fn [i] (tool/pay {:n i})) [7 8])`),
        "I do not know.",
        fenced(`${chain(9, 9)} (return (doubled 9))`),
      ],
    },
    { max_turns: 6 },
  ),
  alone(
    "turn-off",
    { tools: [pay], sequences: false, script: [fenced(`(do ${chain(1, 2)})`), fenced("(return 1)")] },
    { max_turns: 3 },
  ),
  alone(
    "turn-too-large",
    {
      tools: [pay],
      script: [
        fenced(`(def text (apply str (map (fn [_] "xxxxxxxxxx") (range 3000)))) ${chain(1, 1)}`),
        fenced(`${chain(2, 3)} (return (count text))`),
      ],
    },
    { max_turns: 3, memory_limit: 100_000 },
  ),
  {
    name: "turn-asks",
    rig: {
      tools: [pay, asked],
      script: [fenced(`(do ${chain(1, 2)} (task "asked" (tool/asked {})) ${chain(3, 4)} (return 1))`)],
    },
    run: async (rig) => {
      const run = await start(rig);
      const review = await until(async () => (await run.reviews()).find(({ status }) => status === "open"), "it asks");
      await run.decide({ review: review.id, choice: "approve", by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-reported",
    rig: { tools: [REPORTED.tool], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await signalled(run);
      await run.recordDecision({ id: "pay_5", value: 50, by: "anna" });
      REPORTED.release();
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_5: 50 });
      return [run.workflow.workflowId];
    },
  },
  ...[1, 3].map((n) => ({
    name: `turn-lost-${n}`,
    rig: { tools: [losingPay(n)], script: [CHAIN] },
    run: async (rig: Rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      expect(await lossesOf(run)).toBe(1);
      return [run.workflow.workflowId];
    },
  })),
  {
    // The model is asked alone then, by a call that Temporal makes again.
    name: "turn-given-up",
    rig: { tools: [pay], models: losingModel() },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      expect(await lossesOf(run)).toBe(GIVEN_UP);
      return [run.workflow.workflowId];
    },
  },
  {
    // The reply and the call before the read are kept; the run makes the read by itself.
    name: "turn-given-up-behind",
    rig: {
      tools: [pay, losingLook()],
      script: [fenced(`(do ${chain(1, 1)} (task "look" (tool/look {})) ${chain(2, 2)} (return {:paid 2}))`)],
    },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({
        fail: null,
        return: { paid: 2 },
        journal: { look: "seen", pay_2: 2 },
      });
      expect(await lossesOf(run)).toBe(GIVEN_UP);
      return [run.workflow.workflowId];
    },
  },
  cancelledWhileLost("turn-lost-and-cancelled", LOST, CHAIN),
  cancelledWhileLost(
    "stretch-lost-and-cancelled",
    LOST_STRETCH,
    fenced(`(do (task "final" (tool/final {})) ${chain(1, 6)} (return {:paid 6}))`),
  ),
  {
    // While the model thinks: the run hears of it before the reply, and makes the calls itself.
    name: "turn-told-meanwhile",
    rig: { tools: [pay], script: [SLOW] },
    run: async (rig) => {
      const run = await start(rig);
      await asksModel(run);
      await run.recordDecision({ id: "pay_5", value: 50, by: "anna" });
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_5: 50 });
      await signalled(run);
      return [run.workflow.workflowId];
    },
  },
  {
    // While a call is made behind the reply: what was made is given before it is heard of.
    name: "turn-told-behind",
    rig: { tools: [MEANWHILE.tool], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await MEANWHILE.reached;
      await run.signalDecision({ id: "pay_5", value: 50, by: "anna" });
      MEANWHILE.release();
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_6: 6 });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-paused-meanwhile",
    rig: { tools: [pay], script: [SLOW] },
    run: async (rig) => {
      const run = await start(rig);
      await asksModel(run);
      await run.pause({ by: "anna" });
      await signalled(run);
      await run.resume({ by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-paused",
    rig: { tools: [PAUSED.tool], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await PAUSED.reached;
      await run.pause({ by: "anna" });
      PAUSED.release();
      await until(async () => (await run.journal()).length === 3, "the call has ended");
      await run.resume({ by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  {
    // No worker has it, so it ends at once: the model is asked again.
    name: "turn-told-between-attempts",
    rig: {
      tools: [pay],
      script: [{ content: CHAIN, error: { class: "server_error", message: "busy", retry_after_ms: 4_000, times: 1 } }],
    },
    run: async (rig) => {
      const run = await start(rig);
      await until(
        async () => ((await run.workflow.describe()).raw.pendingActivities ?? []).some(({ attempt }) => attempt === 2),
        "the second attempt waits",
      );
      await run.recordDecision({ id: "pay_5", value: 50, by: "anna" });
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_5: 50 });
      return [run.workflow.workflowId];
    },
  },
  {
    // The provider fails before the activity hears that it shall make no calls: Temporal does not try it again.
    name: "turn-told-as-it-fails",
    rig: {
      tools: [pay],
      script: [{ content: CHAIN, delay_ms: 300, error: { class: "server_error", message: "busy", times: 1 } }],
    },
    run: async (rig) => {
      const run = await start(rig);
      await asksModel(run);
      await run.recordDecision({ id: "pay_5", value: 50, by: "anna" });
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_5: 50 });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-failed",
    rig: { tools: [pay], script: [{ error: { class: "auth_error", message: "no key" } }] },
    run: async (rig) => {
      const run = await start(rig);
      expect((await run.result()).fail).toMatchObject({ reason: "llm_error" });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-late",
    rig: { tools: [pay], script: [SLOW] },
    run: async (rig) => {
      const run = await start(rig, { mission_timeout: 1_500 });
      expect((await run.result()).fail).toMatchObject({ reason: "mission_timeout" });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-cancelled-meanwhile",
    rig: { tools: [pay], script: [SLOW] },
    run: async (rig) => {
      const run = await start(rig);
      await asksModel(run);
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-cancelled",
    rig: { tools: [CANCELLED.tool], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await CANCELLED.reached;
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "turn-terminated",
    rig: { tools: [TERMINATED.tool], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await TERMINATED.reached;
      await run.terminate({ by: "anna" });
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "TerminatedFailure" } });
      return [run.workflow.workflowId];
    },
  },
];

export const LONG_TURN_RECORDINGS: Recording[] = [
  alone(
    "turn-continued",
    {
      tools: [pay],
      script: [
        ...Array.from({ length: 12 }, (_, i) => fenced(`(do ${chain(i + 1, i + 1)} (println ${i}))`)),
        fenced("(return 1)"),
      ],
    },
    { max_turns: 14, turn_budget: 100 },
  ),
];
