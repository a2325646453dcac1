import { context, propagation, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TestWorkflowEnvironment } from "@temporalio/testing";
import type { TaskHandle } from "../../src/client";
import { missionHistories } from "../../src/client/mission-tree";
import { newTask } from "../../src/core/graph/task/task";
import { missionSpans } from "../../src/core/history/spans/mission-spans";
import { defineTool } from "../../src/tools";
import { keyOf } from "../support/effect-keys";
import { testCli } from "../support/environment";
import { flood, untilItsEnd } from "../support/flood";
import { openReceiver } from "../support/receivers";
import type { ExportedHistory } from "../support/recorded";
import { expectProjectionsToEqual, replay } from "../support/replay/replay";
import { agent, fenced, openRig as openOwnRig, quietRuntime, type Rig, sharedRigs } from "../support/rig";
import { deepTest, isDeep } from "../support/run/deep";
import { until } from "../support/until";
import { definitionOf, reviewAt, startOrder } from "./task/order-graph";

const openRig = sharedRigs();

/** A server that wants a new run every 40 events, so that short missions show what happens to long ones. */
let server: TestWorkflowEnvironment;
let rig: Rig;
const keys: string[] = [];
const charge = defineTool({
  name: "charge_card",
  signature: "(order_id :int) -> :string",
  run: ({ order_id }, call) => {
    keys.push(call.idempotencyKey);
    return `tx_${order_id}`;
  },
});

beforeAll(async () => {
  quietRuntime();
  const executable = await testCli();
  server = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: executable },
      extraArgs: ["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=30"],
    },
  });
});
afterAll(() => server.teardown());
beforeEach(() => void keys.splice(0));
afterEach(() => rig.stop());

const TURNS = 12;
const turn = (n: number) =>
  fenced(
    `(do (task "charge_${n}" (tool/charge_card {:order_id ${n}})) (step-done "s${n}" "held ${n}") (println "held" ${n}))`,
  );

test("functions of the first run work in the last: with captured values, in each other, in collections", async () => {
  const hold = (n: number) =>
    fenced(`(do (task "hold_${n}" (tool/charge_card {:order_id ${n}})) (println "held" ${n}))`);
  rig = await openRig({
    address: server.address,
    tools: [charge],
    script: [
      fenced(`(def rate 3)
              (defn charged [n] (tool/charge_card {:order_id (* rate n)}))
              (def adders (let [base 100] (map (fn [k] (fn [{:keys [by] :or {by base}}] (+ k by))) [1 2])))
              (def table {:twice (fn [f] (fn [x] (f (f x)))) :named charged})
              (defn fact [n] (if (< n 2) 1 (* n (fact (dec n)))))`),
      ...Array.from({ length: TURNS }, (_, i) => hold(i + 1)),
      fenced(`(def rate 5)
              (return {:charged ((:named table) 7)
                       :added (map (fn [f x] (f x)) adders [{} {:by 1}])
                       :twice (((:twice table) #(* rate %)) 2)
                       :fact (fact 20)})`),
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [charge.spec], max_turns: TURNS + 3, turn_budget: 100 }),
    model: "scripted",
  });
  const step = await run.result();
  expect(step).toMatchObject({
    return: { charged: "tx_35", added: [101, 3], twice: 50, fact: 2_432_902_008_176_640_000 },
    fail: null,
  });
  const runs = (await rig.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
  expect(runs.length).toBeGreaterThan(2);
  for (const history of runs) await replay(history);
});

