import { randomUUID } from "node:crypto";
import { defineTool, type ToolContext } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { activitiesOf, eventsOf } from "../stretches/run-events";
import { chain } from "./stretches";

/**
 * Stretches and batches whose worker is lost, since run format 16: the run hears of it, takes what was made, and has another one make the rest
 * (engine reference, sections 16 and 17).
 */

const CALLS = 6;

/** On a busy machine a worker may be lost once more, or not at all: then the history is another one than that to be kept. */
const isRecorded = process.env.NAVIGATOR_RECORD !== undefined;

interface Made {
  n: number;
  key: string;
  attempt: number;
}

/**
 * A tool that keeps what it was asked, and may lose its worker: for the server, the whole process stands still.
 *
 * @param times how often in which of its calls
 * @param options.before_ms after which time it stands still: what is to be kept was sent by then
 */
function losing(
  times: { [n: number]: number },
  { before_ms = 600, ...more }: { before_ms?: number; [name: string]: unknown } = {},
) {
  const made: Made[] = [];
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const tool = defineTool({
    name: "pay",
    signature: "(n :int) -> :int",
    ...more,
    run: async (args, { idempotencyKey: key, attempt }: ToolContext) => {
      const n = Number(args.n);
      made.push({ n, key, attempt });
      if (attemptsOf(n).length <= (times[n] ?? 0)) {
        reach();
        await standStill(before_ms);
      }
      return n;
    },
  });
  const attemptsOf = (n: number) => made.filter((one) => one.n === n).map(({ attempt }) => attempt);
  /** Each call has one key, and a loss has made again only what was under way. */
  const expectSound = async (run: Run, under_way = 1) => {
    expect(new Set(made.map(({ n, key }) => `${n} ${key}`)).size).toBe(CALLS);
    expect(made.length).toBeLessThanOrEqual(CALLS + under_way * (await lossesOf(run)));
  };
  return { tool, made, reached, attemptsOf, expectSound };
}

/** Of calls at the same moment, one stands still for all. What comes of it must not come before the loss is noticed. */
let still: Promise<void> | undefined;
function standStill(before_ms: number): Promise<void> {
  still ??= (async () => {
    await new Promise((resolve) => setTimeout(resolve, before_ms));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);
    still = undefined;
    await new Promise((resolve) => setTimeout(resolve, 500));
  })();
  return still;
}

const final = defineTool({ name: "final", effect: "irreversible", run: () => "done" });
/** What follows the first call is a stretch of its own. */
const CHAIN = fenced(`(do (task "final" (tool/final {})) ${chain(1, 6)} (return {:paid 6}))`);
const WAVE = fenced('(return (count (pmap (fn [i] (task (str "t" i) (tool/pay {:n i}))) (range 1 7))))');

const start = ({ client, tools }: Rig) =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ name: "payer", tools: tools.specs().map(({ name }) => name) }),
    model: "scripted",
  });
type Run = Awaited<ReturnType<typeof start>>;

/** Attempts of activities that were lost, also those of which only Temporal knows. */
const lossesOf = async (run: Run): Promise<number> =>
  (await eventsOf(run)).reduce(
    (losses, { activityTaskTimedOutEventAttributes: out, activityTaskStartedEventAttributes: started }) => {
      return losses + (out ? 1 : 0) + Math.max(0, (started?.attempt ?? 1) - 1);
    },
    0,
  );

const ONCE = losing({ 3: 1 });
const TWICE = losing({ 3: 2 });
/** Nothing waits until its calls are kept. */
const UNKEPT = losing({ 1: 1 }, { effect: "idempotent", before_ms: 0 });
const PAUSED = losing({ 3: 1 });
const BATCH = losing({ 3: 1, 5: 1 }, { batch: true });
const BATCH_OF_ONE = losing({ 3: 1 }, { batch: true });

export const LOSS_RECORDINGS: Recording[] = [
  {
    name: "stretch-lost",
    rig: { tools: [ONCE.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      await ONCE.expectSound(run);
      if (isRecorded) {
        expect(await lossesOf(run)).toBe(1);
        expect(await activitiesOf(run)).toEqual(["runTurn", "callTool", "runStretch", "runStretch"]);
        expect(ONCE.attemptsOf(3)).toEqual([1, 2]);
      }
      return [run.workflow.workflowId];
    },
  },
  {
    // The run makes the call by itself then.
    name: "stretch-lost-twice",
    rig: { tools: [TWICE.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      await TWICE.expectSound(run);
      if (isRecorded) {
        expect(await lossesOf(run)).toBe(2);
        expect(TWICE.attemptsOf(3)).toEqual([1, 2, 3]);
      }
      return [run.workflow.workflowId];
    },
  },
  {
    name: "stretch-lost-and-paused",
    rig: { tools: [PAUSED.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await PAUSED.reached;
      await run.pause({ by: "anna" });
      const journal = async () => (await run.journal()).map(({ id }) => id);
      await until(async () => (await journal()).length > 1, "the run hears of the loss");
      expect((await journal()).slice(0, 3)).toEqual(["final", "pay_1", "pay_2"]);
      await run.resume({ by: "anna" });
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      await PAUSED.expectSound(run);
      if (isRecorded) expect(await lossesOf(run)).toBe(1);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "stretch-lost-unkept",
    rig: { tools: [UNKEPT.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 6 } });
      await UNKEPT.expectSound(run, CALLS);
      if (isRecorded) expect(await lossesOf(run)).toBe(1);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "batch-lost-at-once",
    rig: { tools: [BATCH.tool], script: [WAVE] },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: 6 });
      await BATCH.expectSound(run, 2);
      if (isRecorded) {
        expect(await lossesOf(run)).toBe(1);
        expect(await activitiesOf(run)).toEqual(["runTurn", "callTools", "callTools"]);
        expect(BATCH.attemptsOf(5)).toEqual([1, 2]);
      }
      return [run.workflow.workflowId];
    },
  },
  {
    name: "batch-lost-with-one-left",
    rig: { tools: [BATCH_OF_ONE.tool], script: [WAVE] },
    run: async (rig) => {
      const run = await start(rig);
      expect(await run.result()).toMatchObject({ fail: null, return: 6 });
      await BATCH_OF_ONE.expectSound(run);
      if (isRecorded) {
        expect(await activitiesOf(run)).toEqual(["runTurn", "callTools", "callTool"]);
        expect(BATCH_OF_ONE.attemptsOf(3)).toEqual([1, 2]);
      }
      return [run.workflow.workflowId];
    },
  },
];
