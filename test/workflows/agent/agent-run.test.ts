import { randomUUID } from "node:crypto";
import { isLogNews } from "../../../src/core/agent/prompt/mission-log-news";
import type { Message } from "../../../src/core/calls/host";
import { defineTool } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { until } from "../../support/until";

const openRig = sharedRigs();

/** The Navigator guide, example by example, on a real server. */
const calls: { tool: string; key: string }[] = [];
const charge = defineTool({
  name: "charge_card",
  signature: "(order_id :int) -> :string",
  run: (_args, call) => {
    calls.push({ tool: "charge_card", key: call.idempotencyKey });
    return "tx_abc";
  },
});
const ship = defineTool({
  name: "ship_item",
  signature: "(tx_id :string) -> :string",
  run: (_args, call) => {
    calls.push({ tool: "ship_item", key: call.idempotencyKey });
    return "parcel_1";
  },
});
const broken = defineTool({
  name: "broken",
  run: (_args, call) => {
    calls.push({ tool: "broken", key: call.idempotencyKey });
    throw new Error("out of paper");
  },
});
const tools = [charge, ship, broken];

const FIRST = fenced('(do (task "charge_order_42" (tool/charge_card {:order_id 42})) (return {:status :waiting}))');
const SECOND = fenced(
  '(do (task "charge_order_42" (tool/charge_card {:order_id 42})) (task "payment_confirmed_42" nil) (task "ship_order_42" (tool/ship_item {:tx_id "tx_abc"})) (return {:status :shipped}))',
);

let rig: Rig;
const rigs: Rig[] = [];
async function withScript(script: Parameters<typeof openRig>[0]["script"]): Promise<Rig> {
  rig = await openRig({ tools, ...(script === undefined ? {} : { script }) });
  rigs.push(rig);
  return rig;
}
beforeEach(() => {
  calls.length = 0;
});
afterEach(async () => {
  for (const one of rigs.splice(0)) await one.stop();
});

const order = () =>
  agent({
    name: "order",
    prompt: "Process order {{order_id}}: charge card, then ship item",
    signature: "(order_id :int) -> {status :keyword}",
    tools: [charge.spec, ship.spec],
  });

test("a run that ends with its journal, and a new run with that journal changed outside", async () => {
  const { client } = await withScript([FIRST]);
  const first = await client.startAgent({
    agent: order(),
    context: { order_id: 42 },
    model: "scripted",
    on_waiting: "return",
  });
  const step = await first.result();
  expect(step).toMatchObject({ return: { status: "waiting" }, fail: null, journal: { charge_order_42: "tx_abc" } });

  const saved = { ...step.journal, payment_confirmed_42: true };
  const again = await (await withScript([SECOND])).client.startAgent({
    agent: order(),
    context: { order_id: 42 },
    journal: saved,
    model: "scripted",
  });
  const done = await again.result();
  expect(done.return).toEqual({ status: "shipped" });
  expect(done.journal).toEqual({ charge_order_42: "tx_abc", payment_confirmed_42: true, ship_order_42: "parcel_1" });
  expect(calls.map((call) => call.tool)).toEqual(["charge_card", "ship_item"]);
});

test("the same in one workflow: a waiting mission parks, a decision wakes it, finished tasks are not repeated", async () => {
  const { client } = await withScript([FIRST, SECOND]);
  const run = await client.startAgent({ agent: order(), context: { order_id: 42 }, model: "scripted" });
  const status = await until(async () => {
    const now = await run.status();
    return now.state === "waiting" ? now : undefined;
  }, "the mission parks");
  expect(status.waiting).toEqual({ status: "waiting" });
  expect(await run.missionLog()).toBe('## Mission Log (Completed Tasks)\n- [done] charge_order_42: "tx_abc"');

  const row = await run.recordDecision({ id: "payment_confirmed_42", value: true, by: "anna", note: "bank says so" });
  expect(row).toMatchObject({ id: "payment_confirmed_42", value: true, by: "anna", note: "bank says so" });
  const step = await run.result();
  expect(step.return).toEqual({ status: "shipped" });
  expect(calls).toEqual([
    { tool: "charge_card", key: keyOf(`agent/${run.id}`, charge.spec, { order_id: 42 }) },
    { tool: "ship_item", key: keyOf(`agent/${run.id}`, ship.spec, { tx_id: "tx_abc" }) },
  ]);
});