test("a long mission continues through many runs and another worker, loses and repeats nothing, and is one trace", async () => {
  const reported = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor(reported);
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
  rig = await openOwnRig({
    address: server.address,
    tools: [charge],
    script: [
      ...Array.from({ length: TURNS }, (_, i) => turn(i + 1)),
      fenced("(return {:status :waiting})"),
      // Woken: everything is found in the journal, who decided included.
      ...Array.from({ length: TURNS }, (_, i) => turn(i + 1)),
      fenced('(return {:confirmed (task "confirmed" nil) :first (task "charge_1" nil)})'),
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [charge.spec], max_turns: TURNS + 2, turn_budget: 100 }),
    model: "scripted",
  });
  await until(async () => (await run.status()).state === "waiting", "the mission parks");
  const id = run.workflow.workflowId;
  expect((await rig.client.runs(id)).length).toBeGreaterThan(2);
  expect(await run.progress()).toContain("held 12");
  await rig.stopWorker();
  await rig.startWorker();
  await run.recordDecision({ id: "confirmed", value: true, by: "anna", note: "by phone" });
  const step = await run.result();
  expect(step).toMatchObject({ return: { confirmed: true, first: "tx_1" }, fail: null });
  expect(step.turns?.map(({ number }) => number)).toEqual(Array.from({ length: TURNS + 1 }, (_, i) => i + 1));
  expect(step.usage?.llm_requests).toBe(2 * (TURNS + 1));
  expect(keys).toEqual(Array.from({ length: TURNS }, (_, i) => keyOf(id, charge.spec, { order_id: i + 1 })));
  expect(Object.keys(step.journal ?? {})).toHaveLength(TURNS + 1);

  const runs = (await rig.client.runs(id)) as unknown as ExportedHistory[];
  expect(runs.length).toBeGreaterThan(4);
  for (const history of runs) {
    expect(history.events.length).toBeLessThan(100);
    await replay(history);
    await expectProjectionsToEqual(history);
  }
  const { rows } = await run.projection();
  expect(rows.map((row) => row.by)).toEqual([...Array<string>(TURNS).fill("task"), "anna"]);

  await rig.stopWorker();
  await processor.forceFlush();
  for (const api of [trace, context, propagation]) api.disable();
  const live = reported.getFinishedSpans().map((span) => {
    const { traceId, spanId } = span.spanContext();
    return `${span.name} ${traceId} ${spanId} ${span.parentSpanContext?.spanId}`;
  });
  const exported = missionSpans(await missionHistories(rig.client, id));
  expect(new Set(exported.map(({ trace_id }) => trace_id)).size).toBe(1);
  expect(exported.filter(({ name }) => name === "wait_for_person parked")).toHaveLength(1);
  expect(live.sort()).toEqual(
    exported
      .map(({ name, trace_id, span_id, parent_span_id }) => `${name} ${trace_id} ${span_id} ${parent_span_id}`)
      .sort(),
  );
});

test("what cannot be carried over stays in its run, which goes on to its end", async () => {
  rig = await openRig({
    address: server.address,
    tools: [charge],
    script: [
      // Definitions of a megabyte, kept in three generations: too much for the input of a new run.
      fenced('(def big (apply str (map (fn [_] "0123456789") (range 90000))))\n(count big)'),
      ...[1, 2, 3, 4, 5, 6].map((n) => fenced(`(def big${n} (str big ${n}))\n(tool/charge_card {:order_id ${n}})`)),
      fenced("(return (count big))"),
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [charge.spec], max_turns: 10, memory_limit: null }),
    model: "scripted",
  });
  const step = await run.result();
  expect(step).toMatchObject({ return: 900_000, fail: null });
  expect(await rig.client.runs(run.workflow.workflowId)).toHaveLength(1);
});

test("a long task keeps its reviews, retries and history", async () => {
  rig = await openRig({ address: server.address });
  const definition = definitionOf({
    id: "back-and-forth",
    nodes: {
      start: { type: "start", name: "Start" },
      build: { type: "task", name: "Build" },
      check: { type: "gate", name: "Good enough?" },
      done: { type: "end", result: "success", name: "Done" },
    },
    edges: [
      { from: "start", to: "build" },
      { from: "build", to: "check" },
      { from: "check", to: "done", on: "passed" },
      { from: "check", to: "build", on: "failed" },
    ],
  });
  const handle = await startOrder(rig.client, { definition });
  const rounds = 8;
  for (let round = 1; round <= rounds; round++) {
    await until(async () => (await handle.show()).currentStep === "build", "the task is at build");
    await handle.advance({ result: "passed" });
    const review = await reviewAt(handle, "check");
    await handle.decide({ review: review.id, choice: round < rounds ? "failed" : "passed", by: "anna" });
  }
  const task = await handle.result();
  expect(task).toMatchObject({ status: "COMPLETED", currentStep: "done" });
  expect(task.history).toHaveLength(1 + 2 * rounds);
  expect((await rig.client.runs(handle.workflow.workflowId)).length).toBeGreaterThan(1);
  expect(await handle.reviews()).toHaveLength(rounds);
});

