import { randomUUID } from "node:crypto";
import { ApplicationFailure } from "@temporalio/common";
import { defineTool, ToolRetry } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Calls of one tool at the same moment that one activity makes, and what ends that activity (engine reference, section 17). */

const signature = "(n :int) -> :int";
const number = ({ n }: { [name: string]: unknown }) => Number(n);
const pay = defineTool({ name: "pay", signature, batch: 4, run: number });
const look = defineTool({ name: "look", signature, batch: true, effect: "read", run: number });
const put = defineTool({ name: "put", signature, batch: true, effect: "idempotent", run: number });
const single = defineTool({ name: "single", signature, run: number });

/** A tool whose call number 3 waits until it is released. */
function held() {
  let [release, reach] = [() => {}, () => {}];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let attempts = 0;
  const tool = defineTool({
    name: "pay",
    signature,
    batch: true,
    run: async ({ n }, { signal }) => {
      if (Number(n) !== 3) return Number(n);
      attempts += 1;
      reach();
      await Promise.race([
        released,
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
      ]);
      return 3;
    },
  });
  return { tool, reached, release: () => release(), attempts: () => attempts };
}

const WAVE = fenced('(return (count (pmap (fn [i] (task (str "t" i) (tool/pay {:n i}))) (range 1 7))))');

const start = ({ client, tools }: Rig, raw: object = {}) =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ name: "payer", tools: tools.specs(), ...raw }),
    model: "scripted",
  });
type Run = Awaited<ReturnType<typeof start>>;

/** The batch that is under way, when it has kept its answers. */
const keeping = (run: Run) =>
  until(async () => {
    const { raw } = await run.workflow.describe();
    return raw.pendingActivities?.find(({ heartbeatDetails }) => heartbeatDetails?.payloads?.length);
  }, "the batch keeps its answers");

/** A run that needs nobody. */
const alone = (name: string, rig: Recording["rig"], raw: object = {}): Recording => ({
  name,
  ...(rig === undefined ? {} : { rig }),
  run: async (rig) => {
    const run = await start(rig, raw);
    expect((await run.result()).fail).toBeNull();
    return [run.workflow.workflowId];
  },
});

function busy() {
  let tries = 0;
  return defineTool({
    name: "pay",
    signature,
    batch: true,
    run: ({ n }) => {
      if (Number(n) === 3 && ++tries < 3) throw new ToolRetry("busy", { after_ms: 1 });
      return Number(n);
    },
  });
}

const LIMITED = held();
const LOST = held();
const PAUSED = held();
const CANCELLED = held();
const TERMINATED = held();

export const BATCH_RECORDINGS: Recording[] = [
  alone("batch-waves", {
    tools: [pay, look, put, single],
    script: [
      fenced(`(def sums (pmap (fn [i] (+ (tool/look {:n i}) (tool/pay {:n i}) (tool/put {:n i}))) (range 10)))
        (pcalls #(tool/pay {:n 20}) #(tool/single {:n 21}) #(tool/pay {:n 22}) #(tool/look {:n 23}))`),
      fenced("(return (count sums))"),
    ],
  }),
  alone(
    "batch-of-native-calls",
    {
      tools: [pay],
      script: [{ tool_calls: [1, 2, 3].map((n) => ({ id: `c${n}`, name: "pay", args: { n } })) }, "Paid."],
    },
    { output: "text" },
  ),
  alone("batch-open", { tools: [busy()], script: [WAVE] }),
  alone("batch-given-up", { tools: [LIMITED.tool], script: [WAVE, fenced("(return 1)")] }, { pmap_timeout: 500 }),
  {
    name: "batch-lost",
    rig: { tools: [LOST.tool], script: [WAVE] },
    run: async (rig) => {
      const run = await start(rig);
      const { workflowId } = run.workflow;
      for (const attempts of [1, 2, 3]) {
        await until(async () => LOST.attempts() === attempts, "the call is made");
        const { activityId } = await keeping(run);
        const failure = ApplicationFailure.create({ type: "worker_lost", message: "lost" });
        await rig.client.temporal.activity.fail({ workflowId, runId: "", activityId: String(activityId) }, failure);
      }
      await until(async () => LOST.attempts() === 4, "the call is made by itself");
      LOST.release();
      expect((await run.result()).fail).toBeNull();
      return [workflowId];
    },
  },
  {
    name: "batch-paused",
    rig: {
      tools: [PAUSED.tool],
      script: [
        fenced(`(do (pmap (fn [i] (task (str "t" i) (tool/pay {:n i}))) (range 1 7))
          (return (count (pmap (fn [i] (tool/pay {:n i})) [7 8 9]))))`),
      ],
    },
    run: async (rig) => {
      const run = await start(rig);
      await PAUSED.reached;
      await run.pause({ by: "anna" });
      PAUSED.release();
      await until(async () => (await run.journal()).length === 6, "the calls have ended");
      await run.resume({ by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "batch-cancelled",
    rig: { tools: [CANCELLED.tool], script: [WAVE] },
    run: async (rig) => {
      const run = await start(rig);
      await CANCELLED.reached;
      await keeping(run);
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "batch-terminated",
    rig: { tools: [TERMINATED.tool], script: [WAVE] },
    run: async (rig) => {
      const run = await start(rig);
      await TERMINATED.reached;
      await keeping(run);
      await run.terminate({ by: "anna" });
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "TerminatedFailure" } });
      return [run.workflow.workflowId];
    },
  },
];

export const LONG_BATCH_RECORDINGS: Recording[] = [
  alone("batch-continued", {
    tools: [pay],
    script: [fenced('(return (count (pmap (fn [i] (task (str "t" i) (tool/pay {:n i}))) (range 80))))')],
  }),
];