test("waiting is not a result: a run parks whatever its signature, which then applies to the result", async () => {
  const { client } = await withScript([
    FIRST,
    fenced("(return {:status :waiting :tx 7})"),
    fenced('(return "tx_abc")'),
  ]);
  const strict = agent({ signature: "(order_id :int) -> :string", tools: [charge.spec] });
  const run = await client.startAgent({ agent: strict, context: { order_id: 42 }, model: "scripted" });
  const waits = async () => (await run.status()).state === "waiting";
  await until(waits, "the mission parks");
  await run.recordDecision({ id: "first", value: true, by: "anna" });
  await until(async () => (await run.status()).invocation === 2 && (await waits()), "it parks again");
  await run.recordDecision({ id: "second", value: true, by: "anna" });
  expect((await run.result()).return).toBe("tx_abc");
});

test("a plain signal wakes a parked mission, too; a bad signal is counted and changes nothing", async () => {
  const { client } = await withScript([FIRST, SECOND]);
  const run = await client.startAgent({ agent: order(), context: { order_id: 42 }, model: "scripted" });
  await until(async () => (await run.status()).state === "waiting", "the mission parks");
  await run.workflow.signal("recordDecision", "nonsense" as never);
  await run.workflow.signal("recordDecision", { id: "", value: 1, by: "x" } as never);
  await until(async () => (await run.status()).refused_signals === 2, "both bad signals are counted");
  expect((await run.status()).state).toBe("waiting");
  await run.signalDecision({ id: "payment_confirmed_42", value: true, by: "webhook" });
  expect((await run.result()).return).toEqual({ status: "shipped" });
});

test("a decision that would overwrite a record is refused by name and leaves the mission as it was", async () => {
  const { client } = await withScript([FIRST, SECOND]);
  const run = await client.startAgent({ agent: order(), context: { order_id: 42 }, model: "scripted" });
  await until(async () => (await run.status()).state === "waiting", "the mission parks");
  await expect(run.recordDecision({ id: "charge_order_42", value: "tx_other", by: "eve" })).rejects.toMatchObject({
    code: "already_exists",
    details: { path: "charge_order_42", kind: "record" },
  });
  expect(await run.wholeJournal()).toEqual({ charge_order_42: "tx_abc" });
  await run.recordDecision({ id: "charge_order_42", value: "tx_fixed", by: "anna", overwrite: true });
  expect((await run.result()).journal).toMatchObject({ charge_order_42: "tx_fixed" });
});

test.each([
  { wrong: "no id", change: { id: "" }, says: "id must be a non-empty text" },
  { wrong: "no value", change: { value: undefined }, says: "value is missing" },
  { wrong: "nobody who decides", change: { by: undefined }, says: "by must name who decided" },
  { wrong: "a wrong overwrite", change: { overwrite: "yes" }, says: "overwrite must be true or false" },
  { wrong: "a value too deep", change: { value: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) }, says: "deep" },
  { wrong: "a value too large", change: { value: "x".repeat(1_200_000) }, says: "the limit is 1200000" },
])("$wrong: refused by update, counted by signal, and the mission keeps waiting", async ({ change, says }) => {
  const { client } = await withScript([FIRST, SECOND]);
  const run = await client.startAgent({ agent: order(), context: { order_id: 42 }, model: "scripted" });
  await until(async () => (await run.status()).state === "waiting", "the mission parks");
  const decision = { id: "payment_confirmed_42", value: true, by: "anna", ...change } as never;
  await expect(run.recordDecision(decision)).rejects.toMatchObject({ message: expect.stringContaining(says) });
  await run.workflow.signal("recordDecision", decision);
  await until(async () => (await run.status()).refused_signals === 1, "the bad signal is counted");
  expect(await run.wholeJournal()).toEqual({ charge_order_42: "tx_abc" });
  await run.recordDecision({ id: "payment_confirmed_42", value: true, by: "anna" });
  expect((await run.result()).return).toEqual({ status: "shipped" });
});

test("a value without JSON form is refused before it is sent", async () => {
  const { client } = await withScript([]);
  const run = client.agent("nobody");
  const circular: { self?: unknown } = {};
  circular.self = circular;
  await expect(run.recordDecision({ id: "a", value: circular as never, by: "anna" })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "value.self" },
  });
});

test("a wait that ends starts the mission again, and the journal says so", async () => {
  const { client } = await withScript([FIRST, fenced("(return {:status :given_up})")]);
  const waiting = { ...order(), wait_timeout_ms: 200 };
  const run = await client.startAgent({ agent: waiting, context: { order_id: 42 }, model: "scripted" });
  const step = await run.result();
  expect(step.return).toEqual({ status: "given_up" });
  expect(step.journal).toEqual({ charge_order_42: "tx_abc", wait_timeout_1: true });
});

