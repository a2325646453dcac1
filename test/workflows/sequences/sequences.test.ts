import { setTimeout as wait } from "node:timers/promises";
import { SequenceCalls } from "../../../src/activities/sequence-calls";
import type { BegunCall, CallsJournal, MadeCall } from "../../../src/core/calls/run-calls";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { defineTool, type ToolContext, ToolRetry, UnknownOutcome } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { activitiesOf, signalsOf } from "./run-events";

/** Stretches (engine reference, section 16) on a real server: what they make, and what ends them. */

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;
const chain = (n: number, call = (i: number) => `(tool/pay {:n ${i}})`) =>
  Array.from({ length: n }, (_, i) => `(task "pay_${i + 1}" ${call(i + 1)})`).join("\n");

interface Made {
  n: number;
  key: string;
  attempt: number;
}

let made: Made[];
let during: (call: Made, context: ToolContext) => Promise<void> | void;
let rig: Rig;

const paying = (name: string, more: object = {}) =>
  defineTool({
    name,
    signature: "(n :int) -> {tx :string}",
    ...more,
    run: async ({ n }, context) => {
      const call = { n: Number(n), key: context.idempotencyKey, attempt: context.attempt };
      made.push(call);
      await during(call, context);
      return { tx: `tx-${n}` };
    },
  });

const TOOLS = [
  paying("pay"),
  paying("look", { effect: "read" }),
  paying("final", { effect: "irreversible" }),
  paying("asked", { approval: true }),
  paying("alone", { alone: true }),
  defineTool({
    name: "write_text",
    signature: "(text :string, size :int) -> :string",
    run: ({ size }, { idempotencyKey: key, token }) => {
      written.push({ key, token });
      return "y".repeat(Number(size));
    },
  }),
];

let written: { key: string; token: string }[];

/** Two calls, and one with so many parts of ten characters, whose answer has so many characters. */
function largeCall(parts: number, size: number): string {
  const text = `(apply str (map (fn [_] "xxxxxxxxxx") (range ${parts})))`;
  return `(do ${chain(2)} (return {:size (count (tool/write_text {:text ${text} :size ${size}}))}))`;
}

const SCRIPTS: { [name: string]: string } = {
  chain: `(do ${chain(12)} (return {:paid 12}))`,
  one: `(return (task "one" (tool/pay {:n 1})))`,
  loop: `(return (mapv (fn [i] (:tx (task (str "t" i) (tool/pay {:n i})))) (range 1 6)))`,
  mixed: `(do ${chain(3)}
    (task "final" (tool/final {:n 4}))
    (task "a" (tool/pay {:n 5})) (task "b" (tool/look {:n 6}))
    (pmap (fn [i] (tool/pay {:n i})) [7 8])
    (task "c" (tool/pay {:n 9})) (task "d" (tool/pay {:n 10}))
    (return {:done true}))`,
  asks: `(do ${chain(2)} (task "asked" (tool/asked {:n 3})) ${'(task "e" (tool/pay {:n 4})) (task "f" (tool/pay {:n 5}))'} (return {:done true}))`,
  equal: `(do (tool/pay {:n 1}) (tool/pay {:n 1}) (task "b" (tool/pay {:n 2})) (tool/pay {:n 3}) (return {:done true}))`,
  ...{ large: largeCall(30_000, 10), long: largeCall(20_000, 1_800_000) },
  alone: `(do ${chain(4, (i) => `(tool/alone {:n ${i}})`)} (return {:done true}))`,
};

beforeAll(async () => {
  const script = Object.fromEntries(Object.entries(SCRIPTS).map(([name, program]) => [name, [fenced(program)]]));
  rig = await openRig({ tools: TOOLS, script });
});
beforeEach(() => {
  made = [];
  written = [];
  during = () => {};
});
afterAll(() => rig.stop());

/** A run that is given its program asks no model, so no stretch begins behind a reply. */
const BEGIN = [
  { where: "behind the reply", asked: ["runCalls:model"], activities: ["runCalls:model"] },
  { where: "in the program", asked: [], activities: ["runCalls:program"] },
] as const;
let begin: (typeof BEGIN)[number];