test("a task that comes back to its step again and again continues as new, and a repeated call finds its move in an earlier run", async () => {
  rig = await openRig({ address: server.address });
  const definition = definitionOf({
    id: "round-and-round",
    nodes: {
      start: { type: "start" },
      work: { type: "task", name: "Work" },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "work", on: "passed" },
      { from: "work", to: "done", on: "failed" },
    ],
  });
  const handle = await startOrder(rig.client, { definition });
  const moves = 60;
  let { version } = await until(() => handle.advance({ result: "passed" }), "the task is at work");
  const first = version as number;
  for (let move = 2; move <= moves; move++) {
    const answer = await handle.advance({ result: "passed", version });
    expect(answer).toMatchObject({ success: true, previousStep: "work", nextStep: "work", version: first + move - 1 });
    version = answer.version;
  }
  expect(await handle.advance({ result: "passed", version: first })).toMatchObject({ repeated: true, version });
  await handle.advance({ result: "failed", version });
  const task = await handle.result();
  expect(task).toMatchObject({ status: "COMPLETED", currentStep: "done" });
  expect(task.history).toHaveLength((version as number) + 1);
  const runs = (await rig.client.runs(handle.workflow.workflowId)) as unknown as ExportedHistory[];
  expect(runs.length).toBeGreaterThan(5);
  for (const { events } of runs) expect(events.length).toBeLessThan(100);
});

test("a task with more moves than it can carry counts the oldest, and goes on: its version, what its steps gave, repeated calls", async () => {
  rig = await openRig({ address: server.address });
  const definition = definitionOf({
    id: "very-long",
    nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, done: { type: "end", result: "success" } },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "work", on: "passed" },
      { from: "work", to: "done", on: "failed" },
    ],
  });
  const move = {
    step: "work",
    to: "work",
    result: "passed",
    action: "conditional" as const,
    at: 1,
    output: "x".repeat(250),
  };
  const before = 3_000;
  const history = [{ ...move, step: "start", output: "the plan" }, ...Array.from({ length: before - 1 }, () => move)];
  const { id, issueId } = { id: "very-long", issueId: "I-1" };
  const handle = await rig.client.startTask({
    task: newTask({ id, issueId, workflowType: definition.id, currentStep: "work", history }, definition, Date.now()),
    definition,
    model: "scripted",
  });
  let version = before;
  for (let one = 0; one < 12; one++) {
    const answer = await handle.advance({ result: "passed", version });
    expect(answer.task.history.length).toBeLessThan(100);
    expect(answer.version).toBe(++version);
  }
  expect(await handle.advance({ result: "passed", version: before })).toMatchObject({ repeated: true, version });
  await expect(handle.advance({ result: "passed", version: 5 })).rejects.toMatchObject({ code: "stale_version" });
  await handle.advance({ result: "failed", version });
  const task = await handle.result();
  expect(task.earlierMoves).toBeGreaterThan(1_000);
  expect((task.earlierMoves as number) + task.history.length).toBe(before + 13);
  const runs = await chain(handle.workflow.workflowId);
  expect(runs.length).toBeGreaterThan(1);
  for (const run of runs) await replay(run);
});

const MANY_CALLS = `
  (def first-ones (map (fn [n] (tool/charge_card {:order_id n})) (range 20)))
  (println "alone" (count first-ones))
  (def together (pmap (fn [n] (let [looked (tool/look {:order_id n})] (task (str "t" n) (str looked (tool/charge_card {:order_id n})))))
                      (range 100 130)))
  (println "together" (count together))
  (return {:alone (reduce (fn [sum n] (+ sum (count (tool/charge_card {:order_id n})))) 0 (range 200 220))
           :first (first first-ones) :last (last together)})`;

const look = defineTool({
  name: "look",
  signature: "(order_id :int) -> :string",
  effect: "read",
  run: ({ order_id }) => `seen ${order_id}`,
});
const pay = defineTool({
  name: "pay",
  signature: "(order_id :int) -> :string",
  approval: true,
  run: ({ order_id }, call) => {
    keys.push(call.idempotencyKey);
    return `paid ${order_id}`;
  },
});