test("a plan: progress is in the feedback, summaries of a failed turn are dropped, its records are kept", async () => {
  const { client } = await withScript([
    fenced('(task "hold" (tool/charge_card {:order_id 7}))\n(step-done "charge" "held")\n(tool/broken {})'),
    fenced(
      '(task "hold" (tool/charge_card {:order_id 7}))\n(step-done "charge" "held")\n(step-done "extra" "insured")\n(println "ok")',
    ),
    fenced("(return 1)"),
  ]);
  const planned = agent({
    name: "planned",
    tools: [charge.spec, broken.spec],
    plan: [
      ["charge", "Charge card"],
      ["ship", "Ship item"],
    ],
  });
  const run = await client.startAgent({ agent: planned, model: "scripted" });
  const step = await run.result();
  expect(step.fail).toBeNull();
  expect(step.summaries).toEqual({ charge: "held", extra: "insured" });
  expect(step.turns?.map((turn) => turn.success)).toEqual([false, true, true]);
  expect(calls.map((call) => call.tool)).toEqual(["charge_card", "broken"]);
  const { conversation } = await run.workflow.query<{ conversation: { messages: Message[] } }>("conversation");
  const messages = conversation.messages.filter((message) => !isLogNews(message));
  expect(messages).toHaveLength(conversation.messages.length - 1);
  expect(messages[2]?.content).toContain("Tool 'broken' failed: out of paper");
  expect(messages[2]?.content).not.toContain("[x] Charge card");
  expect(messages[4]?.content).toContain("- [x] Charge card — held\n- [ ] Ship item");
  expect(messages[4]?.content).toContain("### Out-of-Plan Steps\n- [x] extra: insured");
});

test("task-reset forgets a record: the task runs again, with a new key", async () => {
  const { client } = await withScript([
    fenced(
      '(task "c" (tool/charge_card {:order_id 1}))\n(task-reset "c")\n(return (task "c" (tool/charge_card {:order_id 1})))',
    ),
  ]);
  const run = await client.startAgent({ agent: agent({ tools: [charge.spec] }), model: "scripted" });
  expect((await run.result()).return).toBe("tx_abc");
  expect(calls.map((call) => call.key)).toEqual(
    [1, 2].map((n) => keyOf(`agent/${run.id}`, charge.spec, { order_id: 1 }, { n })),
  );
});

test("a task whose body fails is not recorded; the failure goes to the model", async () => {
  const { client } = await withScript([
    fenced('(task "print" (tool/broken {}))'),
    fenced('(fail {:reason :no_paper :message "gave up"})'),
  ]);
  const run = await client.startAgent({ agent: agent({ tools: [broken.spec] }), model: "scripted" });
  const step = await run.result();
  expect(step.fail).toMatchObject({ reason: "no_paper", message: "gave up" });
  expect(step.journal).toEqual({});
});

test("without a journal tasks run unrecorded, and the Step warns", async () => {
  const { client } = await withScript([fenced('(return (task "c" (tool/charge_card {:order_id 1})))')]);
  const run = await client.startAgent({ agent: agent({ tools: [charge.spec] }), journal: null, model: "scripted" });
  const step = await run.result();
  expect(step).toMatchObject({ return: "tx_abc", journal: null });
  expect(step.warnings.map((warning) => warning.code)).toEqual(["missing_journal"]);
});

test("tasks inside pmap are recorded, one by one, and a second run finds them all", async () => {
  const program = fenced('(return (pmap (fn [i] (task (str "c_" i) (tool/charge_card {:order_id i}))) (range 5)))');
  const { client } = await withScript([program]);
  const run = await client.startAgent({ agent: agent({ tools: [charge.spec] }), model: "scripted" });
  const step = await run.result();
  expect(Object.keys(step.journal ?? {}).sort()).toEqual(["c_0", "c_1", "c_2", "c_3", "c_4"]);
  expect(calls).toHaveLength(5);
});

test("an agent started with bare tool names gets their specs from the worker; an unknown one is named", async () => {
  const { client } = await withScript([fenced("(return (tool/charge_card {:order_id 1}))")]);
  const run = await client.startAgent({ agent: agent({ tools: ["charge_card"] }), model: "scripted" });
  expect((await run.result()).return).toBe("tx_abc");
  const lost = await client.startAgent({ agent: agent({ tools: ["serch"] }), model: "scripted" });
  await expect(lost.result()).rejects.toMatchObject({ code: "tool_not_found" });
});

