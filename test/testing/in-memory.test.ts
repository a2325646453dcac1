import { z } from "zod";
import { defineAgent } from "../../src/project/authoring/define-agent";
import {
  assertEffects,
  assertFailed,
  assertMissionLog,
  assertNothingHidden,
  assertOnce,
  assertReturned,
  crashWorker,
  program,
  runInMemory,
  stub,
} from "../../src/testing";
import { defineTool, ToolRetry, UnknownOutcome } from "../../src/tools";
import { keyOf } from "../support/effect-keys";

const DAY = 86_400_000;
const charge = defineTool({
  name: "charge_card",
  input: z.object({ order_id: z.int().max(999) }),
  output: z.object({ tx: z.string() }),
  run: ({ order_id }) => ({ tx: `tx_${order_id}` }),
});
const order = defineAgent({ name: "order", prompt: "Charge order {{order_id}}.", tools: [charge] });
const CHARGE = '(task "charge_42" (tool/charge_card {:order_id data/order_id}))';
const paid = {
  script: [program(`(return {:paid ${CHARGE}})`)],
  tools: [charge],
  context: { order_id: 42, _pin: "1234" },
};

describe("a mission in memory", () => {
  test("runs the real tool, and reports its effects", async () => {
    const run = await runInMemory(order, paid);
    expect(run).toMatchObject({
      journal: { charge_42: { tx: "tx_42" } },
      missionLog: expect.stringContaining('- [done] charge_42: {"tx" "tx_42"}'),
      effects: [
        {
          tool: "charge_card",
          args: { order_id: 42 },
          task: "charge_42",
          key: keyOf("agent/test", charge.spec, { order_id: 42 }),
          attempts: 1,
          result: { tx: "tx_42" },
        },
      ],
    });
    assertReturned(run, { paid: { tx: "tx_42" } });
    assertMissionLog(run, ["charge_42"]);
    assertMissionLog(run, { charge_42: { tx: "tx_42" } });
    assertOnce(run, "charge_card", { order_id: 42 });
    assertNothingHidden(run, ["1234"]);
  });

  test("tools are replaced by name, and real ones are checked against their schemas", async () => {
    const replaced = await runInMemory(order, { ...paid, replace: { charge_card: stub.always({ tx: "other" }) } });
    assertEffects(replaced, [{ tool: "charge_card", result: { tx: "other" } }]);
    const plain = await runInMemory(order, {
      ...paid,
      tools: { charge_card: ({ order_id }) => ({ tx: order_id ?? 0 }) },
    });
    assertReturned(plain, { paid: { tx: 42 } });
    const wrong = await runInMemory(order, { ...paid, context: { order_id: 1000 } });
    assertEffects(wrong, [{ tool: "charge_card", error: "...invalid arguments...", attempts: 1 }]);
  });

  test("an argument of another type than the tool's signature has never reaches the tool", async () => {
    const { step, effects } = await runInMemory({ ...order, max_turns: 1 }, { ...paid, context: { order_id: "abc" } });
    expect(effects).toEqual([]);
    const message = expect.stringContaining("order_id: expected int, got string");
    expect(step.turns).toMatchObject([{ result: { reason: "tool_error", message } }]);
  });

  test("a context that does not fit the agent's signature is refused before anything starts", async () => {
    const typed = { ...order, signature: "(order_id :int) -> :any" };
    await expect(runInMemory(typed, { ...paid, context: { order_id: "abc" } })).rejects.toMatchObject({
      code: "validation_error",
      message: 'context.order_id: cannot coerce string "abc" to integer',
      details: { input: true },
    });
    const unchecked = { ...typed, validate_input: false, tools: [] };
    const given = { script: [program("(return data/order_id)")], context: { order_id: "abc" } };
    assertReturned(await runInMemory(unchecked, given), "abc");
  });

  test.each([
    ["always", stub.always(1), 1],
    ["sequence", stub.sequence([7, 8]), 7],
    ["echo", stub.echo(), { order_id: 42 }],
    ["slow", stub.slow(9_000, 2), 2],
  ])("stub.%s", async (_, tool, result) =>
    assertEffects(await runInMemory(order, { ...paid, replace: { charge_card: tool } }), [
      { tool: "charge_card", result },
    ]),
  );

  test("a tool without a stub is a mistake of the test", async () => {
    await expect(runInMemory(order, { script: [], tools: [] })).rejects.toThrow(
      'The agent may call "charge_card", and the test has no answer for it',
    );
    const faults = [{ tool: "ship", fails: "no" }];
    await expect(runInMemory(order, { ...paid, faults })).rejects.toThrow('A fault names the tool "ship"');
  });
});

