import { setTimeout as wait } from "node:timers/promises";
import { ApplicationFailure } from "@temporalio/common";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { defineTool, type ToolContext, ToolRetry } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual, replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { forgetCalls } from "../recordings/lost-worker";
import { activitiesOf as askedFor } from "../sequences/run-events";

/** Batches (engine reference, section 17) on a real server: what they make, and what ends their calls. */

interface Made {
  n: number;
  key: string;
  attempt: number;
}

let made: Made[];
let during: (call: Made, context: ToolContext) => Promise<unknown> | unknown;
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
  paying("pay", { batch: true }),
  paying("book", { batch: 3 }),
  paying("look", { effect: "read", batch: true }),
  paying("put", { effect: "idempotent", batch: true }),
  paying("single"),
  paying("note", { batch: true, signature: "(n :int, text :string) -> {tx :string}" }),
  defineTool({
    name: "bulk",
    batch: true,
    signature: "(n :int) -> {text :string}",
    run: ({ n }, { idempotencyKey: key, attempt }) => {
      made.push({ n: Number(n), key, attempt });
      return { text: "x".repeat(300_000) };
    },
  }),
];

const all = (n: number, tool = "pay") =>
  `(return (count (pmap (fn [i] (task (str "t" i) (tool/${tool} {:n i}))) (range 1 ${n + 1}))))`;

const SCRIPTS: { [name: string]: string } = {
  forty: all(40),
  "forty-single": all(40, "single"),
  ten: all(10),
  books: `(return (count (pmap (fn [i] (tool/book {:n i})) (range 7))))`,
  mixed: `(return (count (pcalls #(tool/pay {:n 1}) #(tool/look {:n 2}) #(tool/put {:n 3}) #(tool/pay {:n 4})
    #(tool/look {:n 5}) #(tool/put {:n 6}) #(tool/single {:n 7}) #(tool/book {:n 8}))))`,
  failing: `(return (pmap (fn [i] (get-in (tool-try (tool/pay {:n i})) [:ok :tx] "none")) [1 2 3]))`,
  limited: "(pmap (fn [i] (tool/pay {:n i})) [1 2 3])",
  large: `(let [text (apply str (map (fn [_] "x") (range 20000)))]
    (return (count (pmap (fn [i] (tool/note {:n i :text text})) (range 7)))))`,
  bulky: `(return (count (pmap (fn [i] (count (:text (tool/bulk {:n i})))) (range 5))))`,
  gone: "(pmap (fn [i] (tool/gone {:n i})) [1 2])",
};

beforeAll(async () => {
  const script = Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, program]) => [name, [fenced(program), fenced("(return :over)")]]),
  );
  rig = await openRig({ tools: TOOLS, script });
});
beforeEach(() => {
  made = [];
  during = () => {};
});
afterAll(() => rig.stop());

const start = (name: string, more: object = {}) =>
  rig.client.startAgent({
    agent: agent({ name, tools: TOOLS.map(({ spec }) => spec), pmap_max_concurrency: 100, ...more }),
    model: "scripted",
  });

type Run = Awaited<ReturnType<typeof start>>;

/** A model is asked by either of two activities. */
const activitiesOf = async (run: Run): Promise<string[]> =>
  (await askedFor(run)).map((type) => (type === "runCalls:model" ? "runCalls:model" : type));

