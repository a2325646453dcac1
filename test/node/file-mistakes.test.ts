import { mistakesText, placed } from "../../src/node/file-mistakes";

const YAML = `prompt: Do it.
base: &base
  signature: "bad"
tools:
  - name: a
  - *base
by_name:
  get.order: { signature: bad }
`;

test.each([
  { path: "prompt", at: [1, 1], what: "a key of the file" },
  { path: "tools[0].name", at: [5, 5], what: "a key in a list" },
  { path: "tools.0.name", at: [5, 5], what: "the same with dots" },
  { path: "tools[1].signature", at: [3, 3], what: "what an alias stands for" },
  { path: "by_name.get.order.signature", at: [8, 16], what: "a key with a dot in it" },
  { path: "tools[0].effect", at: [5, 5], what: "of what is missing, where it is missed" },
  { path: "tools[7]", at: [4, 1], what: "of an item that is not there, its list" },
])("$path is at $what", ({ path, at: [line, column] }) => {
  expect(placed(YAML, [{ path, message: "wrong" }])).toEqual([{ path, message: "wrong", line, column }]);
});

test.each(["nowhere", "", "nowhere.at.all"])("%j has no place: no line is better than a wrong one", (path) => {
  expect(placed(YAML, [{ path, message: "wrong" }])).toEqual([{ path, message: "wrong" }]);
});

test("JSON has lines too, and a text that is neither does not fail", () => {
  expect(placed('{\n "a": {\n  "b": 1 }}', [{ path: "a.b", message: "m" }])).toMatchObject([{ line: 3, column: 3 }]);
  expect(placed("{{{", [{ path: "a", message: "m" }])).toEqual([{ path: "a", message: "m" }]);
});

test("mistakes are in the order of the file; those without a place come first", () => {
  const issues = placed("a: 1\nb: 2\n", [
    { path: "b", message: "second." },
    { path: "a", message: "first" },
    { path: "c", message: "missing" },
  ]);
  expect(mistakesText("x.yaml", issues)).toBe(
    "x.yaml has 3 mistakes:\n  c: missing\n  line 1: a: first\n  line 2: b: second",
  );
  expect(mistakesText("x.yaml", issues.slice(1, 2))).toBe("x.yaml:1:1: a: first.");
});