test.each([
  { made: "in sequences", sequences: true, fewest: 2 },
  ...(isDeep ? [{ made: "one by one", sequences: false, fewest: 5 }] : []),
])(
  "one program of many calls, made $made, continues as new in its middle, even when its worker is lost, and repeats nothing",
  async ({ sequences, fewest }) => {
    rig = await openRig({
      address: server.address,
      tools: [charge, look],
      script: [fenced(MANY_CALLS)],
    });
    const run = await rig.client.startAgent({
      agent: agent({ tools: [charge.spec, look.spec], loop_limit: 1_000, sequences }),
      model: "scripted",
    });
    const id = run.workflow.workflowId;
    await until(async () => keys.length > 30, "half of the calls are made");
    await rig.stopWorker();
    await rig.startWorker();
    const step = await run.result();
    expect(step).toMatchObject({
      return: { alone: 20 * 6, first: "tx_0", last: "seen 129tx_129" },
      prints: ["alone 20", "together 30"],
      fail: null,
    });
    expect(step.tool_calls).toHaveLength(20 + 60 + 20);
    expect(Object.keys(step.journal ?? {})).toHaveLength(30);
    const orders = [...Array.from({ length: 20 }).keys()].flatMap((n) => [n, 200 + n]);
    const inTasks = Array.from({ length: 30 }, (_, i) => 100 + i);
    const meant = [...orders, ...inTasks].map((order_id) => keyOf(id, charge.spec, { order_id }));
    expect([...keys].sort()).toEqual(meant.sort());
    const runs = (await rig.client.runs(id)) as unknown as ExportedHistory[];
    expect(runs.length).toBeGreaterThan(fewest);
    for (const history of runs) {
      expect(history.events.length).toBeLessThan(140);
      await replay(history);
      await expectProjectionsToEqual(history);
    }
  },
);

/** Signals that decide nothing. A busy worker hears many of them at once: how many runs come of them is not known. */
const flooded = (id: string, count: number, signal?: { signal: string; what: object }) =>
  flood(rig.client.temporal.workflow.getHandle(id), count, signal);

deepTest(
  "a parked run that is flooded with refused signals continues as new while it waits, and hears the decision in the flood",
  async () => {
    rig = await openRig({
      address: server.address,
      script: [fenced('(return {:status :waiting :for "anna"})'), fenced('(return (task "ok" nil))')],
    });
    const run = await rig.client.startAgent({ agent: agent({ tools: [] }), model: "scripted" });
    const id = run.workflow.workflowId;
    await until(async () => (await run.status()).state === "waiting", "the mission parks");
    await flooded(id, 300);
    const parked = await until(() => run.status(), "the worker answers again");
    expect(parked).toMatchObject({ state: "waiting", waiting: { for: "anna" } });
    const flooding = flooded(id, 300).catch(untilItsEnd);
    await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
    await flooding;
    expect(await run.result()).toMatchObject({ return: "yes", fail: null });
    const runs = (await rig.client.runs(id)) as unknown as ExportedHistory[];
    expect(runs.length).toBeGreaterThan(1);
    for (const history of runs) await replay(history);
  },
);

deepTest(
  "a program that waits for approvals in the middle of a flood continues as new, and asks nobody twice",
  async () => {
    rig = await openRig({
      address: server.address,
      tools: [pay],
      script: [fenced("(return (pmap (fn [n] (tool/pay {:order_id n})) [1 2]))")],
    });
    const run = await rig.client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
    const id = run.workflow.workflowId;
    await until(async () => (await run.reviews()).length === 2, "both payments wait for approval");
    await flooded(id, 200);
    // Which of them is opened first is not known: each looks up the version of its tool.
    const asked = await until(() => run.reviews(), "the worker answers again");
    const [first, second] = [1, 2].map((n) => asked.find(({ body }) => body?.includes(`"order_id": ${n}`)));
    await run.decide({ review: first?.id as string, choice: "approve", by: "anna" });
    await flooded(id, 200);
    await run.decide({ review: second?.id as string, choice: "approve", by: "ben" });
    const step = await run.result();
    expect(step).toMatchObject({ return: ["paid 1", "paid 2"], fail: null });
    expect(step.tool_calls.map(({ approval }) => approval?.by)).toEqual(["anna", "ben"]);
    expect(await run.reviews()).toHaveLength(2);
    // One call each. A run that is about to continue makes them in the next one, where both branches go on at once.
    expect([...keys].sort()).toEqual([1, 2].map((order_id) => keyOf(id, pay.spec, { order_id })).sort());
    const runs = (await rig.client.runs(id)) as unknown as ExportedHistory[];
    expect(runs.length).toBeGreaterThan(1);
    for (const history of runs) await replay(history);
  },
);

