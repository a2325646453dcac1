import {
  fillTemplate,
  parseTemplate,
  simplePaths,
  TemplateError,
  templateNames,
} from "../../../../src/core/agent/definition/template";
import { missionText } from "../../../../src/core/agent/prompt/prompt";
import type { JsonObject } from "../../../../src/core/base/json";
import { agentOf } from "../run/mission";

const filled = (text: string, context: JsonObject) => fillTemplate(parseTemplate(text), context);

describe("filling", () => {
  test.each<[string, JsonObject, string]>([
    ["Hello {{name}}!", { name: "Anna" }, "Hello Anna!"],
    ["{{ name }}{{name}}", { name: "x" }, "xx"],
    ["{{n}} {{b}} {{nil}}|", { n: 1.5, b: false, nil: null }, "1.5 false |"],
    ["{{a.b.c}}", { a: { b: { c: 3 } } }, "3"],
    ["{{html}}", { html: "<b>&</b>" }, "<b>&</b>"],
    ["a{{! a note }}b", {}, "ab"],
    ["{{constructor}}", {}, ""],
    ["{{list}}", { list: [1, "a"] }, '[1 "a"]'],
    ["{{map}}", { map: { a: 1 } }, '{"a" 1}'],
    ["{{#xs}}{{.}},{{/xs}}", { xs: [1, "b", true] }, "1,b,true,"],
    ["{{#xs}}{{n}};{{/xs}}", { xs: [{ n: 1 }, { n: 2 }] }, "1;2;"],
    ["{{#xs}}never{{/xs}}|", { xs: [] }, "|"],
    ["{{#m}}{{a}}{{b}}{{/m}}", { m: { a: 1 }, b: 2 }, "12"],
    ["{{#m}}{{a}}{{/m}}", { m: { a: "in" }, a: "out" }, "in"],
    ["{{#m}}{{a}}{{/m}}", { m: { a: null }, a: "out" }, ""],
    ["{{#m}}{{#n}}{{a}}{{b}}{{/n}}{{/m}}", { m: { a: 1, n: { b: 2 } } }, "12"],
    ["{{#s}}[{{.}}]{{/s}}", { s: "text" }, "[text]"],
    ["{{#zero}}yes{{/zero}}", { zero: 0 }, "yes"],
    ["{{#m}}yes{{/m}}", { m: {} }, "yes"],
    ["{{#f}}yes{{/f}}{{#e}}yes{{/e}}{{#n}}yes{{/n}}{{#gone}}yes{{/gone}}|", { f: false, e: "", n: null }, "|"],
    ["{{^f}}no{{/f}}{{^xs}}none{{/xs}}{{^gone}}gone{{/gone}}", { f: false, xs: [] }, "nononegone"],
    ["{{^t}}no{{/t}}|", { t: 0 }, "|"],
    ["a\n  {{#x}}\n  b\n  {{/x}}\nc", { x: true }, "a\n  b\nc"],
    ["{{#x}}\nb\n{{/x}}", { x: true }, "b\n"],
    ["a {{#x}}b{{/x}} c", { x: true }, "a b c"],
    ["a\n{{! note }}\nb", {}, "a\nb"],
    ["{{#xs}}\n- {{.}}\n{{/xs}}\nend", { xs: [1, 2] }, "- 1\n- 2\nend"],
  ])("%j over %j gives %j", (text, context, expected) => expect(filled(text, context)).toBe(expected));

  test.each<[string, JsonObject, string]>([
    ["{{#x}}{{/x}}{{m}}", { m: { a: 1 } }, "non_scalar_variable: {{m}} is a map"],
    ["{{#x}}{{m}}{{/x}}", { x: true, m: [1] }, "non_scalar_variable: {{m}} is a list"],
    ["{{#x}}{{.}}{{/x}}", { x: { a: 1 } }, "dot_on_map"],
    ["{{#x}}{{.}}{{/x}}", { x: [[1]] }, "dot_on_list"],
    ["{{.}}", { a: 1 }, "dot_on_map"],
  ])("%j over %j is refused: %s", (text, context, message) => {
    expect(() => filled(text, context)).toThrow(TemplateError);
    expect(() => filled(text, context)).toThrow(message);
  });

  test("hidden names stay hidden at any depth", () => {
    const context = { _key: "secret", m: { _key: "secret" }, _list: ["secret"] };
    const text = filled("{{_key}} {{m._key}} {{#_list}}{{.}}{{/_list}} {{#m}}{{_key}}{{/m}}", context);
    expect(text).not.toContain("secret");
    expect(text).toContain("[Hidden]");
  });
});

