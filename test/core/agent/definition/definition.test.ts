import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";

const GOOD = { prompt: "Find {{q}}", signature: "(q :string) -> {hits [:string]}" };

function issuesOf(written: unknown): { path: string; message: string }[] {
  const parsed = parseAgent(written);
  if (parsed.ok) return [];
  expect(parsed.fail.reason).toBe("invalid_agent");
  return parsed.fail.details?.issues as never;
}

test("an agent with only a prompt has every default (agent reference, section 2)", () => {
  expect(parseAgent({ prompt: "Do it." })).toEqual({
    ok: true,
    value: {
      prompt: "Do it.",
      tools: [],
      max_turns: 5,
      retry_turns: 0,
      turn_budget: 20,
      max_depth: 3,
      timeout: 5000,
      mission_timeout: null,
      pmap_max_concurrency: 8,
      max_heap: null,
      loop_limit: 1000,
      memory_limit: 1_048_576,
      memory_strategy: "strict",
      max_tool_calls: null,
      format_options: {
        feedback_limit: 10,
        feedback_max_chars: 512,
        history_max_bytes: 1024,
        result_limit: 50,
        result_max_chars: 500,
        max_print_length: 2000,
      },
      float_precision: 2,
      thinking: false,
      output: "ptc_lisp",
      llm_query: false,
      builtin_tools: [],
      tools_in_prompt: 30,
      pinned_tools: [],
      compression: null,
      pmap_timeout: null,
      validate_input: true,
      plan: [],
      on_other_effect: "serve",
      template: "expand",
      waiting_status: "waiting",
      wait_timeout_ms: null,
    },
  });
});

test("an agent file with three mistakes names all three, each with its place", () => {
  const parsed = parseAgent({ prompt: "Find {{q}}", max_turns: 0, signature: "(q string) -> :int", colour: "red" });
  const message = parsed.ok ? "" : parsed.fail.message;
  expect(message).toMatch(/^The agent has 3 mistakes: /);
  for (const part of [
    "max_turns: must be a positive integer",
    "signature: invalid signature: parse error at line 1, column 4",
    'colour: unknown option "colour"',
  ])
    expect(message).toContain(part);
});

test("mistakes of type and of meaning are reported together", () => {
  const issues = issuesOf({
    ...GOOD,
    prompt: "Find {{q}} for {{who}}",
    retry_turns: -1,
    tools: { search: "(q :string) -> :strng", return: null },
    plan: ["", ["a", "First"], ["a", "Again"]],
  });
  expect(issues.map(({ path }) => path).sort()).toEqual([
    "plan[0].description",
    "plan[2]",
    "prompt",
    "retry_turns",
    "tools.return",
    "tools.search.signature",
  ]);
});

