import { fitStep, type Step, withTrace } from "../../../../src/core/agent/result/step";
import { jsonBytes } from "../../../../src/core/base/bytes";
import { toolCacheKey } from "../../../../src/core/base/call-digest";
import { failed } from "../../../../src/core/base/failure";
import { run } from "../run/mission";

/** A Step with all it can have (agent reference, section 11). */
const AGENT = {
  name: "clerk",
  prompt: "Look at {{order}}",
  signature: "(order :int) -> {total :float}",
  field_descriptions: { total: "in euro" },
  plan: ["Look"],
  max_turns: 3,
};
const FIRST = '(do (def p (tool/price {:id 1})) (step-done "1" "seen") (println p))';
const INPUT = {
  agent: {
    ...AGENT,
    tools: [{ name: "price", signature: "(id :int) -> :float", description: "A price", cache: true }],
  },
  context: { order: 42 },
  journal: {},
  trace_id: "0123456789abcdef0123456789abcdef",
  parent_trace_id: "ffffffffffffffffffffffffffffffff",
  collect_messages: true,
  tools: { price: 2.344 },
  says: [
    {
      content: FIRST,
      tokens: { input: 100, output: 10 },
    },
    {
      content:
        '```clojure\n(do (println "again") (task "t" (tool/price {:id 1})) (return {:total p :extra-field [1.239]}))\n```',
      model: "really/this",
      tokens: { input: 120, output: 20, cache_read: 90, cache_creation: 5, total_cost: 0.5 },
    },
  ],
};

/** The call in its turn. The host's clock stands still. */
const CALL = {
  name: "price",
  args: { id: 1 },
  result: 2.344,
  error: null,
  timestamp: expect.any(Number) as number,
  duration_ms: 0,
};

test("a successful Step has every field", async () => {
  const { step, systems, host } = await run(INPUT);
  expect(step).toEqual({
    return: { total: 2.34, extra_field: [1.24] },
    fail: null,
    memory: { p: 2.344 },
    journal: { t: 2.344 },
    summaries: { "1": "seen" },
    signature: AGENT.signature,
    usage: {
      duration_ms: 0,
      memory_bytes: expect.any(Number),
      turns: 2,
      input_tokens: 220,
      output_tokens: 30,
      total_tokens: 250,
      llm_requests: 2,
      system_prompt_tokens: Math.floor((systems[1] as string).length / 4),
      cache_creation_tokens: 5,
      cache_read_tokens: 90,
      cache_hit_rate: 0.409,
      total_cost: 0.5,
    },
    turns: [
      {
        number: 1,
        raw_response: FIRST,
        program: FIRST,
        result: null,
        prints: ["2.344"],
        tool_calls: [{ ...CALL, cached: undefined }],
        memory: { p: 2.344 },
        success: true,
        messages: null,
        system_prompt: systems[0] as string,
        type: "normal",
        model: "scripted",
        tokens: { input: 100, output: 10 },
      },
      expect.objectContaining({
        number: 2,
        success: true,
        result: { total: 2.34, extra_field: [1.24] },
        model: "really/this",
        tokens: { input: 120, output: 20, cache_read: 90, cache_creation: 5, total_cost: 0.5 },
      }),
    ],
    trace: [
      expect.objectContaining({ turn: 1, feedback_truncated: false }),
      {
        turn: 2,
        program: expect.stringContaining("(task"),
        result: { total: 2.34, extra_field: [1.24] },
        tool_calls: [{ ...CALL, cached: true }],
        prints: ["again"],
        feedback_truncated: false,
      },
    ],
    trace_id: INPUT.trace_id,
    parent_trace_id: INPUT.parent_trace_id,
    name: "clerk",
    field_descriptions: { total: "in euro" },
    prints: ["again"],
    tool_calls: [expect.objectContaining({ name: "price", cached: true, task: "t", duration_ms: 0, error: null })],
    pmap_calls: [],
    child_traces: [],
    child_steps: [],
    messages: [
      { role: "system", content: systems[1] as string },
      ...(host.sent[1]?.messages ?? []),
      { role: "assistant", content: expect.stringContaining("(return {:total p") },
    ],
    prompt: "Look at ~{data/order}",
    original_prompt: AGENT.prompt,
    tools: { price: { signature: "(id :int) -> :float", description: "A price" } },
    tool_cache: { [toolCacheKey("price", { id: 1 })]: 2.344 },
    warnings: [],
  } satisfies Step);
});