describe("an invalid template is refused with line and column", () => {
  test.each([
    ["a {{b", "unclosed tag at 1:3"],
    ["a\n b {{}}", "empty name at 2:4"],
    ["{{# }}x{{/ }}", "empty name at 1:1"],
    ["x\n{{#a}}y", "section {{#a}} is not closed at 2:1"],
    ["{{^a}}y", "is not closed at 1:1"],
    ["{{/a}}", "{{/a}} closes no open section of that name at 1:1"],
    ["{{#a}}{{#b}}{{/a}}{{/b}}", "{{/a}} closes no open section of that name at 1:13"],
    [`${"{{#a}}".repeat(21)}${"{{/a}}".repeat(21)}`, "deeper than 20 at 1:121"],
  ])("%j: %s", (text, message) => {
    expect(() => parseTemplate(text)).toThrow(TemplateError);
    expect(() => parseTemplate(text)).toThrow(message);
  });

  test("twenty levels are allowed", () =>
    expect(filled(`${"{{#a}}".repeat(20)}x${"{{/a}}".repeat(20)}`, { a: 1 })).toBe("x"));
});

test("the names that a prompt requires exclude sections and their contents", () => {
  const text = "{{a.b}} {{c}} {{a.d}} {{#e}}{{f}}{{/e}} {{! g }}";
  expect(simplePaths(parseTemplate(text))).toEqual(["a.b", "c", "a.d"]);
  expect(templateNames(text)).toEqual(["a", "c"]);
});

describe("the mission text", () => {
  const loop = (prompt: string, more: object = {}) => agentOf({ prompt, ...more });
  test.each<[string, object, JsonObject, string]>([
    ["Order {{id}}", {}, { id: 42 }, "Order ~{data/id}"],
    ["Order {{order.id}}", {}, { order: { id: 42 } }, "Order ~{data/order.id}"],
    ["Order {{id}}", { max_turns: 1 }, { id: 42 }, "Order 42"],
    ["Order {{id}}", { max_turns: 1, tools: ["a"] }, { id: 42 }, "Order ~{data/id}"],
    ["{{id}}{{#xs}} {{.}}{{/xs}}", {}, { id: 42, xs: [1] }, "42 1"],
    ["{{#gone}}{{x}}{{/gone}}done", {}, {}, "done"],
    ["{{nil}}", { max_turns: 1 }, { nil: null }, ""],
    ["{{unclosed", {}, {}, "{{unclosed"],
    ["{{id}} {{", { template: "literal" }, {}, "{{id}} {{"],
  ])("%j (%j) over %j is %j", (prompt, more, data, text) => expect(missionText(loop(prompt, more), data)).toBe(text));

  test.each<[string, JsonObject, string]>([
    ["{{a}} {{b.c}} {{d}}", { d: 1, b: {} }, "no value for {{a}}, {{b.c}}"],
    ["{{a}}{{#x}}{{/x}}", {}, "no value for {{a}}"],
    ["{{.}}", {}, "dot_on_map"],
  ])("%j over %j is refused: %s", (prompt, data, message) => {
    expect(() => missionText(loop(prompt), data)).toThrow(TemplateError);
    expect(() => missionText(loop(prompt), data)).toThrow(message);
  });
});