test("a notification that was not delivered before a run continued as new is sent by the next run, under the same id", async () => {
  let isUp = false;
  const hook = await openReceiver(() => (isUp ? 204 : 503));
  try {
    rig = await openRig({
      address: server.address,
      tools: [pay],
      script: [fenced("(return (tool/pay {:order_id 1}))")],
      notify: { webhook: { url: hook.url } },
    });
    const run = await rig.client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
    const id = run.workflow.workflowId;
    const open = async () => (await run.reviews()).find(({ status }) => status === "open");
    await until(async () => hook.got.length > 0, "it was tried");
    await flooded(id, 200);
    await until(async () => (await chain(id)).length > 1, "it continues as new");
    isUp = true;
    await until(async () => ((await open()) ?? { notices: [] }).notices === undefined, "it is delivered");
    await run.decide({ review: (await open())?.id as string, choice: "approve", by: "anna" });
    expect(await run.result()).toMatchObject({ return: "paid 1" });
    // An attempt of the run before may still have been on its way: the receiver knows it by its id.
    expect(new Set(hook.got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const history of await chain(id)) {
      expect(deliveries(history)).toBeLessThanOrEqual(1);
      await replay(history);
    }
  } finally {
    await hook.close();
  }
});

const PAYING = definitionOf({
  id: "paying",
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Pay", agent: "payer" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
  ],
});
const PAYER = { payer: [fenced('(return {:outcome (if (tool/pay {:order_id 7}) "passed" "failed")})')] };

/** A task whose agent waits for an approval. */
async function payment(id: string): Promise<{ task: TaskHandle; agentId: string }> {
  const task = await rig.client.startTask({
    task: newTask({ id, issueId: "I-1", workflowType: "paying" }, PAYING, Date.now()),
    definition: PAYING,
    agents: { payer: agent({ name: "payer", tools: [pay.spec] }) },
    model: "scripted",
  });
  const agentId = `${task.workflow.workflowId}/work/1`;
  await asked(agentId);
  return { task, agentId };
}

const asked = (id: string) =>
  until(async () => (await rig.client.reviewed(id).reviews()).find(({ status }) => status === "open"), `${id} asks`);
const approve = async (id: string) =>
  rig.client.reviewed(id).decide({ review: (await asked(id)).id, choice: "approve", by: "anna" });
const NOTHING = { signal: "decide", what: { review: "nobody/asked/1", choice: "approve", by: "x" } };
/** How many deliveries a run asked for; each may have several attempts. */
const deliveries = ({ events }: ExportedHistory): number =>
  events.filter(({ activityTaskScheduledEventAttributes: scheduled }) => {
    const { name } = (scheduled as { activityType: { name: string } } | undefined)?.activityType ?? {};
    return name === "deliver";
  }).length;

const chain = async (id: string) => (await rig.client.runs(id)) as unknown as ExportedHistory[];