describe("a turn as its readers get it", () => {
  const turnsOf = async (says: string[], more: object = {}) =>
    withTrace((await run({ says, tools: { broken: () => failed("tool_error", "out of paper") }, ...more })).step).turns;

  test("its definitions are those of all turns so far, and a turn that failed leaves them as they were", async () => {
    const turns = await turnsOf(["(def a 1)", "(do (def b 2) (+ 1 nil))", "(def c 3)", "(do (def a 4) (return c))"], {
      agent: { max_turns: 4 },
    });
    expect(turns?.map(({ memory }) => memory)).toEqual([{ a: 1 }, { a: 1 }, { a: 1, c: 3 }, { a: 4, c: 3 }]);
  });

  test("a run that gives up keeps the definitions of its last turn", async () => {
    const turns = await turnsOf(["(def a 1)", '(do (def b 2) (fail "no"))']);
    expect(turns?.map(({ memory }) => memory)).toEqual([{ a: 1 }, { a: 1, b: 2 }]);
  });

  test("a call that failed is there with its error, when it began and how long it took", async () => {
    const turns = await turnsOf(["(tool/broken {:n 1})", "(return 1)"]);
    expect(turns?.[0]?.tool_calls).toEqual([
      {
        name: "broken",
        args: { n: 1 },
        result: null,
        error: "out of paper",
        timestamp: expect.any(Number),
        duration_ms: 0,
      },
    ]);
  });

  test("with collect_messages it has the messages and the system prompt that were sent in it", async () => {
    const given = { says: ['(task "t" 1)', "(println 2)", "(return 3)"], journal: {}, collect_messages: true };
    const { step, host } = await run(given);
    expect(withTrace(step).turns?.map(({ messages, system_prompt }) => ({ messages, system_prompt }))).toEqual(
      host.sent.map(({ messages, system }) => ({ messages, system_prompt: system })),
    );
    // The record in the history has the system prompt where it changed, and no message twice.
    expect(step.turns?.map(({ messages, system_prompt }) => [messages, system_prompt !== null])).toEqual([
      [null, true],
      [null, false],
      [null, false],
    ]);
  });

  test("a compressed conversation is there as it was sent", async () => {
    const given = {
      says: ["(def a 1)", "(def b 2)", "(return 3)"],
      agent: { compression: true },
      collect_messages: true,
    };
    const { step, host } = await run(given);
    expect(withTrace(step).turns?.map(({ messages }) => messages)).toEqual(host.sent.map(({ messages }) => messages));
  });

  test("without collect_messages it has neither", async () => {
    const turns = await turnsOf(["(return 1)"]);
    expect(turns?.[0]).toMatchObject({ messages: null, system_prompt: null });
  });

  test("what is read twice is the same", async () => {
    const { step } = await run(INPUT);
    expect(withTrace(withTrace(step))).toEqual(withTrace(step));
  });
});

test("(fail) keeps its op and its details", async () => {
  const { step } = await run({
    says: ['(fail {:reason :no_stock :message "none left" :op "reserve" :details {:sku 7}})'],
  });
  expect(step.fail).toEqual({
    reason: "no_stock",
    message: "none left",
    op: "reserve",
    details: { sku: 7, user_fail: true, value: expect.objectContaining({ op: "reserve", details: { sku: 7 } }) },
  });
});

test("a Step is plain JSON", async () => {
  const { step } = await run(INPUT);
  expect(JSON.parse(JSON.stringify(step))).toEqual(step);
});

test("return and fail are never both set, and a failed run keeps everything it gathered", async () => {
  const { step } = await run({ ...INPUT, says: [INPUT.says[0] as never, '(do (def q 1) (fail "no"))'] });
  expect(step).toMatchObject({
    return: null,
    fail: { reason: "failed" },
    memory: { p: 2.344, q: 1 },
    summaries: { "1": "seen" },
    name: "clerk",
    signature: AGENT.signature,
    field_descriptions: null,
  });
});