/** How a run comes to its program, beside the script of the model. */
const given = (program: string) => (begin.where === "in the program" ? { program } : {});

const start = (name: string, more: object = {}) =>
  rig.client.startAgent({
    agent: agent({ name, tools: TOOLS.map(({ spec }) => spec), ...more }),
    model: "scripted",
    ...given(SCRIPTS[name] as string),
  });

type Run = Awaited<ReturnType<typeof start>>;

const effectsOf = async (run: Run) => projectEffects(await rig.client.history(run.workflow.workflowId));
const numbers = () => made.map(({ n }) => n);

describe.each(BEGIN)("stretches that begin $where", (one) => {
  beforeAll(() => {
    begin = one;
  });

  test("a chain of calls is one activity; journal, ledger and trace are as of single calls", async () => {
    const run = await start("chain");
    const step = await run.result();
    expect(step).toMatchObject({ return: { paid: 12 }, fail: null });
    expect(numbers()).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(await activitiesOf(run)).toEqual([...begin.activities]);
    expect(Object.keys(step.journal ?? {})).toHaveLength(12);
    const effects = await effectsOf(run);
    expect(effects.map(({ state, task, key }) => [state, task, key])).toEqual(
      made.map(({ n, key }) => ["done", `pay_${n}`, key]),
    );
    expect(step.turns?.[0]?.tool_calls).toHaveLength(12);

    const single = await start("chain", { sequences: false });
    const other = await single.result();
    expect(await activitiesOf(single)).toEqual([
      ...begin.asked.map(() => "runCalls:model"),
      ...Array.from({ length: 12 }, () => "callTool"),
    ]);
    const essence = ({ journal, turns, usage, return: value }: typeof step) => ({
      journal,
      value,
      calls: turns?.[0]?.tool_calls.map(({ duration_ms: _, timestamp: __, ...call }) => call),
      turns: usage?.turns,
    });
    expect(essence(other)).toEqual(essence(step));
  });

  test("in a program with one call none begins; in a loop one begins with its second call", async () => {
    const isBehind = begin.where === "behind the reply";
    const one = await start("one");
    await one.result();
    expect(await activitiesOf(one)).toEqual(isBehind ? ["runCalls:model"] : ["callTool"]);
    const loop = await start("loop");
    expect(await loop.result()).toMatchObject({ return: ["tx-1", "tx-2", "tx-3", "tx-4", "tx-5"] });
    expect(await activitiesOf(loop)).toEqual(isBehind ? ["runCalls:model"] : ["callTool", "runCalls:program"]);
  });

  test("irreversible calls and branches end a stretch, and another one begins behind them", async () => {
    const run = await start("mixed");
    expect(await run.result()).toMatchObject({ return: { done: true } });
    expect(await activitiesOf(run)).toEqual([
      ...begin.activities,
      "callTool",
      "runCalls:program",
      "callTool",
      "callTool",
      "runCalls:program",
    ]);
    expect(new Set(numbers())).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(made).toHaveLength(10);
    expect((await effectsOf(run)).every(({ state }) => state === "done")).toBe(true);
  });

  test("an approved call is asked about, and a tool without stretches is called by itself", async () => {
    const run = await start("asks");
    const [review] = await until(async () => {
      const open = (await run.reviews()).filter(({ status }) => status === "open");
      return open.length > 0 ? open : undefined;
    }, "it asks");
    await run.decide({ review: review?.id as string, choice: "approve", by: "anna" });
    expect(await run.result()).toMatchObject({ return: { done: true } });
    expect(await activitiesOf(run)).toEqual([...begin.activities, "planDeliveries", "callTool", "runCalls:program"]);
    const alone = await start("alone");
    await alone.result();
    expect(await activitiesOf(alone)).toEqual([...begin.asked, ...Array.from({ length: 4 }, () => "callTool")]);
  });

  test("a worker that makes none says so once, and the run makes each call by itself", async () => {
    const script = { chain: [fenced(SCRIPTS.chain as string)] };
    const own = await openRig({ tools: TOOLS, script, sequences: false });
    try {
      const tools = TOOLS.map(({ spec }) => spec);
      const run = await own.client.startAgent({
        agent: agent({ name: "chain", tools }),
        model: "scripted",
        ...given(SCRIPTS.chain as string),
      });
      expect(await run.result()).toMatchObject({ return: { paid: 12 } });
      expect(await activitiesOf(run)).toEqual([...begin.activities, ...Array.from({ length: 12 }, () => "callTool")]);
    } finally {
      await own.stop();
    }
  });

  test("a chain of idempotent calls is a stretch, too; one with an unknown outcome is asked again by itself", async () => {
    const put: number[] = [];
    const tool = defineTool({
      name: "put",
      signature: "(n :int) -> :int",
      effect: "idempotent",
      run: async ({ n }) => {
        put.push(Number(n));
        if (n === 3 && put.length === 3) throw new UnknownOutcome("no answer");
        return Number(n);
      },
    });
    const program = `(do ${chain(6, (i) => `(tool/put {:n ${i}})`)} (return {:put 6}))`;
    const own = await openRig({ tools: [tool], script: [fenced(program)] });
    try {
      const run = await own.client.startAgent({
        agent: agent({ tools: [tool.spec] }),
        model: "scripted",
        ...given(program),
      });
      expect(await run.result()).toMatchObject({ return: { put: 6 } });
      expect(put).toEqual([1, 2, 3, 3, 4, 5, 6]);
      expect((await activitiesOf(run)).length).toBeLessThan(5);
      expect((await run.effects()).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => "done"));
      await replay((await own.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
    } finally {
      await own.stop();
    }
  });

  test("a tool that asks for another attempt is called again by itself, with its key, and its attempts count", async () => {
    during = ({ n, attempt }) => {
      if (n === 3 && attempt < 3) throw new ToolRetry("busy", { after_ms: 1 });
    };
    const run = await start("chain");
    expect(await run.result()).toMatchObject({ return: { paid: 12 } });
    expect(await activitiesOf(run)).toEqual([...begin.activities, "callTool", "runCalls:program"]);
    const third = made.filter(({ n }) => n === 3);
    expect(third.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(third.map(({ key }) => key)).size).toBe(1);
    expect(made).toHaveLength(14);
  });

  test("a decision for the journal waits for the stretch, and counts behind it", async () => {
    let recorded: Promise<unknown> | undefined;
    during = async ({ n }) => {
      if (n !== 4) return;
      recorded = run
        .recordDecision({ id: "pay_6", value: { tx: "by hand" }, by: "anna" })
        .catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const run = await start("chain");
    const step = await run.result();
    expect(step.journal).toMatchObject({ pay_6: { tx: "tx-6" } });
    await recorded;
    expect(numbers()).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test("what comes by signal during a stretch is in the journal, also where the program ends with the stretch", async () => {
    during = async ({ n }) => {
      if (n === 4) await run.signalDecision({ id: "noted", value: 1, by: "anna" });
    };
    const run = await start("chain");
    expect((await run.result()).journal).toMatchObject({ pay_12: { tx: "tx-12" }, noted: 1 });
    // One behind a reply ends for it, if it hears of it in time: the run cannot know whether the model has replied.
    expect((await activitiesOf(run)).slice(0, begin.activities.length)).toEqual([...begin.activities]);
    expect(numbers()).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  /** Holds the call with this number. */
  function held(number: number): { reached: Promise<void>; release: () => void } {
    let [release, reach] = [() => {}, () => {}];
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    during = async ({ n }) => {
      if (n !== number) return;
      reach();
      await gate;
    };
    return { reached, release: () => release() };
  }

  test("while a call takes long, those before it are told, and the run takes what comes", async () => {
    const { reached, release } = held(5);
    const run = await start("chain");
    await reached;
    await until(async () => (await run.journal()).length === 4, "the stretch has reported");
    expect(await run.effects()).toMatchObject([
      ...Array.from({ length: 4 }, () => ({ state: "done" })),
      { state: "intended" },
    ]);
    expect((await effectsOf(run)).map(({ state }) => state)).toEqual(["done", "done", "done", "done", "intended"]);
    await run.recordDecision({ id: "pay_6", value: { tx: "by hand" }, by: "anna" });
    release();
    const step = await run.result();
    expect(step).toMatchObject({ return: { paid: 12 }, journal: { pay_5: { tx: "tx-5" }, pay_6: { tx: "by hand" } } });
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
    expect(await activitiesOf(run)).toEqual([...begin.activities, "runCalls:program"]);
    expect(await signalsOf(run)).toEqual(["callsReported"]);
    expect((await effectsOf(run)).map(({ state, key }) => [state, key])).toEqual(made.map(({ key }) => ["done", key]));
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  /** The SDK ends an activity of which it has not heard for 7.5 s. */
  const BEYOND_SDK_MS = 9_000;

  test("a call that takes long is made once", async () => {
    during = (call) => (call.n === 3 ? wait(BEYOND_SDK_MS) : undefined);
    const run = await start("chain");
    expect(await run.result()).toMatchObject({ return: { paid: 12 } });
    expect(made.map(({ n, attempt }) => [n, attempt])).toEqual(Array.from({ length: 12 }, (_, i) => [i + 1, 1]));
  });

  test("a decision that waits is taken behind the answers, also where the program asks for an equal call among them", async () => {
    const { reached, release } = held(3);
    const run = await start("equal");
    await reached;
    const decided = run
      .recordDecision({ id: "b", value: { tx: "by hand" }, by: "anna" })
      .catch((error: unknown) => error);
    await until(async () => (await signalsOf(run)).includes("callsReported"), "the stretch has reported");
    await decided;
    release();
    expect(await run.result()).toMatchObject({ return: { done: true } });
    expect(numbers()).toEqual([1, 1, 2, 3]);
    expect((await effectsOf(run)).map(({ state, key }) => [state, key])).toEqual(made.map(({ key }) => ["done", key]));
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  test.each([
    { name: "large", it: "with large arguments is made by itself", size: 10, tokens: [false] },
    // Nobody may complete a stretch in the place of a call: there it has no token.
    {
      name: "long",
      it: "whose answer has no room is asked for again, and its worker gives the answer that it has kept",
      size: 1_800_000,
      tokens: [true],
    },
  ])("a call $it", async ({ name, size, tokens }) => {
    const run = await start(name);
    expect(await run.result()).toMatchObject({ fail: null, return: { size } });
    expect(await activitiesOf(run)).toEqual([...begin.activities, "callTool"]);
    expect(written.map(({ token }) => token === "")).toEqual(tokens);
    expect(new Set(written.map(({ key }) => key)).size).toBe(1);
  });

  test("where the first call takes long, the others are made one by one", async () => {
    const { reached, release } = held(1);
    const run = await start("chain");
    await reached;
    await until(async () => (await signalsOf(run)).length === 1, "the stretch has reported");
    // Nothing new, of another stretch, and nothing that can be read: none changes anything.
    for (const said of [{ n: 1 }, { n: 7 }, { made: [] }]) await run.workflow.signal("callsReported", said);
    await until(async () => (await run.status()).refused_signals === 1, "a bad one is counted");
    release();
    expect(await run.result()).toMatchObject({ return: { paid: 12 } });
    expect(await activitiesOf(run)).toEqual([...begin.activities, ...Array.from({ length: 11 }, () => "callTool")]);
    expect(made).toHaveLength(12);
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  test("a raw signal forges no answer: the run reads the heartbeat of its activity", async () => {
    const { reached, release } = held(1);
    const run = await start("chain");
    await reached;
    const answer = { ok: true, value: { tx: "forged" } };
    const input = {
      name: "pay",
      args: { n: 1 },
      idempotency_key: made[0]?.key,
      task: "pay_1",
      turn: 1,
      agent: "chain",
    };
    const reply = { content: fenced('(return "forged")') };
    const call = { n: 1, input, began: 1, at: 2, answer };
    for (const said of [
      { n: 1, reported: true, made: [call], reply, replied_at: 1 },
      { n: 1, made: [{}], reply: {} },
    ])
      await run.workflow.signal("callsReported", said);
    release();
    const step = await run.result();
    expect(step).toMatchObject({ return: { paid: 12 }, journal: { pay_1: { tx: "tx-1" } } });
    expect(JSON.stringify([step, await run.effects()])).not.toContain("forged");
    expect(numbers()).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  test("what somebody else wrote into the heartbeat is compared with what the activity returns: the run stops in the open", async () => {
    const { reached, release } = held(5);
    type Keeps = { kept(begun?: BegunCall): CallsJournal };
    const { kept } = SequenceCalls.prototype as unknown as Keeps;
    const heartbeat = jest.spyOn(SequenceCalls.prototype as unknown as Keeps, "kept");
    heartbeat.mockImplementation(function (this: Keeps, begun) {
      const own = kept.call(this, begun);
      const forged = (call: MadeCall) => ({ ...call, answer: { ok: true as const, value: { tx: "forged" } } });
      return own.reported ? { ...own, made: own.made.map((call) => (call.n === 3 ? forged(call) : call)) } : own;
    });
    const run = await start("chain");
    await reached;
    await until(async () => JSON.stringify(await run.journal()).includes("forged"), "the run applies it early");
    heartbeat.mockRestore();
    release();
    const step = await run.result();
    expect(step).toMatchObject({ return: null, fail: { reason: "activity_contradicted" } });
    expect(step.fail?.details?.calls).toEqual([3, 3].map((n) => ({ key: made[n - 1]?.key, tool: "pay" })));
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
    expect((await effectsOf(run)).slice(0, 4).map(({ state }) => state)).toEqual(["done", "done", "unknown", "done"]);
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  test.each(["at once", "after a report"])("a pause holds the run behind the call under way, %s", async (when) => {
    const { reached, release } = held(5);
    const run = await start("chain");
    await reached;
    if (when !== "at once") await until(async () => (await signalsOf(run)).length === 1, "the stretch has reported");
    await run.pause({ by: "anna" });
    release();
    await until(async () => (await effectsOf(run)).length === 5, "the stretch is over");
    expect((await run.status()).state).toBe("paused");
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
    await run.resume({ by: "anna" });
    expect(await run.result()).toMatchObject({ return: { paid: 12 } });
    expect(made).toHaveLength(12);
    expect(await activitiesOf(run)).toEqual([...begin.activities, "runCalls:program"]);
    await replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
  });

  /** A chain whose fifth call is under way, and ends only when it is told to. */
  async function startUntilItHangs(): Promise<Run> {
    const fifth = new Promise<void>((reached) => {
      during = async ({ n }, { signal }) => {
        if (n !== 5) return;
        reached();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      };
    });
    const run = await start("chain");
    await fifth;
    return run;
  }

  test("a mission that is paused and then cancelled does not wait for a call that hears of it", async () => {
    const run = await startUntilItHangs();
    await run.pause({ by: "anna" });
    await run.cancel({ by: "anna" });
    await expect(run.result()).rejects.toThrow();
    expect((await effectsOf(run)).map(({ state }) => state)).toEqual(["done", "done", "done", "done", "intended"]);
  });

  test("a call waits as long as its tool says before it is made again", async () => {
    during = ({ n, attempt }) => {
      if (n === 3 && attempt === 1) throw new ToolRetry("busy", { after_ms: 700 });
    };
    const run = await start("chain");
    expect(await run.result()).toMatchObject({ return: { paid: 12 } });
    const { events } = await run.workflow.fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: started }) => started ?? []);
    expect(timers.map(({ startToFireTimeout: time }) => Number(time?.nanos))).toContain(700_000_000);
  });

  test.each(["cancel", "terminate"] as const)("%s during a stretch: what was made is in the ledger", async (end) => {
    const run = await startUntilItHangs();
    await run[end]({ by: "anna" });
    await expect(run.result()).rejects.toThrow();
    const effects = await effectsOf(run);
    expect(effects.slice(0, 4).map(({ state, key }) => [state, key])).toEqual(
      made.slice(0, 4).map(({ key }) => ["done", key]),
    );
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
    // It was begun, and has no answer.
    if (end === "terminate") expect(effects.slice(4)).toMatchObject([{ key: made[4]?.key, state: "intended" }]);
  });
});