deepTest(
  "a task and a plan whose agents wait for people continue as new in a flood, even when the worker is lost, and repeat and lose nothing",
  async () => {
    rig = await openRig({ address: server.address, tools: [pay], script: PAYER });
    const { task, agentId } = await payment("flooded-payment");
    const plan = await rig.client.startPlan({
      plan: {
        agents: { payer: { prompt: "Pay.", tools: ["pay"] } },
        tasks: [
          { id: "one", agent: "payer", input: "Pay" },
          { id: "other", agent: "payer", input: "Pay, too" },
          { id: "two", agent: "direct", input: "(inc 1)", depends_on: ["one", "other"] },
        ],
      },
      options: { llm: "scripted", base_tools: [pay.spec] },
    });
    const parents = [task, plan].map(({ workflow }) => workflow.workflowId);
    const [one, other] = ["one", "other"].map((name) => `${parents[1]}/1/${name}/1`) as [string, string];
    await Promise.all([asked(one), asked(other)]);

    // Each flood for itself: when one of them ends with its workflow, the other one is still awaited.
    const flooding = Promise.all(parents.map((id) => flooded(id, 400, NOTHING).catch(untilItsEnd)));
    const length = async (id: string) => (await rig.client.temporal.workflow.getHandle(id).describe()).historyLength;
    for (const id of parents) await until(async () => (await length(id)) > 20, `the flood reaches ${id}`);
    await rig.stopWorker();
    await rig.startWorker();
    await Promise.all([approve(agentId), approve(one)]);
    await flooding;
    expect(await task.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
    await approve(other);
    expect(await plan.result()).toMatchObject({ status: "ok", results: { two: 2 } });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(3);
    const started = (await plan.events()).events.filter(({ type }) => type === "task_started");
    expect(started.map((event) => (event as { task_id: string }).task_id)).toEqual(["one", "other", "two"]);
    for (const id of parents) {
      const runs = await chain(id);
      expect(runs.length).toBeGreaterThan(1);
      for (const history of runs) await replay(history);
    }
  },
);

test("an agent of a task that has continued as new is cancelled with the task, and its outcome waits for the end of a pause", async () => {
  rig = await openRig({ address: server.address, tools: [pay], script: PAYER });
  const [cancelled, paused] = [await payment("flooded-and-cancelled"), await payment("flooded-and-paused")];
  await paused.task.workflow.executeUpdate("pause", { args: [{}] });
  await Promise.all(
    [cancelled, paused].map(async ({ task: { workflow } }) => {
      await flooded(workflow.workflowId, 100, NOTHING);
      await until(async () => (await chain(workflow.workflowId)).length > 1, "it continues as new");
    }),
  );
  await cancelled.task.workflow.executeUpdate("cancelTask", { args: [{ note: "not needed" }] });
  expect(await cancelled.task.result()).toMatchObject({ status: "FAILED", endResult: "cancelled" });
  await until(
    async () => (await rig.client.agent(cancelled.agentId).workflow.describe()).status.name === "CANCELLED",
    "the agent is cancelled",
  );
  await paused.task.workflow.executeUpdate("resume");
  await approve(paused.agentId);
  expect(await paused.task.result()).toMatchObject({ status: "COMPLETED" });
  expect(keys).toHaveLength(1);
});

test("an agent makes no further call when its task was terminated", async () => {
  rig = await openRig({ address: server.address, tools: [pay], script: PAYER });
  const { task, agentId } = await payment("terminated");
  await task.workflow.terminate("by an operator");
  // What a worker knows of the task is a second old at most.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await approve(agentId);
  const ended = async () => (await rig.client.agent(agentId).workflow.describe()).status.name === "TERMINATED";
  await until(ended, "the agent is terminated, too");
  expect(keys).toEqual([]);
});

deepTest(
  "a turn in text mode, which cannot continue as new in a flood, comes back with its worker, and goes on",
  async () => {
    const script = [{ content: "", tool_calls: [{ id: "c1", name: "pay", args: { order_id: 1 } }] }, "Paid."];
    rig = await openRig({ address: server.address, tools: [pay], script });
    const text = await rig.client.startAgent({
      agent: agent({ name: "clerk", output: "text", tools: [pay.spec], system_prompt: undefined }),
      model: "scripted",
    });
    const { workflowId } = text.workflow;
    await asked(workflowId);
    const flooding = flooded(workflowId, 200, NOTHING);
    await rig.stopWorker();
    await rig.startWorker();
    await flooding;
    const status = await until(() => text.status(), "the worker answers again");
    expect(status.refused_signals).toBe(200);
    await approve(workflowId);
    expect(await text.result()).toMatchObject({ return: "Paid.", fail: null });
    expect(keys).toHaveLength(1);
    for (const history of await chain(workflowId)) await replay(history);
  },
);
