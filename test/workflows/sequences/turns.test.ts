import { projectEffects } from "../../../src/core/history/read/project-effects";
import { createModels, type Model, ModelError } from "../../../src/models";
import { defineTool } from "../../../src/tools";
import { gate } from "../../support/gate";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { activitiesOf, eventsOf, signalsOf } from "./run-events";

/** Stretches that begin with the reply of a model (engine reference, section 16), while the model is asked. */

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;
const pays = (...ns: number[]) => ns.map((n) => `(task "pay_${n}" (tool/pay {:n ${n}}))`).join("\n");

/** The SDK ends an activity of which it has not heard for 7.5 s. */
const BEYOND_SDK_MS = 9_000;

/** Each time the model is asked: the number of the call in its run. */
let asked: number[];
let paid: { n: number; key: string }[];
/** Before the model replies. */
let thinking: (signal: AbortSignal) => Promise<void>;
let rig: Rig;

const pay = defineTool({
  name: "pay",
  signature: "(n :int) -> {tx :string}",
  run: ({ n }, { idempotencyKey: key }) => {
    paid.push({ n: Number(n), key });
    return { tx: `tx-${n}` };
  },
});

const SCRIPT = {
  chain: [fenced(`(do ${pays(1, 2, 3, 4)} (return {:paid 4}))`)],
  turns: [
    fenced(`(def total 1) ${pays(1)}`),
    fenced(`(def total (+ total 1)) ${pays(2)}`),
    fenced(`(return (+ total 1))`),
  ],
  large: [
    fenced(`(def text (apply str (map (fn [_] "xxxxxxxxxx") (range 3000)))) ${pays(1)}`),
    fenced(`${pays(2)} (return (count text))`),
  ],
  talk: ["I do not know.", fenced(`${pays(1)} (return 1)`)],
  fails: [
    { content: fenced(`${pays(1)} (return 1)`), error: { class: "server_error" as const, message: "busy", times: 1 } },
  ],
};

beforeAll(async () => {
  const scripted = createModels({ env: {}, script: SCRIPT });
  const counting = (model: Model): Model => ({
    complete: async (call, options) => {
      asked.push(call.call);
      await thinking(options.signal);
      return model.complete(call, options);
    },
  });
  const models = { ...scripted, resolve: (name: string) => counting(scripted.resolve(name)) };
  rig = await openRig({ tools: [pay], models });
});
beforeEach(() => {
  asked = [];
  paid = [];
  thinking = async () => {};
});
afterAll(() => rig.stop());

const start = (name: string, more: object = {}) =>
  rig.client.startAgent({
    agent: agent({ name, tools: [pay.spec], max_turns: 5, memory_limit: 100_000, ...more }),
    model: "scripted",
  });
type Run = Awaited<ReturnType<typeof start>>;

