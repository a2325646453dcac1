import { AgentFile } from "../../../../src/core/agent/definition/agent-file";
import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";

/** What is refused before anything runs (agent reference, section 24): place and words of each mistake. */
const TEXT = { output: "text" };
const HELPER = { prompt: "Help.", signature: "() -> :int" };

function issuesOf(written: object): { path: string; message: string }[] {
  const parsed = parseAgent({ prompt: "Do it.", ...written });
  if (parsed.ok) return [];
  expect(parsed.fail.reason).toBe("invalid_agent");
  expect(parsed.fail.message).toMatch(/^The agent has (a mistake|\d+ mistakes): /);
  return parsed.fail.details?.issues as never;
}

/** Option -> a value of the wrong kind, and what would be right. Options of which any value is fine have none. */
const WRONG_TYPES: { [option: string]: [value: unknown, says: string][] } = {
  name: [[7, "must be a non-empty text"]],
  description: [["", "must be a non-empty text"]],
  prompt: [
    [null, "a prompt is required"],
    ["", "a prompt is required"],
    [["a"], "a prompt is required"],
  ],
  signature: [[7, "must be a signature"]],
  tools: [["search", "must be a list of tools, or a map of name to tool"]],
  max_turns: [
    [0, "must be a positive integer"],
    [1.5, "must be a positive integer"],
    ["3", "must be a positive integer"],
  ],
  retry_turns: [[-1, "must be an integer, 0 or more"]],
  turn_budget: [[0, "must be a positive integer"]],
  max_depth: [[0, "must be a positive integer"]],
  timeout: [
    [0, "must be a positive integer"],
    [25_001, "must be at most 25000 ms"],
  ],
  mission_timeout: [[-5, "must be a positive integer"]],
  pmap_timeout: [[0, "must be a positive integer"]],
  pmap_max_concurrency: [[501, "must be at most 500"]],
  max_heap: [["10MB", "must be a positive integer"]],
  loop_limit: [[10_001, "must be at most 10000"]],
  memory_limit: [[0, "must be a positive integer"]],
  memory_strategy: [["lax", "must be strict or rollback"]],
  max_tool_calls: [[0, "must be a positive integer"]],
  model: [
    [7, "must be a model's name, a model object of the AI SDK, a function with a name, or a list of these"],
    [[], "must name a model"],
  ],
  llm_retry: [
    [3, "must be a map of max_attempts"],
    [{ backoff: "wild" }, "must be exponential, linear or constant"],
    [{ base_delay: 0 }, "must be a positive integer"],
    [{ retryable_errors: "all" }, "must be a list of error classes"],
    [{ tries: 1 }, 'unknown option "tries"'],
  ],
  max_output_tokens: [[0, "must be a positive integer"]],
  model_settings: [
    [0.5, "must be a map of temperature, top_p"],
    [{ temperature: 3 }, "must be a number from 0 to 2"],
    [{ top_p: "high" }, "must be a number from 0 to 1"],
    [{ top_k: 0 }, "must be a positive integer"],
    [{ max_output_tokens: 0.5 }, "must be a positive integer"],
    [{ stop_sequences: "END" }, "must be a list of texts"],
    [{ stop_sequences: [] }, "must name a text"],
    [{ seed: 1.5 }, "must be an integer"],
    [{ presence_penalty: 3 }, "must be a number from -2 to 2"],
    [{ topP: 1 }, 'unknown option "topP"'],
    [{ provider_options: { openai: "flex" } }, "must be a map of provider to options"],
    [{ provider_options: { acme: { login: { apiKey: "sk-1" } } } }, '"apiKey" contains a secret'],
    [{ headers: { Authorization: "Bearer x" } }, 'the header "Authorization" contains a secret'],
    [{ headers: { "X-Api-Key": "x" } }, 'the header "X-Api-Key" contains a secret'],
    [{ headers: { "x trace": "x" } }, "is no name of an HTTP header"],
    [{ headers: { "x-trace": "a\nb: c" } }, "must be a text of one line"],
  ],
  validate_input: [["yes", "must be true or false"]],
  system_prompt: [
    ["", "must not be empty"],
    [{ prefix: 7 }, "must be a text"],
    [{ begin: "a" }, 'unknown option "begin"'],
  ],
  prompt_limit: [
    [100, "must be a map with max_chars"],
    [{ max_chars: 0 }, "must be a positive integer"],
  ],
  field_descriptions: [["a", "must be a map of name to text"]],
  context_descriptions: [[{ a: 7 }, "must be a text"]],
  format_options: [
    [7, "must be a map"],
    [{ feedback_limit: 0 }, "must be a positive integer"],
    [{ feedback: 1 }, 'unknown option "feedback"'],
  ],
  float_precision: [
    [-1, "must be an integer, 0 or more"],
    [16, "must be at most 15"],
  ],
  thinking: [["yes", "must be true or false"]],
  output: [["xml", "must be ptc_lisp or text"]],
  llm_query: [[1, "must be true or false"]],
  builtin_tools: [["grep", "must be a list of families"]],
  tools_in_prompt: [[0, "must be a positive integer"]],
  pinned_tools: [
    ["pay", "must be a list of tools' names"],
    [["pay"], '"pay" is not among the agent\'s tools'],
  ],
  compression: [
    ["zip", 'there is one strategy: "single-user-coalesced"'],
    [{ options: { println_limit: -1 } }, "must be an integer, 0 or more"],
  ],
  plan: [["Book", "must be a list of steps"]],
  journaling: [["on", "must be true or false"]],
  undo: [["on", "must be true or false"]],
  sequences: [["no", "must be true or false"]],
  people: [
    ["anna", "must be a map of assignees"],
    [{ quorum: 0 }, "must be a whole number, 1 or more"],
  ],
  on_other_effect: [["stop", "must be serve, ask, fail or rerun"]],
  template: [["raw", "must be expand or literal"]],
  waiting_status: [["", "must be a non-empty text"]],
  wait_timeout_ms: [[0, "must be a positive integer"]],
};

