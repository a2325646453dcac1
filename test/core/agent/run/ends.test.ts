import { run } from "./mission";

/** How runs end (agent reference, sections 9 and 12). */
const NUMBER = { signature: "{n :int}" };
/** The loop refuses these itself: the run has started. What is wrong with its input refuses it before. */
const ZERO = { duration_ms: 0, memory_bytes: expect.any(Number), turns: 0 };
const FITS = "(return {:n 1})";

describe("a run is refused before its first model call", () => {
  test.each([
    { name: "nested too deep", input: { depth: 3 }, reason: "max_depth_exceeded", usage: ZERO },
    {
      name: "no turns left by its parent",
      input: { remaining_turns: 0 },
      reason: "turn_budget_exhausted",
      usage: ZERO,
    },
    { name: "no model anywhere", input: { model: "" }, reason: "llm_required", usage: null },
    {
      name: "a tool called like data",
      input: { context: { a: 1 }, tools: { a: 1 } },
      reason: "invalid_agent",
      usage: null,
    },
    {
      name: "a journal that is none",
      input: { journal: [] as never },
      reason: "invalid_input",
      details: { path: "journal" },
      usage: null,
    },
    {
      name: "a placeholder without value",
      input: { agent: { prompt: "{{gone}}" } },
      reason: "template_error",
      usage: null,
    },
  ])("$name: $reason", async ({ input, reason, usage, details }) => {
    const { step, host } = await run({ says: [FITS], ...input });
    expect(step).toMatchObject({ return: null, fail: { reason, ...(details && { details }) }, turns: [] });
    expect(step.usage).toEqual(usage);
    expect(host.sent).toEqual([]);
  });

  test("max_depth 3 allows a grandchild", async () =>
    expect((await run({ depth: 2, says: ["(return 1)"] })).step.return).toBe(1));

  test("the message names the tool and the data", async () =>
    expect((await run({ context: { a: 1 }, tools: { a: 1 }, says: [] })).step.fail?.message).toBe(
      "a is both a tool and data - rename one.",
    ));
});

describe("a run ends after its turns are spent", () => {
  test.each([
    { name: "no value at all", agent: NUMBER, says: ["nothing", "nothing"], reason: "max_turns_exceeded" },
    { name: "values that do not fit", agent: NUMBER, says: ["1", '{:n "x"}'], reason: "max_turns_exceeded" },
    { name: "retries too", agent: { ...NUMBER, retry_turns: 1 }, says: ["1", "1", "1"], reason: "budget_exhausted" },
    { name: "only failing programs", agent: {}, says: ["(+ 1 nil)", "(+ 1 nil)"], reason: "max_turns_exceeded" },
    { name: "nil values", agent: {}, says: ["nil", "(println 1)"], reason: "max_turns_exceeded" },
  ])("$name: $reason", async ({ agent, says, reason }) => {
    const blocks = says.map((text) => `\`\`\`clojure\n${text}\n\`\`\``);
    const { step } = await run({ agent: { max_turns: 2, ...agent }, says: blocks });
    expect(step).toMatchObject({ return: null, fail: { reason }, usage: { turns: says.length } });
    expect(step.turns).toHaveLength(says.length);
  });

  test("the error names the last return that did not fit", async () => {
    const { step } = await run({ agent: { ...NUMBER, max_turns: 2 }, says: ["(return {})", '(return {:n "x"})'] });
    expect(step.fail?.details).toEqual({ last_error: "return.n: expected int, got string" });
  });

  test("the newest value that fits is returned, with the definitions of its turn", async () => {
    const says = ["(do (def a 1) {:n 7})", "(do (def b 2) nil)", "(return {})"];
    const { step } = await run({ agent: { ...NUMBER, max_turns: 3 }, says });
    expect(step).toMatchObject({ return: { n: 7 }, fail: null, usage: { turns: 3, fallback_used: true } });
    expect(step.memory).toEqual({ a: 1 });
  });

  test("only the newest value is considered", async () => {
    const { step } = await run({ agent: { ...NUMBER, max_turns: 2 }, says: ["(do {:n 7})", "(do {:m 8})"] });
    expect(step.fail?.reason).toBe("max_turns_exceeded");
  });

  test("the turn budget ends the run before max_turns", async () => {
    const { step } = await run({ agent: { turn_budget: 2 }, says: ["(do 1)", "(do 2)", FITS] });
    expect(step).toMatchObject({ return: null, fail: { reason: "turn_budget_exhausted" }, usage: { turns: 2 } });
  });

  test("the parent's remaining turns override the agent's own budget", async () => {
    const { step } = await run({ agent: { turn_budget: 9 }, remaining_turns: 1, says: ["(do 1)", FITS] });
    expect(step.fail?.reason).toBe("turn_budget_exhausted");
  });
});

