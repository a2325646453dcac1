import { expandedInput, expandResults, referencesIn } from "../../../../src/core/plan/definition/templates";

const results = { a: "text", n: 4, list: [1, { x: null }], deep: { one: { two: "2" }, nil: null }, "d-1": true };

test.each([
  ["{{results.a}} and {{ results.n }}", "text and 4"],
  ["{{results.list}}", '[1,{"x":null}]'],
  ["{{results.deep.one.two}}", "2"],
  ["{{results.deep.one}}", '{"two":"2"}'],
  ["{{results.deep.nil}}", "null"],
  ["{{results.d-1}}", "true"],
  [
    "{{results.gone}} {{results.deep.gone}} {{results.list.0}}",
    "{{results.gone}} {{results.deep.gone}} {{results.list.0}}",
  ],
  ["{{a}} {{data.a}} {results.a} {{results}}", "{{a}} {{data.a}} {results.a} {{results}}"],
  ["{{results.__proto__}} {{results.a.length}}", "{{results.__proto__}} {{results.a.length}}"],
])("%s becomes %s", (text, expanded) => expect(expandResults(text, results)).toBe(expanded));

test("templates inside a result are not expanded", () =>
  expect(expandResults("{{results.x}}", { x: "{{results.y}}", y: "no" })).toBe("{{results.y}}"));
test("an input that is not a text has no templates", () =>
  expect(expandedInput({ x: "{{results.a}}" }, results)).toEqual({ x: "{{results.a}}" }));
test("references name their task and field", () =>
  expect(referencesIn("{{results.deep.one.two}} {{ results.n }}")).toEqual([
    { text: "{{results.deep.one.two}}", task_id: "deep", fields: ["one", "two"] },
    { text: "{{ results.n }}", task_id: "n", fields: [] },
  ]));