describe("faults", () => {
  test("a worker lost after the effect calls again with the same key", async () => {
    const service = new Map<string, string>();
    const acting = (_: object, { idempotencyKey: key }: { idempotencyKey: string }) => {
      if (!service.has(key)) service.set(key, `tx_${service.size + 1}`);
      return { tx: service.get(key) };
    };
    const faults = [crashWorker({ after: { tool: "charge_card" } })];
    const run = await runInMemory(order, { ...paid, replace: { charge_card: acting }, faults });
    assertOnce(run, "charge_card");
    assertEffects(run, [{ tool: "charge_card", attempts: 2, result: { tx: "tx_1" } }]);
    expect(service.size).toBe(1);
  });

  test("a worker lost before the effect has no effect", async () => {
    const run = await runInMemory(order, {
      ...paid,
      faults: [crashWorker({ before: { tool: "charge_card", call: 1 } })],
    });
    assertEffects(run, [{ tool: "charge_card", attempts: 1 }]);
    assertReturned(run, { paid: { tx: "tx_42" } });
  });

  test("an irreversible call is not repeated, and its outcome is unknown", async () => {
    const wire = defineTool({ name: "wire", effect: "irreversible", run: () => "sent" });
    const agent = defineAgent({ name: "bank", prompt: "Wire it.", tools: [wire] });
    const run = await runInMemory(agent, {
      script: [program("(tool/wire {})"), program('(fail {:reason "unclear" :message (:message data/fail)})')],
      tools: [wire],
      faults: [crashWorker({ after: { tool: "wire" } })],
    });
    assertFailed(run, "unclear");
    expect(run.step.fail?.message).toContain("the outcome is unknown");
    assertOnce(run, "wire");
  });

  test("a tool that fails on its second call", async () => {
    const run = await runInMemory(order, {
      ...paid,
      script: [
        program(`(tool/charge_card {:order_id 1}) (tool/charge_card {:order_id 2})`),
        program('(return "given up")'),
      ],
      faults: [{ tool: "charge_card", call: 2, fails: "card refused" }],
    });
    assertEffects(run, [
      { tool: "charge_card", args: { order_id: 1 }, result: { tx: "tx_1" } },
      { tool: "charge_card", args: { order_id: 2 }, error: "card refused" },
    ]);
    expect(run.messages.at(-1)?.content).toContain("card refused");
  });

  test("a tool that asks for a retry is called again, in no time", async () => {
    let calls = 0;
    const busy = () => {
      calls += 1;
      if (calls < 3) throw new ToolRetry("busy", { after_ms: 3 * DAY });
      return "at last";
    };
    const run = await runInMemory(order, { ...paid, replace: { charge_card: busy } });
    assertEffects(run, [{ tool: "charge_card", attempts: 3, result: "at last" }]);
    expect(run.step.usage?.duration_ms).toBeGreaterThanOrEqual(6 * DAY);
  });

  test("an idempotent tool whose answer was lost is asked again, with the same key", async () => {
    const keys: string[] = [];
    const put = defineTool({
      name: "put",
      effect: "idempotent",
      run: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length < 3) throw new UnknownOutcome("the answer was cut off");
        return "put";
      },
    });
    const putter = defineAgent({ name: "putter", prompt: "Put it there.", tools: [put] });
    assertReturned(await runInMemory(putter, { script: [program("(return (tool/put {}))")], tools: [put] }), "put");
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  test.each([429, 500, "timeout"] as const)("a model that answers %s three times, then succeeds", async (model) => {
    const run = await runInMemory(order, { ...paid, faults: [{ model, times: 3 }] });
    assertReturned(run, { paid: { tx: "tx_42" } });
    assertOnce(run, "charge_card");
  });

  test("with the agent's own retry policy, it gets the reply that was due", async () => {
    const llm_retry = { max_attempts: 3 };
    const run = await runInMemory(order, { ...paid, options: { llm_retry }, faults: [{ model: 500, times: 2 }] });
    assertReturned(run, { paid: { tx: "tx_42" } });
    const refused = await runInMemory(order, { ...paid, faults: [{ model: 401 }] });
    assertFailed(refused, "llm_error");
  });
});