test("without options a Step has its own id of 32 hex digits, no messages and no parent", async () => {
  const { step } = await run({ says: ["(return 1)"] });
  expect(step).toMatchObject({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    parent_trace_id: null,
    messages: null,
    signature: null,
    name: null,
    journal: null,
    tools: {},
  });
});

test.each([
  { trace: true as const, says: "(return 1)", kept: true },
  { trace: false as const, says: "(return 1)", kept: false },
  { trace: false as const, says: "(fail 1)", kept: false },
  { trace: "on_error" as const, says: "(return 1)", kept: false },
  { trace: "on_error" as const, says: "(fail 1)", kept: true },
])("trace $trace and $says: turns are kept is $kept", async ({ trace, says, kept }) => {
  const { step } = await run({ trace, says: [says] });
  expect(step.turns !== null).toBe(kept);
  expect(step.trace !== null).toBe(kept);
});

test("replies without token counts still count as requests", async () => {
  const { step } = await run({ says: ["(do 1)", "(return 1)"] });
  expect(step.usage).toEqual({ duration_ms: 0, memory_bytes: expect.any(Number), turns: 2, llm_requests: 2 });
});

test("functions in memory are shown as text", async () => {
  const { step } = await run({ says: ["(do (defn twice [x] (* 2 x)) (def n 1))", "(return (twice 2))"] });
  expect(step.memory).toEqual({ twice: { $text: expect.stringContaining("fn") }, n: 1 });
});

test.each([
  {
    precision: undefined,
    value: "[1.005 2.675 2.676 -1.236 -0.001 0.1 3.0 1e20 1.5e300]",
    gives: [1, 2.67, 2.68, -1.24, 0, 0.1, 3, 1e20, 1.5e300],
  },
  { precision: 0, value: "[1.5 {:a 2.4}]", gives: [2, { a: 2 }] },
  { precision: 4, value: "[1.23456]", gives: [1.2346] },
])("floats of a result keep $precision decimals: $value", async ({ precision, value, gives }) => {
  const agent = precision === undefined ? {} : { float_precision: precision };
  const { step } = await run({ agent, says: [`(return ${value})`] });
  expect(step.return).toEqual(gives);
});

test("keys become text with underscores at every depth", async () => {
  const { step } = await run({ says: ['(return {:a-b {"c-d" [{:e-f 1}]}})'] });
  expect(step.return).toEqual({ a_b: { c_d: [{ e_f: 1 }] } });
});

describe("a return too large for one payload", () => {
  test("is reported to the model as an error, with its size", async () => {
    const { step, heard } = await run({ says: ["(return (map str (range 100000)))", "(return 1)"] });
    expect(heard[1]).toMatch(/takes \d+ bytes; the limit is 500000/);
    expect(step.return).toBe(1);
  });
});

describe("a Step shortened to fit", () => {
  const ORDER = ["trace", "messages", "turns", "tool_calls", "tool_cache", "memory", "prints"];

  test.each([0.9, 0.7, 0.5, 0.3, 0.1])(
    "%d of its size: drops the least needed parts first, and says so",
    async (share) => {
      const { step } = await run(INPUT);
      const { warnings, ...fitted } = fitStep(step, Math.ceil(jsonBytes(step as never) * share));
      const dropped = ORDER.slice(
        0,
        ORDER.findIndex((part) => fitted[part as never] === step[part as never]),
      );
      expect(dropped.length).toBeGreaterThan(0);
      expect(warnings).toEqual([
        { code: "step_shortened", message: expect.stringContaining(`: ${dropped.join(", ")}.`) },
      ]);
      expect(fitted).toMatchObject({
        return: step.return,
        fail: null,
        journal: step.journal,
        summaries: step.summaries,
      });
    },
  );

  test("is unchanged when it fits", async () => {
    const { step } = await run(INPUT);
    expect(fitStep(step, jsonBytes(step as never))).toBe(step);
  });
});