describe("time and money", () => {
  const busy = { class: "rate_limit" as const, message: "busy", retry_after_ms: 2000 };
  test("the deadline ends the run, and pending work is given up", async () => {
    const { step, called } = await run({
      agent: { mission_timeout: 1000 },
      tools: { act: 1 },
      says: [{ content: "(tool/act)", error: busy }, FITS],
    });
    expect(step).toMatchObject({
      fail: { reason: "mission_timeout", message: expect.stringContaining("1000 ms") },
      usage: { turns: 1, duration_ms: 1000 },
    });
    expect(called).toEqual([]);
    const ended = await run({ agent: { mission_timeout: 2001 }, says: [{ content: FITS, error: busy }] });
    expect(ended.step.return).toEqual({ n: 1 });
  });

  test("an inherited deadline overrides a later own one", async () => {
    const { step } = await run({ agent: { mission_timeout: 1 }, deadline_ms: Number.MAX_SAFE_INTEGER, says: [FITS] });
    expect(step.fail).toBeNull();
  });

  const dear = { content: "(do {:n 1})", tokens: { input: 60, output: 50 } };
  test("exceeding the token limit ends the run before the program of the reply runs", async () => {
    const { step, called } = await run({
      tools: { act: 1 },
      token_limit: 100,
      says: [{ ...dear, content: "(tool/act)" }, FITS],
    });
    expect(step).toMatchObject({
      fail: { reason: "budget_callback_exceeded" },
      usage: { turns: 1, total_tokens: 110 },
    });
    expect(called).toEqual([]);
    expect(step.turns).toEqual([]);
  });

  test.each([
    { on_budget_exceeded: "return_partial" as const, fallback: { n: 1 } },
    { on_budget_exceeded: "fail" as const, fallback: null },
  ])("with $on_budget_exceeded the newest value is returned: $fallback", async ({ on_budget_exceeded, fallback }) => {
    const { step } = await run({ token_limit: 150, on_budget_exceeded, says: [dear, dear] });
    expect(step.return).toEqual(fallback);
    expect(step.fail?.reason).toBe(fallback ? undefined : "budget_callback_exceeded");
  });

  test("exactly the limit does not exceed it", async () =>
    expect((await run({ token_limit: 110, says: [{ ...dear, content: FITS }] })).step.return).toEqual({ n: 1 }));
});

test("a permanent model failure ends the run, and the Step keeps the finished work", async () => {
  const { step } = await run({
    agent: { name: "a", plan: ["Do"] },
    journal: {},
    says: [
      '(do (task "t" 1) (step-done "1" "did") (def x 5))',
      { error: { class: "client_error", message: "bad key" } },
    ],
  });
  expect(step).toMatchObject({
    return: null,
    fail: { reason: "llm_error", message: "LLM call failed: bad key", details: { class: "client_error" } },
    journal: { t: 1 },
    summaries: { "1": "did" },
    memory: { x: 5 },
    name: "a",
    usage: { turns: 2 },
  });
  expect(step.turns).toHaveLength(1);
});