describe("time and people", () => {
  const approved = defineAgent({
    name: "order",
    prompt: "Charge order {{order_id}}.",
    tools: [{ name: "charge_card", approval: { timeout_ms: 30 * DAY, on_timeout: "approve" } }],
  });

  test("people approve, or thirty days pass at once", async () => {
    const asked = await runInMemory(approved, { ...paid, reviews: [{ choice: "approve", by: "anna" }] });
    expect(asked.reviews).toMatchObject([{ status: "decided" }]);
    const late = await runInMemory(approved, paid);
    assertOnce(late, "charge_card");
    expect(late.step.usage?.duration_ms).toBeGreaterThanOrEqual(30 * DAY);
  });

  const waiting = (more: object = {}) => defineAgent({ name: "order", prompt: "Charge it.", tools: [charge], ...more });
  const parks = {
    ...paid,
    script: [
      { if_contains: "[done] confirmed", content: program(`(return {:paid ${CHARGE}})`) },
      {
        if_contains: "[done] wait_timeout_1",
        content: program('(fail {:reason "nobody" :message "nobody confirmed"})'),
      },
      program(`(do ${CHARGE} (return {:status :waiting}))`),
    ],
  };

  test("a parked mission continues with the decision, and charges once", async () => {
    const run = await runInMemory(waiting(), { ...parks, decisions: [{ id: "confirmed", value: true, by: "anna" }] });
    assertReturned(run, { paid: { tx: "tx_42" } });
    assertMissionLog(run, ["charge_42", "confirmed"]);
    assertOnce(run, "charge_card");
  });

  test("a wait that ends after a week takes no time; one without an end ends the test's mission there", async () => {
    const run = await runInMemory(waiting({ wait_timeout_ms: 7 * DAY }), parks);
    assertFailed(run, "nobody");
    assertReturned(await runInMemory(waiting(), parks), { status: "waiting" });
  });

  test("a mission's time limit", async () => {
    const run = await runInMemory(waiting({ mission_timeout: DAY }), {
      ...paid,
      replace: { charge_card: stub.slow(600_000, 1) },
    });
    assertReturned(run, { paid: 1 });
    const short = waiting({ mission_timeout: 60_000 });
    assertFailed(
      await runInMemory(short, { ...paid, replace: { charge_card: stub.slow(600_000, 1) } }),
      "mission_timeout",
    );
  });
});

describe("assertions show the difference", () => {
  const thrown = (check: () => void) => {
    try {
      check();
    } catch (error) {
      return error as { name: string; message: string; actual: unknown; expected: unknown };
    }
    throw new Error("nothing was thrown");
  };

  test("each with the actual and the expected value", async () => {
    const run = await runInMemory(order, paid);
    expect(thrown(() => assertMissionLog(run, ["ship_42"]))).toMatchObject({
      name: "AssertionError",
      actual: ["charge_42"],
      expected: ["ship_42"],
    });
    expect(thrown(() => assertEffects(run, []))).toMatchObject({ expected: [] });
    expect(thrown(() => assertEffects(run, [{ tool: "charge_card", args: { order_id: 43 } }]))).toMatchObject({
      actual: [{ tool: "charge_card", args: { order_id: 42 } }],
    });
    expect(thrown(() => assertOnce(run, "ship_item")).message).toContain("ship_item acted 0 times");
    expect(thrown(() => assertReturned(run, { paid: 1 })).message).toContain("tx_42");
    expect(thrown(() => assertFailed(run, "nobody"))).toMatchObject({ actual: null, expected: "nobody" });
    expect(thrown(() => assertNothingHidden(run, ["Charge order"])).actual).toMatchObject([{ turn: 1, role: "user" }]);
  });
});