describe("an option of the wrong type is refused with the expected type", () => {
  const rows = Object.entries(WRONG_TYPES).flatMap(([option, values]) =>
    values.map(([value, says]) => ({ option, value, says })),
  );
  test.each(rows)("$option $value: $says", ({ option, value, says }) => {
    const issues = issuesOf({ [option]: value });
    expect(issues.map(({ path }) => path)).toEqual([expect.stringMatching(new RegExp(`^${option}`))]);
    expect(issues[0]?.message).toContain(says);
  });

  test("every option has a row", () =>
    expect(Object.keys(AgentFile().shape).sort()).toEqual(Object.keys(WRONG_TYPES).sort()));

  test("an unknown option is named, with the closest known one", () =>
    expect(issuesOf({ max_turn: 3 })[0]?.message).toMatch(/unknown option "max_turn".*max_turns/));

  test.each([
    [{ instructions: "Do it." }, 'unknown option "instructions"; it is called prompt here'],
    [{ maxSteps: 3 }, 'unknown option "maxSteps"; it is called max_turns here'],
    [{ temperature: 0 }, 'unknown option "temperature"; write it as model_settings.temperature'],
    [{ topP: 1 }, 'unknown option "topP"; write it as model_settings.top_p'],
    [{ model_settings: { temprature: 0 } }, 'unknown option "temprature"; did you mean temperature?'],
    [{ model_settings: { topP: 1 } }, 'unknown option "topP"; did you mean top_p?'],
    [{ colour: "red" }, 'unknown option "colour"'],
  ])("a word of another system is answered with the one that is meant: %j", (written, says) =>
    expect(issuesOf(written)[0]?.message).toBe(says),
  );
});

describe("options that must go together", () => {
  test.each([
    { row: "invalid signature", what: { signature: "(a int) -> :int" }, path: "signature", says: "invalid signature:" },
    {
      row: "placeholders not in the signature",
      what: { prompt: "{{a}} {{b.c}} {{#d}}{{e}}{{/d}}", signature: "(d [:string]) -> :int" },
      path: "prompt",
      says: "placeholders {{a}}, {{b}} not found in signature",
    },
    { row: "self without a signature", what: { tools: { again: "self" } }, path: "tools.again", says: "signature" },
    { row: "reserved tool name", what: { tools: { return: {} } }, path: "tools.return", says: "reserved_tool_name" },
    { row: "reserved tool name", what: { tools: ["fail"] }, path: "tools[0]", says: "reserved_tool_name" },
    { row: "tool name", what: { tools: { "a b": {} } }, path: "tools.a b", says: "cannot be called as (tool/...)" },
    { row: "tool twice", what: { tools: ["a", "a"] }, path: "tools[1]", says: 'duplicate tool "a"' },
    { row: "tool form", what: { tools: { a: 7 } }, path: "tools.a", says: "must be a tool's name, or a map" },
    { row: "tool form", what: { tools: [{}] }, path: "tools[0].name", says: "must be a non-empty text" },
    {
      row: "tool signature",
      what: { tools: { a: "(x :nt) -> :int" } },
      path: "tools.a.signature",
      says: "invalid signature",
    },
    { row: "plan item", what: { plan: [7] }, path: "plan[0]", says: "must be a text, a pair" },
    { row: "plan item", what: { plan: [""] }, path: "plan[0].description", says: "non-empty description" },
    { row: "plan item", what: { plan: [["", "a"]] }, path: "plan[0].id", says: "non-empty id" },
    { row: "plan ids", what: { plan: ["a", ["1", "b"]] }, path: "plan[1]", says: 'duplicate plan id "1"' },
    {
      row: "as_tool",
      what: { tools: { h: { agent: HELPER } } },
      path: "tools.h",
      says: "as_tool requires description",
    },
    {
      row: "child",
      what: { tools: { h: { agent: { max_turns: 0 } } } },
      path: "tools.h.agent.prompt",
      says: "required",
    },
    { row: "child", what: { tools: { h: { agent: "unknown" } } }, path: "tools.h.agent", says: 'no agent "unknown"' },
    { row: "both names", what: { llm: "a", model: "b" }, path: "llm", says: "another name of model" },
  ])("$row: $path $says", ({ what, path, says }) => {
    const issues = issuesOf(what);
    expect(issues[0]).toEqual({ path, message: expect.stringContaining(says) });
  });
});

