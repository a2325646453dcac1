import { previewPrompt } from "../../../../src/core/agent/run/preview";
import { createModels, type ScriptedReply } from "../../../../src/models";
import { compileAgent } from "../../../../src/project/authoring/compile-agent";
import { defineTool } from "../../../../src/tools";
import { agentOf, type Mission, run } from "./mission";

/** A program written once by a model, and run without one (agent reference, section 16). */
const SIGNATURE = "(orders [{total :int}]) -> {sum :int}";
const PROGRAM = "(return {:sum (sum-by :total data/orders)})";
const models = (script: ScriptedReply[]) => createModels({ env: {}, script });
const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;

test("the program is tried on sample input, kept, and runs without a model", async () => {
  const agent = agentOf({ prompt: "Sum {{orders}}.", signature: SIGNATURE, max_turns: 1, name: "adder" });
  const compiled = await compileAgent(agent, {
    model: "scripted",
    models: models([{ content: fenced(PROGRAM), tokens: { input: 10, output: 5 } }]),
  });
  expect(compiled).toMatchObject({
    source: PROGRAM,
    llm_required: false,
    metadata: { turns: 1, tokens_used: 15, llm_model: "scripted" },
  });
  const { step, host } = await run({
    agent: { prompt: "Sum {{orders}}.", signature: SIGNATURE, max_turns: 1 },
    context: { orders: [{ total: 4 }, { total: 5 }] },
    program: compiled.source,
    model: "",
    says: [],
  });
  expect(step).toMatchObject({ return: { sum: 9 }, fail: null });
  expect(step.usage).not.toHaveProperty("llm_requests");
  expect(host.sent).toEqual([]);
});

test("with tools the model may correct its program; the last program is kept", async () => {
  const calls: unknown[] = [];
  const look = defineTool({ name: "look", run: (args) => void calls.push(args) });
  const agent = agentOf({ prompt: "Look.", max_turns: 1, tools: [look.spec] });
  const compiled = await compileAgent(agent, {
    model: "scripted",
    models: models([fenced("(tool/look {:n (/ nil 1)})"), fenced("(return (tool/look {:n 1}))")]),
    tools: [look],
  });
  expect(compiled.source).toBe("(return (tool/look {:n 1}))");
  expect(calls).toEqual([{ n: 1 }]);
});

test.each([
  { what: { max_turns: 2 }, says: "single-shot" },
  { what: { output: "text", max_turns: 1 }, says: "ptc_lisp" },
  {
    what: {
      max_turns: 1,
      tools: { late: { description: "Late", agent: { prompt: "Help.", mission_timeout: 5 } } },
    },
    says: "mission_timeout",
  },
])("$says: cannot be compiled", async ({ what, says }) => {
  const compiling = compileAgent(agentOf(what), { model: "scripted", models: models([]) });
  await expect(compiling).rejects.toMatchObject({ code: "invalid_agent", message: expect.stringContaining(says) });
});

test("a compiled program whose tools call models needs a model", async () => {
  const tools = { ask: { llm: { prompt: "Is it?", signature: ":bool" } } };
  const { step } = await run({ agent: { max_turns: 1, tools }, program: "(return 1)", model: "", says: [] });
  expect(step.fail?.reason).toBe("llm_required");
});

test("prompts can be previewed without a model; placeholders without a value stay", () => {
  const agent = agentOf({
    prompt: "Sum {{orders}} for {{who}}.",
    signature: "(orders [:int], who :string) -> :int",
    tools: { look: "(n :int) -> :any" },
  });
  const preview = previewPrompt(agent, { context: { orders: [1, 2] } });
  expect(preview.user).toContain("Sum [1 2] for {{who}}.");
  expect(preview.user).toContain("tool/look(n int) -> any");
  expect(preview.tool_schemas).toMatchObject([{ name: "look", parameters: { required: ["n"] } }]);
  const text = previewPrompt(agentOf({ prompt: "Judge {{x}}.", signature: "(x :any) -> {ok :bool}", output: "text" }));
  expect(text).toMatchObject({ schema: { required: ["ok"] }, user: expect.stringContaining("Judge {{x}}.") });
});

const SUM = { prompt: "Sum {{ns}}.", signature: "(ns [:int]) -> {sum :int}", max_turns: 1 };

describe("a run of a program", () => {
  const runs = (program: string, more: Partial<Mission> = {}) =>
    run({ agent: SUM, model: "", context: { ns: [1] }, ...more, program, says: [] });

  test.each([
    { program: "(fail {:reason :odd :message 1})", reason: "odd" },
    { program: '(return {:sum "x"})', reason: "validation_error" },
    { program: "(+ 1 nil)", reason: "eval_error" },
    { program: "(do", reason: "parse_error" },
  ])("$program ends with $reason at once, also with tools", async ({ program, reason }) => {
    expect((await runs(program)).step.fail?.reason).toBe(reason);
    expect((await runs(program, { tools: { act: 1 } })).step.fail?.reason).toBe(reason);
  });

  test("that calls models or agents needs a model's name", async () => {
    const agent = { ...SUM, llm_query: true };
    const { step } = await runs("(do {:sum 1})", { agent });
    expect(step.fail?.reason).toBe("llm_required");
    expect((await runs("(do {:sum 1})", { agent, model: "scripted" })).step.return).toEqual({ sum: 1 });
  });

  test("does not exist for a text agent", async () =>
    expect((await runs("(do 1)", { agent: { output: "text" } })).step.fail).toMatchObject({ reason: "invalid_agent" }));

  test("has data, journal and limits like any other", async () => {
    const { step } = await runs('(do (task "t" 5) {:sum (count data/ns)})', { journal: {} });
    expect(step).toMatchObject({ return: { sum: 1 }, journal: { t: 5 } });
  });
});