describe("errors of programs are reported to the model, and the mission continues", () => {
  test.each([
    ["a syntax error", "(let [x 1 (return x)", "parse_error"],
    ["an unknown tool", "(tool/serch {})", "tool_not_found"],
    ["an endless loop", "(defn spin [n] (spin (inc n))) (spin 0)", "eval_error"],
    ["endless work", "(reduce + (map (fn [x] (reduce + (range 1000))) (range 100000)))", "timeout"],
    ["a text of 100 MB", '(reduce (fn [s _] (str s s)) "0123456789" (range 24))', "memory_exceeded"],
  ])("%s", async (_name, program, reason) => {
    const { client } = await withScript([fenced(program), fenced("(return :alive)")]);
    const run = await client.startAgent({
      id: randomUUID(),
      agent: agent({ tools: [charge.spec] }),
      model: "scripted",
    });
    const step = await run.result();
    expect(step.return).toBe("alive");
    expect(step.turns?.[0]?.result).toMatchObject({ reason });
  });
});

test("a script that is used up gives an llm_error in a Step", async () => {
  const { client } = await withScript([]);
  const run = await client.startAgent({ agent: agent({ name: "lonely" }), model: "scripted" });
  const step = await run.result();
  expect(step.fail).toMatchObject({ reason: "llm_error" });
  expect(step.fail?.message).toContain("lonely");
});

test("starting the same id twice returns the running one", async () => {
  const { client } = await withScript([FIRST, SECOND]);
  const id = randomUUID();
  const options = { id, agent: order(), context: { order_id: 42 }, model: "scripted" };
  const one = await client.startAgent(options);
  await until(async () => (await one.status()).state === "waiting", "the mission parks");
  const two = await client.startAgent(options);
  expect((await two.status()).state).toBe("waiting");
  await two.recordDecision({ id: "payment_confirmed_42", value: true, by: "anna" });
  expect((await one.result()).return).toEqual({ status: "shipped" });
  expect(calls).toHaveLength(2);
});

test("an input larger than a payload is refused before anything starts, with its size", async () => {
  const { client } = await withScript([]);
  await expect(
    client.startAgent({ agent: agent({}), context: { big: "x".repeat(3_000_000) }, model: "scripted" }),
  ).rejects.toMatchObject({ code: "payload_too_large" });
});

describe("a run that failed", () => {
  test("fails its workflow, with the reason and the message of its failure, and its client still gets the Step", async () => {
    const { client } = await withScript([
      fenced('(do (task "looked" 7) (fail {:reason :no_stock :message "None is left."}))'),
    ]);
    const run = await client.startAgent({ agent: agent({ name: "order" }), model: "scripted" });
    const step = await run.result();
    expect(step).toMatchObject({ fail: { reason: "no_stock", message: "None is left." }, journal: { looked: 7 } });
    expect(step.trace).toHaveLength(1);
    await expect(run.workflow.result()).rejects.toMatchObject({
      cause: { type: "no_stock", message: "None is left.", nonRetryable: true, details: [{ journal: { looked: 7 } }] },
    });
    expect((await run.workflow.describe()).status.name).toBe("FAILED");
    expect(await run.status()).toMatchObject({ state: "failed" });
    expect((await run.projection()).timeline.at(-1)).toMatchObject({
      kind: "end",
      text: "failed: no_stock: None is left.",
      outcome: "failed",
    });
  });

  const text = (bytes: number) => `(apply str (map (fn [_] "0123456789") (range ${bytes / 10})))`;

  test.each([{ bytes: 1_500_000 }, { bytes: 1_890_000 }])(
    "keeps a Step of $bytes bytes whole: the failure holds what a result held",
    async ({ bytes }) => {
      const program = `(do (task "large" ${text(900_000)}) (fail {:reason :no_stock :message ${text(bytes - 900_000)}}))`;
      const { client } = await withScript([fenced(program)]);
      const large = agent({ name: "order", max_turns: 1, max_heap: 100_000_000 });
      const run = await client.startAgent({ agent: large, model: "scripted", collect_messages: false, trace: false });
      const step = await run.result();
      expect(step.fail?.message).toHaveLength(bytes - 900_000);
      expect(String(step.journal?.large)).toHaveLength(900_000);
    },
  );
});
