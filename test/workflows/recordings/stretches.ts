import { randomUUID } from "node:crypto";
import { defineTool, ToolRetry } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Calls of a program that one activity makes, and what ends that activity (engine reference, section 16). */

const pay = defineTool({ name: "pay", signature: "(n :int) -> :int", run: ({ n }) => Number(n) });
const look = defineTool({ name: "look", signature: "(n :int) -> :int", effect: "read", run: ({ n }) => Number(n) });
const final = defineTool({ name: "final", effect: "irreversible", run: () => "done" });

/** A tool whose call number 3 waits until it is released. */
export function held() {
  let [release, reach] = [() => {}, () => {}];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const tool = defineTool({
    name: "pay",
    signature: "(n :int) -> :int",
    run: async ({ n }, { signal }) => {
      if (Number(n) !== 3) return Number(n);
      reach();
      await Promise.race([
        released,
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
      ]);
      return 3;
    },
  });
  return { tool, reached, release: () => release() };
}

export const chain = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `(task "pay_${from + i}" (tool/pay {:n ${from + i}}))`).join(" ");
/** An activity makes a call alone that is irreversible: the calls after it are not behind the reply any more, but in a stretch. */
const ALONE = '(task "final" (tool/final {}))';
const CHAIN = fenced(`(do ${ALONE} ${chain(1, 6)} (return {:paid 6}))`);

const start = ({ client, tools }: Rig, raw: object = {}) =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ name: "payer", tools: tools.specs().map(({ name }) => name), ...raw }),
    model: "scripted",
  });
type Run = Awaited<ReturnType<typeof start>>;

export const signalled = (run: Run) =>
  until(
    async () =>
      ((await run.workflow.fetchHistory()).events ?? []).some(
        ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === "callsReported",
      ),
    "the stretch has reported",
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

function busy() {
  let tries = 0;
  return defineTool({
    name: "pay",
    signature: "(n :int) -> :int",
    run: ({ n }) => {
      if (Number(n) === 3 && ++tries < 3) throw new ToolRetry("busy", { after_ms: 1 });
      return Number(n);
    },
  });
}

const REPORTED = held();
const CANCELLED = held();
const REPORTED_CANCELLED = held();
const PAUSED = held();
const TOLD = held();
const TERMINATED = held();
const EQUAL = held();

export const STRETCH_RECORDINGS: Recording[] = [
  alone("stretch-chain", {
    tools: [pay, look, final],
    script: [
      fenced(`(do ${ALONE} ${chain(1, 3)} (task "seen" (tool/look {:n 4})) (task "last" (tool/final {}))
        ${chain(5, 6)} (pmap (fn [i] (tool/pay {:n i})) [7 8]) ${chain(9, 10)} (return 1))`),
    ],
  }),
  alone("stretch-loop", {
    tools: [pay, final],
    script: [
      fenced(`(do ${ALONE} (mapv (fn [i] (task (str "p" i) (tool/pay {:n i}))) (range 1 6)))`),
      fenced(`(do ${chain(6, 8)} (return 1))`),
    ],
  }),
  alone("stretch-open", { tools: [busy(), final], script: [CHAIN] }),
  alone("stretch-off", { tools: [pay, final], script: [CHAIN] }, { sequences: false }),
  alone("stretch-too-large", { tools: [pay, final], script: [CHAIN] }, { system_prompt: "x".repeat(70_000) }),
  {
    name: "stretch-reported",
    rig: { tools: [REPORTED.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await REPORTED.reached;
      await signalled(run);
      await run.recordDecision({ id: "pay_5", value: 50, by: "anna" });
      REPORTED.release();
      expect((await run.result()).journal).toMatchObject({ pay_3: 3, pay_5: 50 });
      return [run.workflow.workflowId];
    },
  },
  {
    // It waits until the answers are given, and the program ends with them.
    name: "stretch-told-meanwhile",
    rig: { tools: [TOLD.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await TOLD.reached;
      await run.signalDecision({ id: "noted", value: 1, by: "anna" });
      TOLD.release();
      expect((await run.result()).journal).toMatchObject({ pay_6: 6, noted: 1 });
      return [run.workflow.workflowId];
    },
  },
  {
    // The second equal call asks in a promise of its own, and the decision still waits for all answers.
    name: "stretch-equal",
    rig: {
      tools: [EQUAL.tool, final],
      script: [
        fenced(
          `(do ${ALONE} (tool/pay {:n 1}) (tool/pay {:n 1}) (task "b" (tool/pay {:n 2})) (tool/pay {:n 3}) (return 1))`,
        ),
      ],
    },
    run: async (rig) => {
      const run = await start(rig);
      await EQUAL.reached;
      await run.signalDecision({ id: "b", value: 20, by: "anna" });
      await signalled(run);
      EQUAL.release();
      expect(await run.result()).toMatchObject({ fail: null, return: 1 });
      return [run.workflow.workflowId];
    },
  },
  {
    name: "stretch-paused",
    rig: { tools: [PAUSED.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await PAUSED.reached;
      await run.pause({ by: "anna" });
      PAUSED.release();
      await until(async () => (await run.journal()).length === 4, "the call has ended");
      await run.resume({ by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  ...[
    { name: "stretch-cancelled", held: CANCELLED, waits: false },
    { name: "stretch-reported-cancelled", held: REPORTED_CANCELLED, waits: true },
  ].map(({ name, held: { tool, reached }, waits }) => ({
    name,
    rig: { tools: [tool, final], script: [CHAIN] },
    run: async (rig: Rig) => {
      const run = await start(rig);
      await reached;
      if (waits) await signalled(run);
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [run.workflow.workflowId];
    },
  })),
  {
    name: "stretch-terminated",
    rig: { tools: [TERMINATED.tool, final], script: [CHAIN] },
    run: async (rig) => {
      const run = await start(rig);
      await TERMINATED.reached;
      await run.terminate({ by: "anna" });
      await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "TerminatedFailure" } });
      return [run.workflow.workflowId];
    },
  },
];

const between = (i: number): string => `${chain(2 * i + 1, 2 * i + 2)} (task "final_${i}" (tool/final {}))`;

export const LONG_STRETCH_RECORDINGS: Recording[] = [
  alone("stretch-continued", {
    tools: [pay, final],
    script: [fenced(`(do ${ALONE} ${Array.from({ length: 8 }, (_, i) => between(i)).join(" ")} (return 1))`)],
  }),
];