const historyOf = async (run: Run) => (await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory;
const effectsOf = async (run: Run) => projectEffects(await historyOf(run));
const numbers = () => made.map(({ n }) => n).sort((a, b) => a - b);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

async function expectSound(run: Run): Promise<void> {
  const history = await historyOf(run);
  await replay(history);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(0);
}

test("forty calls are one activity; journal, ledger and trace are as of single calls", async () => {
  const run = await start("forty");
  const step = await run.result();
  expect(step).toMatchObject({ return: 40, fail: null });
  expect(numbers()).toEqual(upTo(40));
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed"]);
  const effects = await effectsOf(run);
  expect(effects.map(({ state, key }) => [state, key])).toEqual(made.map(({ key }) => ["done", key]));
  await expectSound(run);

  const single = await start("forty-single");
  const other = await single.result();
  expect(await activitiesOf(single)).toEqual(["runCalls:model", ...upTo(40).map(() => "callTool")]);
  const essence = ({ journal, turns, usage, return: value }: typeof step) => ({
    journal,
    value,
    calls: turns?.[0]?.tool_calls.map(({ duration_ms: _, timestamp: __, name: ___, ...call }) => call),
    turns: usage?.turns,
  });
  expect(essence(step)).toEqual(essence(other));
  const trace = async (run: Run) =>
    (await effectsOf(run)).map(({ args, answer, task, state }) => ({ args, answer, task, state }));
  expect(await trace(run)).toEqual(await trace(single));
});

/** The SDK ends an activity of which it has not heard for 7.5 s. */
const BEYOND_SDK_MS = 9_000;

test("a call that takes long is made once, and so are those that were answered beside it", async () => {
  during = ({ n }) => (n === 3 ? wait(BEYOND_SDK_MS) : undefined);
  const run = await start("ten");
  expect(await run.result()).toMatchObject({ return: 10, fail: null });
  expect(numbers()).toEqual(upTo(10));
});

test("a batch has at most as many calls as its tool says, and each tool has its own", async () => {
  const books = await start("books");
  expect(await books.result()).toMatchObject({ return: 7 });
  expect(await activitiesOf(books)).toEqual(["runCalls:model", "runCalls:listed", "runCalls:listed", "callTool"]);
  await expectSound(books);
  made = [];
  const mixed = await start("mixed");
  expect(await mixed.result()).toMatchObject({ return: 8 });
  expect((await activitiesOf(mixed)).sort()).toEqual([
    ...["callTool", "callTool"],
    ...["runCalls:listed", "runCalls:listed", "runCalls:listed"],
    "runCalls:model",
  ]);
  expect(numbers()).toEqual(upTo(8));
  await expectSound(mixed);
});

test("arguments of more than 64 KiB are divided among batches", async () => {
  const run = await start("large");
  expect(await run.result()).toMatchObject({ return: 7 });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed", "runCalls:listed", "callTool"]);
  expect(numbers()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("an answer for which a batch has no room is asked for again, with its key", async () => {
  const run = await start("bulky");
  expect(await run.result()).toMatchObject({ return: 5 });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed", "callTool", "callTool"]);
  expect(new Set(made.map(({ key }) => key)).size).toBe(5);
  // The worker has kept the answers of the two.
  expect(made.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
});

test("a tool that no worker has is asked for by single calls", async () => {
  const tools = [...TOOLS.map(({ spec }) => spec), { name: "gone", effect: "write", batch: 5 }];
  const run = await start("gone", { tools });
  const [turn] = (await run.result()).turns ?? [];
  expect(JSON.stringify(turn)).toContain("Unknown tool: gone");
  expect(await activitiesOf(run)).toEqual([
    "runCalls:model",
    "runCalls:listed",
    "callTool",
    "callTool",
    "runCalls:model",
  ]);
});

test("a tool that asks for another attempt is called again by itself, with its key, and its attempts count", async () => {
  during = ({ n, attempt }) => {
    if (n === 3 && attempt < 3) throw new ToolRetry("busy", { after_ms: 1 });
  };
  const run = await start("ten");
  expect(await run.result()).toMatchObject({ return: 10 });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed", "callTool"]);
  const third = made.filter(({ n }) => n === 3);
  expect(third.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(new Set(third.map(({ key }) => key)).size).toBe(1);
  expect(made).toHaveLength(12);
  await expectSound(run);
});

test("a call that fails is data, and the others have their answers", async () => {
  during = ({ n }) => {
    if (n === 2) throw new Error("no money");
  };
  const run = await start("failing");
  expect(await run.result()).toMatchObject({ return: ["tx-1", "none", "tx-3"] });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed"]);
  expect((await effectsOf(run)).map(({ state }) => state)).toEqual(["done", "failed", "done"]);
  await expectSound(run);
});

/** Holds the calls with these numbers. */
function held(...held: number[]): { reached: Promise<void>; release: () => void } {
  let [release, reach] = [() => {}, () => {}];
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let left = held.length;
  during = async ({ n }, { signal }) => {
    if (!held.includes(n)) return;
    left -= 1;
    if (left === 0) reach();
    await Promise.race([
      gate,
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
    ]);
  };
  return { reached, release: () => release() };
}

/** The answers that the heartbeats of a run's batches have. */
const keptBy = async (run: Run): Promise<number> => {
  const { raw } = await run.workflow.describe();
  const payloads = (raw.pendingActivities ?? []).flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []);
  return payloads
    .map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as { made?: unknown[] })
    .reduce((sum, { made: answers = [] }) => sum + answers.length, 0);
};

test("a worker that is stopped in the middle: nothing that was answered is made again", async () => {
  const { reached, release } = held(4, 9);
  const run = await start("ten");
  await reached;
  await until(async () => (await keptBy(run)) === 8, "the answers are kept");
  await rig.stopWorker();
  release();
  during = () => {};
  await rig.startWorker();
  expect(await run.result()).toMatchObject({ return: 10 });
  expect(numbers()).toEqual([1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10]);
  for (const n of [4, 9]) {
    const calls = made.filter((call) => call.n === n);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
  }
  await expectSound(run);
});

test.each(["cancel", "terminate"] as const)("%s during a batch: what was made is in the ledger", async (end) => {
  const { reached } = held(4, 9);
  const run = await start("ten");
  await reached;
  await until(async () => (await keptBy(run)) === 8, "the answers are kept");
  await run[end]({ by: "anna" });
  await expect(run.result()).rejects.toThrow();
  const effects = await effectsOf(run);
  expect(effects.filter(({ state }) => state === "done")).toHaveLength(8);
  const open = effects.filter(({ state }) => state !== "done");
  expect(open.map(({ state, task }) => [state, task])).toEqual([
    ["intended", "t4"],
    ["intended", "t9"],
  ]);
  expect(numbers()).toEqual(upTo(10));
  await replay(await historyOf(run));
});

test("a call that is not over at its pmap_timeout is given up; the others have their answers", async () => {
  held(2);
  const run = await start("limited", { pmap_timeout: 20_000 });
  const [turn] = (await run.result()).turns ?? [];
  expect(JSON.stringify(turn)).toContain("it took longer than the pmap_timeout of 20000 ms");
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed", "runCalls:model"]);
  expect((await effectsOf(run)).map(({ state }) => state)).toEqual(["done", "unknown", "done"]);
  await expectSound(run);
});

test("a worker that is lost is replaced three times; then each call is made by itself", async () => {
  const { reached, release } = held(4, 9);
  const remember = forgetCalls();
  const run = await start("ten");
  await reached;
  const lose = async (attempt: number) => {
    await until(async () => (await keptBy(run)) === 8, "the answers are kept");
    const { raw } = await run.workflow.describe();
    const [pending] = raw.pendingActivities ?? [];
    const { workflowId } = run.workflow;
    await rig.client.temporal.activity.fail(
      { workflowId, runId: "", activityId: pending?.activityId as string },
      ApplicationFailure.create({ type: "worker_lost", message: "lost" }),
    );
    await until(async () => made.filter((call) => call.attempt === attempt).length === 2, "the next attempt has begun");
  };
  for (const attempt of [2, 3, 4]) await lose(attempt);
  release();
  expect(await run.result()).toMatchObject({ return: 10 });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:listed", "callTool", "callTool"]);
  for (const n of [4, 9])
    expect(made.filter((call) => call.n === n).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  expect(made).toHaveLength(16);
  remember();
  await expectSound(run);
});
