import { estimateTokens } from "../../src/core/agent/budget/token-counts";
import { defaultFormatOptions } from "../../src/core/agent/definition/agent-file";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { textReturn } from "../../src/core/agent/prompt/text-prompt";
import { failedStep, okStep } from "../../src/core/agent/result/make-step";
import { failureTurn, successTurn } from "../../src/core/agent/result/turn";
import { then } from "../../src/core/agent/run/chain";
import { previewPrompt } from "../../src/core/agent/run/preview";
import { stepTraceText } from "../../src/core/agent/run/step-text";
import { expandBuiltinTools, toolSpecs } from "../../src/core/agent/tools/run-tools";
import { createModels } from "../../src/models";
import { compileAgent } from "../../src/project/authoring/compile-agent";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { Tracer } from "../../src/project/authoring/tracer";
import { unmet } from "../../src/simulate/expectation";
import { parseAgentScenario, simulateAgent } from "../../src/simulate/simulate-agent";
import { program, runInMemory } from "../../src/testing";
import { rulesOf } from "./cases";

/** The agent reference (docs/reference/agent.md), rule by rule. Its scenarios are in agent.yaml. */
describe("runs (agent reference)", () => {
  test.each(rulesOf("agent"))("$title", async ({ scenario }) => {
    const read = parseAgentScenario(scenario);
    if (!read.ok) throw new Error(read.fail.message);
    expect(scenario.expect).toBeDefined();
    expect(unmet(scenario.expect, await simulateAgent(read.value))).toEqual([]);
  });
});

/** Mistakes in definitions are found before anything runs (agent reference, sections 2 and 24). */
describe("definitions are checked at construction (agent reference, section 2)", () => {
  const BASE = { prompt: "Work." };
  test.each<[string, object, string]>([
    ["a prompt is required", { prompt: undefined }, "prompt"],
    ["a prompt is a text", { prompt: 7 }, "prompt"],
    ["max_turns is a positive integer", { max_turns: 0 }, "max_turns"],
    ["retry_turns is no negative number", { retry_turns: -1 }, "retry_turns"],
    ["turn_budget is a positive integer", { turn_budget: 0 }, "turn_budget"],
    ["max_depth is a positive integer", { max_depth: 0 }, "max_depth"],
    ["timeout is a positive number of milliseconds", { timeout: 0 }, "timeout"],
    ["memory_strategy is strict or rollback", { memory_strategy: "maybe" }, "memory_strategy"],
    ["output is ptc_lisp or text", { output: "prose" }, "output"],
    ["a signature must be readable", { signature: "(a :strng)" }, "signature"],
    ["every placeholder must be a parameter of the signature", { prompt: "{{x}}", signature: "(a :int) -> :int" }, "x"],
    ["a self tool needs a signature", { tools: [{ name: "again", self: true }] }, "signature"],
    ["tools cannot be called return", { tools: ["return"] }, "return"],
    ["tools cannot be called fail", { tools: ["fail"] }, "fail"],
    ["text mode has no compression", { output: "text", compression: true }, "compression"],
    ["text mode has no hidden output fields", { output: "text", signature: "() -> {_a :int}" }, "_a"],
    ["in text mode every parameter is used in the prompt", { output: "text", signature: "(a :int) -> :string" }, "a"],
    ["plan items are not empty", { plan: [""] }, "plan"],
    [
      "plan ids are unique",
      {
        plan: [
          ["a", "x"],
          ["a", "y"],
        ],
      },
      "plan",
    ],
    [
      "an agent as a tool needs a description",
      { tools: [{ name: "child", agent: { prompt: "Child.", name: "child" } }] },
      "description",
    ],
    ["an unknown option is named", { max_turn: 3 }, "max_turn"],
  ])("%s", (_, more, named) => {
    const parsed = parseAgent({ ...BASE, ...more });
    expect(parsed.ok).toBe(false);
    if (!parsed.ok)
      expect(parsed.fail).toMatchObject({ reason: "invalid_agent", message: expect.stringContaining(named) });
  });

  test("the defaults are those of the table", () =>
    expect(defineAgent("Work.")).toMatchObject({
      max_turns: 5,
      retry_turns: 0,
      turn_budget: 20,
      max_depth: 3,
      timeout: 5000,
      mission_timeout: null,
      memory_limit: 1_048_576,
      memory_strategy: "strict",
      max_tool_calls: null,
      float_precision: 2,
      thinking: false,
      output: "ptc_lisp",
      llm_query: false,
      plan: [],
    }));

  test("format_options have the defaults of the table", () =>
    expect(defaultFormatOptions()).toMatchObject({
      feedback_limit: 10,
      feedback_max_chars: 512,
      history_max_bytes: 1024,
      result_limit: 50,
      result_max_chars: 500,
      max_print_length: 2000,
    }));
});