const numbers = () => paid.map(({ n }) => n);
const replayed = async (run: Run) =>
  replay((await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory);

/** The model thinks until it is let go, or its call is ended. */
function slowModel(): { release: () => void; ended: Promise<void> } {
  let [release, end] = [() => {}, () => {}];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  thinking = (signal) => {
    const aborted = new Promise<never>((_, reject) => {
      const aborts = () => {
        end();
        reject(signal.reason);
      };
      if (signal.aborted) aborts();
      signal.addEventListener("abort", aborts);
    });
    return Promise.race([released, aborted]);
  };
  return { release: () => release(), ended };
}

test("a turn is one activity; what was paid, and when, is in ledger, journal and trace", async () => {
  const run = await start("turns");
  const step = await run.result();
  expect(step).toMatchObject({ return: 3, journal: { pay_1: { tx: "tx-1" }, pay_2: { tx: "tx-2" } } });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:model", "runCalls:model"]);
  expect(asked).toEqual([1, 2, 3]);
  const effects = await run.effects();
  expect(effects.map(({ state, key }) => [state, key])).toEqual(paid.map(({ key }) => ["done", key]));
  expect(projectEffects(await rig.client.history(run.workflow.workflowId))).toEqual(effects);
  await replayed(run);
});

test("a model that thinks long: a decision is heard meanwhile, no call is made behind the reply, and nobody asks twice", async () => {
  const { release } = slowModel();
  const run = await start("chain");
  await until(async () => asked.length === 1, "the model is asked");
  await run.recordDecision({ id: "pay_2", value: { tx: "by hand" }, by: "anna" });
  // Another one needs no further word with the activity.
  await run.recordDecision({ id: "pay_3", value: { tx: "by hand" }, by: "anna" });
  expect(await signalsOf(run)).toEqual(["callsReported"]);
  setTimeout(release, BEYOND_SDK_MS);
  const step = await run.result();
  expect(step.journal).toMatchObject({ pay_1: { tx: "tx-1" }, pay_2: { tx: "by hand" }, pay_3: { tx: "by hand" } });
  expect([asked, numbers()]).toEqual([[1], [1, 4]]);
  expect((await activitiesOf(run))[0]).toBe("runCalls:model");
  await replayed(run);
});

test("a model that thinks long is asked once, and its calls follow at once", async () => {
  const { release } = slowModel();
  const run = await start("chain");
  setTimeout(release, BEYOND_SDK_MS);
  expect(await run.result()).toMatchObject({ return: { paid: 4 } });
  expect([asked, numbers(), await activitiesOf(run)]).toEqual([[1], [1, 2, 3, 4], ["runCalls:model"]]);
});

test("a pause while the model thinks holds the calls behind its reply", async () => {
  const { release } = slowModel();
  const run = await start("chain");
  await until(async () => asked.length === 1, "the model is asked");
  await run.pause({ by: "anna" });
  await until(async () => (await signalsOf(run)).length === 1, "the activity makes no call");
  release();
  await until(
    async () => (await eventsOf(run)).some((event) => event.activityTaskCompletedEventAttributes),
    "the model has replied",
  );
  expect((await run.status()).state).toBe("paused");
  expect(numbers()).toEqual([]);
  await run.resume({ by: "anna" });
  expect(await run.result()).toMatchObject({ return: { paid: 4 } });
  expect([asked, numbers()]).toEqual([[1], [1, 2, 3, 4]]);
  await replayed(run);
});

test("a mission that is cancelled while the model thinks ends the call of the model", async () => {
  const { ended } = slowModel();
  const run = await start("chain");
  await until(async () => asked.length === 1, "the model is asked");
  await run.cancel({ by: "anna" });
  await expect(run.result()).rejects.toThrow();
  await ended;
  expect(await run.effects().catch(() => [])).toEqual([]);
  await replayed(run);
});

test("where too much has changed, the run makes its calls itself", async () => {
  const run = await start("large");
  expect(await run.result()).toMatchObject({ return: 30_000 });
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:model", "callTool"]);
  expect(numbers()).toEqual([1, 2]);
  await replayed(run);
});

test("another worker asks the run what it does not know of it", async () => {
  thinking = (signal) =>
    new Promise((resolve, reject) => {
      if (asked.length !== 2) return resolve();
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const run = await start("turns");
  await until(async () => asked.length === 2, "the second turn");
  await rig.stopWorker();
  await rig.startWorker();
  expect(await run.result()).toMatchObject({ return: 3 });
  expect(asked).toEqual([1, 2, 2, 3]);
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:model", "runCalls:model"]);
  expect(numbers()).toEqual([1, 2]);
});

test("a reply without a program and a provider that fails are as they are in any turn", async () => {
  const talk = await start("talk");
  expect(await talk.result()).toMatchObject({ return: 1 });
  expect(await activitiesOf(talk)).toEqual(["runCalls:model", "runCalls:model"]);
  const fails = await start("fails");
  expect(await fails.result()).toMatchObject({ return: 1 });
  expect(numbers()).toEqual([1, 1]);
});

test("a mission whose time is over while the model thinks ends then; one that has time makes its calls behind the reply", async () => {
  // Longer than a timer of the process can be.
  const month = await start("chain", { mission_timeout: 30 * 24 * 3_600_000 });
  expect(await month.result()).toMatchObject({ return: { paid: 4 } });
  expect(await activitiesOf(month)).toEqual(["runCalls:model"]);
  paid = [];
  const { ended } = slowModel();
  const short = await start("chain", { mission_timeout: 15_000 });
  expect((await short.result()).fail).toMatchObject({ reason: "mission_timeout" });
  await ended;
  expect([await activitiesOf(short), numbers()]).toEqual([["runCalls:model"], []]);
  await replayed(short);
});

test("a provider that fails between a decision and its being heard is asked again", async () => {
  const failing = gate();
  thinking = async () => {
    if (asked.length > 1) return;
    await failing.opened;
    throw new ModelError("server_error", "busy");
  };
  const run = await start("chain");
  await until(async () => asked.length === 1, "the model is asked");
  // It is taken when the run has heard from the activity; before that the model fails.
  const decided = run.recordDecision({ id: "pay_2", value: { tx: "by hand" }, by: "anna" });
  await until(
    async () => (await eventsOf(run)).some((event) => event.activityTaskCancelRequestedEventAttributes),
    "the activity is to hear of it",
  );
  failing.open();
  await decided;
  expect(await run.result()).toMatchObject({ fail: null, return: { paid: 4 } });
  expect([asked, numbers()]).toEqual([
    [1, 1],
    [1, 3, 4],
  ]);
  expect(await activitiesOf(run)).toEqual(["runCalls:model", "runCalls:model", ...(await activitiesOf(run)).slice(2)]);
  await replayed(run);
});

test("the time that a run was blocked is not taken from a turn that is asked again", async () => {
  const scripted = createModels({ env: {}, script: SCRIPT });
  let isThere = false;
  let failures = 0;
  const models = {
    ...scripted,
    resolve: (name: string): Model => {
      // No worker has it, for longer than the mission has time.
      if (!isThere) throw new ModelError("llm_not_found", "no such model");
      if (failures++ === 0) return { complete: () => Promise.reject(new ModelError("server_error", "busy")) };
      return scripted.resolve(name);
    },
  };
  const own = await openRig({ tools: [pay], models, blockedTimeoutMs: 60_000 });
  try {
    const run = await own.client.startAgent({
      agent: agent({ name: "chain", tools: [pay.spec], max_turns: 5, mission_timeout: 25_000 }),
      model: "scripted",
    });
    await until(async () => (await run.status()).state === "blocked", "no worker has the model");
    await new Promise((resolve) => setTimeout(resolve, 25_500));
    isThere = true;
    expect(await run.result()).toMatchObject({ fail: null, return: { paid: 4 } });
  } finally {
    await own.stop();
  }
});
