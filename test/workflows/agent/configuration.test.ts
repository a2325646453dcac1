import { randomUUID } from "node:crypto";
import type { StartAgent } from "../../../src/client";
import { newTask } from "../../../src/core/graph/task/task";
import { createModels, type ModelResolver, type Script } from "../../../src/models";
import { defineTool } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Calls whose tool, model or key no worker has: they wait for a worker that has it (engine reference, section 5.1). */
let calls: string[] = [];
const tool = (name: string, effect: "read" | "irreversible") =>
  defineTool({
    name,
    effect,
    run: (_args, call) => {
      calls.push(call.idempotencyKey);
      return "tx";
    },
  });
const CHARGE = tool("charge_card", "irreversible");
const LOOK = tool("look", "read");

const openRig = sharedRigs();
const rigs: Rig[] = [];
async function open(options: Parameters<typeof openRig>[0]): Promise<Rig> {
  const rig = await openRig({ blockedTimeoutMs: 60_000, ...options });
  rigs.push(rig);
  return rig;
}
beforeEach(() => {
  calls = [];
});
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
});

const start = ({ client }: Rig, raw: Record<string, unknown>, more: Partial<StartAgent> = {}) =>
  client.startAgent({ id: randomUUID(), agent: agent({ max_turns: 2, ...raw }), model: "scripted", ...more });
type Run = Awaited<ReturnType<typeof start>>;
const blocked = async (run: Run) =>
  until(async () => {
    const status = await run.status();
    return status.state === "blocked" && status.blocked;
  }, "the run is blocked");
const eventsOf = async ({ client }: Rig, run: Run) =>
  ((await client.history(run.workflow.workflowId)) as { events: unknown[] }).events.length;
const program = ({ spec: { name } }: { spec: { name: string } }) => fenced(`(return (task "t" (tool/${name} {})))`);

test.each([CHARGE, LOOK])(
  "a call of $spec.name ($spec.effect), which no worker has, blocks the run until a worker has it, and then it is done once",
  async (wanted) => {
    const rig = await open({ script: [program(wanted)] });
    const run = await start(rig, { tools: [wanted.spec] });
    expect(await blocked(run)).toMatchObject({ text: `tool ${wanted.spec.name} is on no worker` });
    // A second worker of the queue gets it: the first one, which holds the run, still has not.
    await open({ tools: [wanted], script: [program(wanted)], taskQueue: rig.taskQueue });
    const step = await run.result();
    expect(step).toMatchObject({ return: "tx", fail: null, usage: { turns: 1, llm_requests: 1 } });
    const { workflowId } = run.workflow;
    expect(calls).toEqual([wanted === LOOK ? `${workflowId}~~1.1` : keyOf(workflowId, wanted.spec, {})]);
    expect(await run.status()).toMatchObject({ state: "completed" });
  },
);

const OF_A_PROGRAM = (name: string): Script => [
  fenced(`(return (task "t" (tool/${name} {})))`),
  fenced("(return (:code (:details data/fail)))"),
];
const OF_A_TEXT_AGENT = (name: string): Script => [
  { tool_calls: [{ name, args: {} }] },
  { if_contains: "it did not happen, anna said", content: "did_not_happen" },
];

test.each([
  ["ptc_lisp", OF_A_PROGRAM],
  ["text", OF_A_TEXT_AGENT],
])(
  "an irreversible call that was blocked is made once, also if its outcome is lost when it is made at last (%s)",
  async (output, script) => {
    const slow = defineTool({
      name: "wire_money",
      effect: "irreversible",
      timeout: "1s",
      run: (_args, call) => {
        calls.push(call.idempotencyKey);
        return new Promise((_, reject) => call.signal.addEventListener("abort", () => reject(new Error("given up"))));
      },
    });
    const rig = await open({ script: script("wire_money") });
    const run = await start(rig, { output, tools: [slow.spec] });
    await blocked(run);
    rig.tools.add(slow);
    const lost = await until(async () => (await run.reviews()).at(-1), "a person is asked what became of it");
    expect(lost).toMatchObject({ title: "Did wire_money happen?", status: "open" });
    await run.decide({ review: lost.id, choice: "did_not_happen", by: "anna" });
    expect((await run.result()).return).toBe("did_not_happen");
    expect(calls).toHaveLength(1);
  },
);

test("lists, the page and the status say what is missing and what to do, and forget it afterwards", async () => {
  const rig = await open({ script: [program(CHARGE)] });
  const run = await start(rig, { tools: [CHARGE.spec] });
  await blocked(run);
  const { workflowId } = run.workflow;
  const [listed] = await until(async () => {
    const found = await rig.client.blocked(workflowId);
    return found.length > 0 && found;
  }, "the list shows it");
  expect(listed).toMatchObject({
    workflow_id: workflowId,
    text: "tool charge_card is on no worker",
    help: expect.stringContaining("The worker that was asked has no tools."),
  });
  const page = await run.workflow.query<{ currentDetails?: string } | string>("__temporal_workflow_metadata");
  expect(JSON.stringify(page)).toContain("blocked: tool charge_card is on no worker");
  // The call is tried again and again, and the history does not grow by it.
  const before = await eventsOf(rig, run);
  const attempt = async () => (await run.workflow.describe()).raw.pendingActivities?.[0]?.attempt ?? 0;
  const first = await attempt();
  await until(async () => (await attempt()) > first + 1, "it is tried again");
  expect(await eventsOf(rig, run)).toBe(before);
  rig.tools.add(CHARGE);
  await run.result();
  await until(async () => (await rig.client.blocked(workflowId)).length === 0, "the list forgets it");
  expect((await run.workflow.describe()).memo?.blocked ?? null).toBeNull();
});