describe("text mode", () => {
  test.each([
    { row: "compression", what: { compression: true }, path: "compression", says: "no compression" },
    {
      row: "unused parameters",
      what: { signature: "(a :int, b :int) -> :int", prompt: "{{a}}" },
      path: "signature",
      says: "unused parameters b",
    },
    { row: "hidden output", what: { signature: "{a [{_b :int}]}" }, path: "signature", says: "_b begin with _" },
    {
      row: "{{.}} outside",
      what: { signature: "(a [:int]) -> :int", prompt: "{{.}} {{#a}}{{.}}{{/a}}" },
      says: "{{.}}",
    },
    {
      row: "{{.}} over maps",
      what: { signature: "(a [{b :int}]) -> :int", prompt: "{{#a}}{{.}}{{/a}}" },
      says: "{{.}} inside {{#a}} is a map",
    },
    {
      row: "unknown section field",
      what: { signature: "(a [{b :int}]) -> :int", prompt: "{{#a}}{{b}}{{c}}{{/a}}" },
      says: "{{c}} inside {{#a}} is no field of its items",
    },
    {
      row: "two tools that providers are given by one name",
      what: { tools: ["refund_all", "refund-all"] },
      path: "tools",
      says: '"refund_all" and "refund-all" have the same name for a model in text mode, "refund_all"',
    },
    {
      row: "a tool that providers are given by the name of a builtin one",
      what: { tools: ["grep_n"], builtin_tools: ["grep"] },
      path: "tools",
      says: '"grep_n" and "grep-n"',
    },
  ])("$row", ({ what, path = "prompt", says }) => {
    const issues = issuesOf({ ...TEXT, ...what });
    expect(issues).toEqual([{ path, message: expect.stringContaining(says) }]);
  });

  test("programs tell tools with - and _ apart", () =>
    expect(issuesOf({ tools: ["refund_all", "refund-all"] })).toEqual([]));

  test("valid text-mode options are accepted", () =>
    expect(
      issuesOf({
        ...TEXT,
        signature: "(a [{b :int}], c [:string], d :string) -> {n :int}",
        prompt: "{{#a}}{{b}}{{d}}{{/a}}{{#c}}{{.}}{{/c}}{{^c}}none{{/c}}",
      }),
    ).toEqual([]));
});

describe("a question to a model as a tool", () => {
  test.each([
    { what: { signature: ":int" }, path: "prompt", says: "needs a prompt" },
    { what: { prompt: "", signature: ":int" }, path: "prompt", says: "needs a prompt" },
    { what: { prompt: "a" }, path: "signature", says: "needs a signature" },
    { what: { prompt: "a", signature: "((" }, path: "signature", says: "invalid signature" },
    {
      what: { prompt: "a", signature: ":int", json_signature: "((" },
      path: "json_signature",
      says: "invalid signature",
    },
    { what: { prompt: "{{b}}", signature: "(a :int) -> :int" }, path: "prompt", says: "{{b}} not found in signature" },
    {
      what: { prompt: "a", signature: ":int", response_template: 7 },
      path: "response_template",
      says: "must be a text",
    },
    { what: { prompt: "a", signature: ":int", validator: "" }, path: "validator", says: "must be a non-empty text" },
    { what: { prompt: "a", signature: ":int", model: 7 }, path: "model", says: "must be a non-empty text" },
    { what: { prompt: "a", signature: ":int", tools: [] }, path: "tools", says: 'unknown option "tools"' },
  ])("$what: $says", ({ what, path, says }) =>
    expect(issuesOf({ tools: { ask: { llm: what } } })).toEqual([
      { path: `tools.ask.llm.${path}`, message: expect.stringContaining(says) },
    ]),
  );
});

test("mistakes of all kinds are reported together, each with its place", () =>
  expect(
    issuesOf({ prompt: "{{a}}", signature: "(b :int) -> :int", max_turns: 0, plan: [""], tools: { return: {} } })
      .map(({ path }) => path)
      .sort(),
  ).toEqual(["max_turns", "plan[0].description", "prompt", "tools.return"]));
