import { previewPrompt } from "../../../../src/core/agent/run/preview";
import { agentOf, run } from "./mission";

/** What a model would be sent, without asking one (agent reference, section 17). */
test("a preview of a loop is the sent prompt, with placeholders filled as far as possible", async () => {
  const written = { prompt: "Find {{q}} for {{who}}.", plan: ["Look"], tools: { search: "(q :string) -> [:int]" } };
  const agent = agentOf(written);
  const preview = previewPrompt(agent, { context: { q: "lamps" } });
  expect(preview.user).toContain("<mission>\nFind lamps for {{who}}.\n</mission>\n\n## Progress\n- [ ] Look");
  expect(preview).toMatchObject({
    tool_schemas: [{ name: "search", parameters: { required: ["q"] } }],
    schema: null,
  });
  const { systems } = await run({ agent: written, context: { q: 1, who: 2 }, says: ["(return 1)"] });
  expect(preview.system).toBe(systems[0]);
});

test("for a single call everything but the mission is in the system prompt", () => {
  const preview = previewPrompt(agentOf({ prompt: "Sum {{ns}}.", max_turns: 1 }), { context: { ns: [1, 2] } });
  expect(preview.user).toBe("Sum [1 2].");
  expect(preview.system).toContain("<mission>\nSum [1 2].\n</mission>");
});

test("in text mode the preview has the answer's schema where a provider gets it", () => {
  const text = { prompt: "Count {{x}}.", signature: "(x :string) -> {n :int}", output: "text" };
  const plain = previewPrompt(agentOf(text));
  expect(plain.user).toContain("<task>\nCount {{x}}.\n</task>");
  expect(plain.schema).toMatchObject({ properties: { n: { type: "integer" } } });
  const withTools = previewPrompt(agentOf({ ...text, builtin_tools: ["grep"] }));
  expect(withTools.tool_schemas.map(({ name }) => name)).toEqual(["grep", "grep_n"]);
});

test.each([
  ["literal", { prompt: "{{a}}", template: "literal" }, "{{a}}"],
  ["unreadable", { prompt: "{{a}} {{#b}}" }, "{{a}} {{#b}}"],
  ["with a map where a text belongs", { prompt: "{{#on}}{{a}}{{/on}}" }, "{{#on}}{{a}}{{/on}}"],
])("a mission that is %s is unchanged", (_, written, shown) =>
  expect(previewPrompt(agentOf({ ...written, max_turns: 1 }), { context: { a: { b: 1 }, on: true } }).user).toBe(shown),
);