test("an agent that names a tool that no worker has begins when a worker has it", async () => {
  const rig = await open({ script: [program(CHARGE)] });
  const run = await start(rig, { tools: ["charge_card"] });
  expect(await blocked(run)).toMatchObject({ text: "tool charge_card is on no worker" });
  rig.tools.add(CHARGE);
  expect((await run.result()).return).toBe("tx");
});

test("a model without its key blocks the run until it is set; no turn is used", async () => {
  const env: NodeJS.ProcessEnv = {};
  const scripted = createModels({ env: {}, script: [fenced("(return 1)")] });
  const real = createModels({ env });
  const models: ModelResolver = {
    resolve: (name) => (env.OPENAI_API_KEY === undefined ? real.resolve(name) : scripted.resolve("scripted")),
  };
  const rig = await open({ models });
  const run = await start(rig, { max_turns: 1 }, { model: "openai/gpt-x" });
  expect(await blocked(run)).toMatchObject({
    text: "The model openai/gpt-x needs an API key: set OPENAI_API_KEY where the worker runs",
  });
  env.OPENAI_API_KEY = "set";
  expect(await run.result()).toMatchObject({ return: 1, usage: { turns: 1, llm_requests: 1 } });
});

test("time limits stand still while a run is blocked", async () => {
  const rig = await open({ script: [fenced("(return (pmap (fn [_] (tool/charge_card {})) [1 2]))")] });
  // Long enough for the calls before and after, busy as the machine is.
  const limit = 25_000;
  const run = await start(rig, { tools: [CHARGE.spec], mission_timeout: limit, pmap_timeout: limit });
  await blocked(run);
  await new Promise((resolve) => setTimeout(resolve, limit + 500));
  rig.tools.add(CHARGE);
  expect(await run.result()).toMatchObject({ return: ["tx", "tx"], fail: null });
});

describe("after the limit", () => {
  test("the run fails with configuration_error, whatever turns it has left, and its model is not asked again", async () => {
    const rig = await open({ script: [program(CHARGE), fenced('(return "made up")')], blockedTimeoutMs: 3_000 });
    const run = await start(rig, { tools: [CHARGE.spec] });
    const step = await run.workflow.result().catch(() => run.step());
    expect(step).toMatchObject({
      return: null,
      fail: {
        reason: "configuration_error",
        message: expect.stringMatching(/^tool charge_card is on no worker; waited 3 s\. .*Start a worker/),
        details: { kind: "tool", name: "charge_card" },
      },
      usage: { llm_requests: 1 },
    });
  });

  test("a script without an answer fails with configuration_error, too", async () => {
    const rig = await open({ script: [], blockedTimeoutMs: 2_000 });
    const run = await start(rig, { name: "lonely" });
    const step = await run.workflow.result().catch(() => run.step());
    expect(step.fail).toMatchObject({
      reason: "configuration_error",
      message: expect.stringContaining('no reply for model call 1 of agent "lonely"'),
    });
  });
});

test("a task on a graph keeps its retries while its agent is blocked, and goes on by itself", async () => {
  const rig = await open({ script: [program(CHARGE)] });
  const definition = definitionOf({
    id: "one-step",
    nodes: {
      start: { type: "start" },
      charge: { type: "task", name: "Charge", agent: "charge", maxRetries: 1 },
      done: { type: "end", result: "success" },
      stuck: { type: "end", result: "blocked", escalation: "hitl" },
    },
    edges: [
      { from: "start", to: "charge" },
      { from: "charge", to: "done", on: "passed" },
      { from: "charge", to: "stuck", on: "failed" },
    ],
  });
  const id = randomUUID();
  const task = newTask({ id, issueId: "i", workflowType: "one-step" }, definition, Date.now());
  const charge = agent({ name: "charge", tools: [CHARGE.spec], max_turns: 1 });
  const handle = await rig.client.startTask({ task, definition, agents: { charge }, model: "scripted" });
  const { workflowId } = handle.workflow;
  const [found] = await until(async () => {
    const list = await rig.client.blocked(workflowId);
    return list.length > 0 && list;
  }, "its agent is blocked");
  expect(found).toMatchObject({ workflow_id: `${workflowId}/charge/1`, name: "charge_card" });
  rig.tools.add(CHARGE);
  const ended = await handle.result();
  expect(ended).toMatchObject({ status: "COMPLETED", currentStep: "done", stepRetries: {} });
  expect(ended.history.map(({ step }) => step)).toEqual(expect.arrayContaining(["charge"]));
  expect(calls).toHaveLength(1);
});

test("a task of a plan is not tried again while its agent is blocked", async () => {
  const rig = await open({ script: [program(CHARGE)] });
  const plan = {
    agents: { payer: { prompt: "Pay.", tools: ["charge_card"] } },
    tasks: [{ id: "pay", agent: "payer", input: "Pay.", on_failure: "stop" }],
  };
  const run = await rig.client.startPlan({
    id: randomUUID(),
    plan,
    options: { llm: "scripted", base_tools: [CHARGE.spec] },
  });
  await until(async () => (await rig.client.blocked(`plan/${run.id}`)).length > 0, "its agent is blocked");
  rig.tools.add(CHARGE);
  expect(await run.result()).toMatchObject({ status: "ok" });
  expect((await run.events(0)).events.filter(({ type }) => type === "task_started")).toHaveLength(1);
  expect(calls).toHaveLength(1);
});
