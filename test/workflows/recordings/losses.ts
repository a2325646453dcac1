import { randomUUID } from "node:crypto";
import { defineTool, type ToolContext } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { activitiesOf, lossesOf } from "../sequences/run-events";
import { loseWorker } from "./lost-worker";
import { chain } from "./stretches";

/**
 * Stretches and batches whose worker is lost: the run takes the calls that were made, and has another worker make the rest
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
 * A tool that keeps what it was asked, and may lose its worker.
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

/** Of calls at the same moment, one loses the worker of all. What comes of it must not come before the loss is noticed. */
let still: Promise<void> | undefined;
function standStill(before_ms: number): Promise<void> {
  still ??= (async () => {
    await new Promise((resolve) => setTimeout(resolve, before_ms));
    await loseWorker();
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

interface Loss {
  /** Default: a chain of calls that are a stretch of their own. */
  script?: string;
  meanwhile?: (run: Run) => Promise<void>;
  /** How many calls may be under way without anything kept of them. */
  under_way?: number;
  /** What the history that is kept has. */
  losses: number;
  activities?: string[];
  /** Attempts of one of its calls, which lost its worker. */
  attempts?: { n: number; are: number[] };
}

/** A mission that loses its worker, and has the result of one that does not. */
const losses = (name: string, lost: ReturnType<typeof losing>, loss: Loss): Recording => ({
  name,
  rig: { tools: loss.script === undefined ? [lost.tool, final] : [lost.tool], script: [loss.script ?? CHAIN] },
  run: async (rig) => {
    const run = await start(rig);
    await loss.meanwhile?.(run);
    const value = loss.script === undefined ? { paid: CALLS } : CALLS;
    expect(await run.result()).toMatchObject({ fail: null, return: value });
    await lost.expectSound(run, loss.under_way);
    if (isRecorded) {
      const { activities, attempts } = loss;
      expect(await lossesOf(run)).toBe(loss.losses);
      if (activities !== undefined) expect(await activitiesOf(run)).toEqual(activities);
      if (attempts !== undefined) expect(lost.attemptsOf(attempts.n)).toEqual(attempts.are);
    }
    return [run.workflow.workflowId];
  },
});

const PAUSED = losing({ 3: 1 });

export const LOSS_RECORDINGS: Recording[] = [
  losses("stretch-lost", losing({ 3: 1 }), {
    losses: 1,
    activities: ["runCalls:model", "callTool", "runCalls:program", "runCalls:program"],
    attempts: { n: 3, are: [1, 2] },
  }),
  // The run makes the call by itself then.
  losses("stretch-lost-twice", losing({ 3: 2 }), { losses: 2, attempts: { n: 3, are: [1, 2, 3] } }),
  losses("stretch-lost-and-paused", PAUSED, {
    meanwhile: async (run) => {
      await PAUSED.reached;
      await run.pause({ by: "anna" });
      const journal = async () => (await run.journal()).map(({ id }) => id);
      await until(async () => (await journal()).length > 1, "the run hears of the loss");
      expect((await journal()).slice(0, 3)).toEqual(["final", "pay_1", "pay_2"]);
      await run.resume({ by: "anna" });
    },
    // A call that is to be cancelled is left to its time limit.
    losses: 0,
  }),
  // Nothing waits until its calls are kept.
  losses("stretch-lost-unkept", losing({ 1: 1 }, { effect: "idempotent", before_ms: 0 }), {
    under_way: CALLS,
    losses: 1,
  }),
  losses("batch-lost-at-once", losing({ 3: 1, 5: 1 }, { batch: true }), {
    script: WAVE,
    under_way: 2,
    losses: 1,
    activities: ["runCalls:model", "runCalls:listed", "runCalls:listed"],
    attempts: { n: 5, are: [1, 2] },
  }),
  losses("batch-lost-with-one-left", losing({ 3: 1 }, { batch: true }), {
    script: WAVE,
    losses: 1,
    activities: ["runCalls:model", "runCalls:listed", "callTool"],
    attempts: { n: 3, are: [1, 2] },
  }),
];