describe("chains (agent reference, section 6)", () => {
  const next = defineAgent("Use {{n}}.", { signature: "(n :int) -> :int" });
  test("then passes a good Step on", () =>
    expect(then(okStep({ n: 1 }, { signature: "{n :int}" }), next)).toMatchObject({
      ok: true,
      value: { context: { n: 1 }, context_signature: "{n :int}" },
    }));
  test("then passes an error through untouched", () =>
    expect(then(failedStep({ reason: "failed", message: "no" }), next)).toEqual({
      ok: false,
      fail: { reason: "failed", message: "no" },
    }));
  test("then names the inputs that are missing", () =>
    expect(then(okStep({ m: 1 }), next)).toMatchObject({ ok: false, fail: { reason: "chain_error" } }));
});

describe("constructors (agent reference, section 11)", () => {
  const opening = { number: 1, raw_response: "(return 1)", program: "(return 1)" };
  test("a good Step has a return and no fail", () =>
    expect(okStep(1, { memory: { a: 1 } })).toMatchObject({ return: 1, fail: null, memory: { a: 1 } }));
  test("a failed Step has reason, message, op and details", () =>
    expect(
      failedStep({ reason: "failed", message: "no", op: "pay", details: { n: 1 } }, { journal: { a: 1 } }),
    ).toMatchObject({
      return: null,
      fail: { reason: "failed", message: "no", op: "pay", details: { n: 1 } },
      journal: { a: 1 },
    }));
  test("a Turn that went well has the defaults of the table", () =>
    expect(successTurn(opening, 1)).toEqual({
      ...opening,
      result: 1,
      success: true,
      prints: [],
      tool_calls: [],
      memory: {},
      messages: null,
      system_prompt: null,
      type: "normal",
    }));
  test("a Turn that failed keeps why, and what was given", () =>
    expect(
      failureTurn(opening, { reason: "eval_error", message: "no" }, { prints: ["a"], type: "retry" }),
    ).toMatchObject({
      success: false,
      result: { reason: "eval_error" },
      prints: ["a"],
      type: "retry",
    }));
});

describe("the recorder for applications (agent reference, section 13)", () => {
  test("entries keep their order, and a finalised recorder takes no more", () => {
    const tracer = new Tracer().addEntry("llm_call").addEntry("llm_response", { tokens: { input: 10, output: 5 } });
    tracer.finalize();
    expect(tracer.entries.map(({ type }) => type)).toEqual(["llm_call", "llm_response"]);
    expect(() => tracer.addEntry("return")).toThrow("finalized");
    expect(tracer.aggregateUsage()).toMatchObject({ llm_requests: 1, total_tokens: 15 });
  });
  test("recorders of parallel work are merged by time", () => {
    const children = [new Tracer().addEntry("tool_call", { n: 1 }), new Tracer().addEntry("tool_call", { n: 2 })];
    expect(Tracer.mergeParallel(new Tracer(), children)).toMatchObject({ entries: { length: 2 } });
  });
});

describe("compiled agents (agent reference, section 16)", () => {
  const models = createModels({ env: {}, script: [program("(return {:sum (+ data/a 1)})")] });
  test("a one-turn agent is compiled to its program, which runs without a model", async () => {
    const agent = defineAgent("Add to {{a}}.", { max_turns: 1, signature: "(a :int) -> {sum :int}" });
    const compiled = await compileAgent(agent, { model: "scripted", models });
    expect(compiled).toMatchObject({ source: "(return {:sum (+ data/a 1)})", llm_required: false });
  });
  test("an agent of several turns cannot be compiled", async () =>
    expect(compileAgent(defineAgent("Work."), { model: "scripted", models })).rejects.toThrow(
      /max_turns|single-shot|one turn/,
    ));
});

describe("functions for applications (agent reference, section 17)", () => {
  const agent = defineAgent("Look at {{n}}.", { signature: "(n :int) -> :int", builtin_tools: ["grep"] });
  test("previewPrompt shows the prompts without a model", () =>
    expect(previewPrompt(agent, { context: { n: 3 } })).toMatchObject({
      system: expect.stringContaining("PTC-Lisp"),
      user: expect.stringContaining("Look at"),
    }));
  test("effectiveTools and expandBuiltinTools name the tools of an agent", () => {
    expect(toolSpecs(agent).map(({ name }) => name)).toEqual(["grep", "grep-n"]);
    expect(expandBuiltinTools(["grep", "unknown"]).map(({ name }) => name)).toEqual(["grep", "grep-n"]);
  });
  test("textReturn says whether a text agent answers in prose", () =>
    expect([textReturn(defineAgent("Say.", { output: "text" })), textReturn(agent)]).toEqual([true, false]));
  test("estimateTokens counts four characters as one", () => expect(estimateTokens("12345678")).toBe(2));
  test("printTrace shows a run turn by turn", async () => {
    const { step } = await runInMemory("Add.", { script: [program('(println "seen")'), program("(return 3)")] });
    const text = stepTraceText(step, { usage: true });
    expect(text).toContain("Turn 1");
    expect(text).toContain("| seen");
    expect(text).toContain("Returned 3");
  });
});