describe("refused:", () => {
  test.each([
    { what: null, path: "", says: "an object" },
    { what: ["prompt"], path: "", says: "an object" },
    { what: "Do it.", path: "", says: "an object" },
    { what: {}, path: "prompt", says: "a prompt is required" },
    { what: { prompt: "  " }, path: "prompt", says: "a prompt is required" },
    { what: { prompt: 7 }, path: "prompt", says: "a prompt is required" },
    { what: { ...GOOD, max_turns: 1.5 }, path: "max_turns", says: "positive integer" },
    { what: { ...GOOD, max_depth: "3" }, path: "max_depth", says: "positive integer" },
    { what: { ...GOOD, timeout: 25_001 }, path: "timeout", says: "at most 25000" },
    { what: { ...GOOD, memory_strategy: "lax" }, path: "memory_strategy", says: "strict or rollback" },
    { what: { ...GOOD, output: "xml" }, path: "output", says: "ptc_lisp or text" },
    { what: { ...GOOD, name: "" }, path: "name", says: "non-empty" },
    { what: { ...GOOD, thinking: "yes" }, path: "thinking", says: "true or false" },
    { what: { ...GOOD, plan: "Book flight" }, path: "plan", says: "a list" },
    { what: { ...GOOD, plan: [7] }, path: "plan[0]", says: "a pair" },
    { what: { ...GOOD, plan: [["a", "b", "c"]] }, path: "plan[0]", says: "a pair" },
    { what: { ...GOOD, plan: [["", "b"]] }, path: "plan[0].id", says: "non-empty id" },
    { what: { ...GOOD, plan: ["a", ["1", "b"]] }, path: "plan[1]", says: 'duplicate plan id "1"' },
    { what: { ...GOOD, prompt: "{{other}}" }, path: "prompt", says: "{{other}} not found in signature" },
    { what: { ...GOOD, tools: ["fail"] }, path: "tools[0]", says: "reserved_tool_name" },
    { what: { ...GOOD, tools: ["a b"] }, path: "tools[0]", says: "cannot be called" },
    { what: { ...GOOD, tools: ["a", "a"] }, path: "tools[1]", says: 'duplicate tool "a"' },
    { what: { ...GOOD, tools: { a: { effect: "none" } } }, path: "tools.a.effect", says: "read, idempotent, write" },
    { what: { ...GOOD, tools: { a: { batch: 1 } } }, path: "tools.a.batch", says: "must be an integer, 2 or more" },
    {
      what: { ...GOOD, tools: { a: { batch: 9, approval: true } } },
      path: "tools.a.batch",
      says: "has no use: each call",
    },
    { what: { ...GOOD, tools: [{ name: "a", run: 1 }] }, path: "tools[0].run", says: 'unknown option "run"' },
    { what: { ...GOOD, max_turn: 3 }, path: "max_turn", says: "max_turns" },
    { what: { ...GOOD, llm: "a", model: "b" }, path: "llm", says: "another name of model" },
    { what: { ...GOOD, compression: "zip" }, path: "compression.strategy", says: "single-user-coalesced" },
    { what: { ...GOOD, builtin_tools: "grep" }, path: "builtin_tools", says: "a list of families" },
    { what: { ...GOOD, llm_retry: { max_attempts: 0 } }, path: "llm_retry.max_attempts", says: "positive" },
    { what: { ...GOOD, tools: { x: { agent: { prompt: 7 } } } }, path: "tools.x.agent.prompt", says: "required" },
    { what: { ...GOOD, tools: { x: { agent: "other" } } }, path: "tools.x.agent", says: 'no agent "other"' },
    { what: { ...GOOD, tools: { x: { agent: GOOD } } }, path: "tools.x", says: "as_tool requires description" },
    { what: { prompt: "Do.", tools: { again: "self" } }, path: "tools.again", says: "must have a signature" },
    { what: { ...GOOD, tools: { ask: { llm: { prompt: "Is it?" } } } }, path: "tools.ask.llm.signature", says: "" },
    {
      what: { ...GOOD, tools: { ask: { llm: { prompt: "Is {{it}}?", signature: "(x :any) -> :bool" } } } },
      path: "tools.ask.llm.prompt",
      says: "{{it}} not found in signature",
    },
    { what: { ...GOOD, system_prompt: { begin: "x" } }, path: "system_prompt.begin", says: "unknown option" },
    {
      what: { ...GOOD, format_options: { feedback_limit: 0 } },
      path: "format_options.feedback_limit",
      says: "positive",
    },
  ])("$path: $says", ({ what, path, says }) => {
    expect(issuesOf(what)).toEqual([{ path, message: expect.stringContaining(says) }]);
  });
});

describe("accepted:", () => {
  test.each([
    { what: { ...GOOD, tools: ["search"] }, key: "tools", is: ["search"] },
    { what: { ...GOOD, tools: { search: null } }, key: "tools", is: ["search"] },
    {
      what: { ...GOOD, tools: { search: "(q :string) -> :any" } },
      key: "tools",
      is: [{ name: "search", signature: "(q :string) -> :any", effect: "write" }],
    },
    {
      what: { ...GOOD, tools: { search: { effect: "read", cache: true } } },
      key: "tools",
      is: [{ name: "search", effect: "read", cache: true }],
    },
    { what: { ...GOOD, llm: "openai/x" }, key: "model", is: "openai/x" },
    { what: { ...GOOD, system_prompt: "All of it" }, key: "system_prompt", is: "All of it" },
    { what: { ...GOOD, memory_limit: null }, key: "memory_limit", is: null },
    { what: { ...GOOD, compression: false, builtin_tools: [], llm_query: false }, key: "prompt", is: GOOD.prompt },
    { what: { ...GOOD, prompt: "{{other}}", template: "literal" }, key: "template", is: "literal" },
    { what: { ...GOOD, prompt: "{{q.name}} {{#other}}{{x}}{{/other}}" }, key: "max_turns", is: 5 },
    { what: { ...GOOD, prompt: "{{unclosed" }, key: "prompt", is: "{{unclosed" },
    { what: { ...GOOD, name: undefined }, key: "name", is: undefined },
  ])("$what", ({ what, key, is }) => {
    const parsed = parseAgent(what);
    expect(parsed.ok && (parsed.value as never)[key]).toEqual(is);
  });
});

test("a parsed agent is plain JSON and parses to itself: it is passed in workflow input", () => {
  const parsed = parseAgent({ ...GOOD, tools: { search: { effect: "read" }, other: null }, plan: ["a", ["x", "b"]] });
  const agent = parsed.ok ? parsed.value : null;
  expect(JSON.parse(JSON.stringify(agent))).toEqual(agent);
  expect(parseAgent(agent)).toEqual(parsed);
});
