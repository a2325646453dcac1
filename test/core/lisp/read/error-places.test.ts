import { decodeMemory } from "../../../../src/core/lisp";
import { ended } from "../run";

/** `‸` stands where the error is to be reported, right before what is wrong. */
const MARK = "‸";

function placed(source: string) {
  const before = source.slice(0, source.indexOf(MARK)).split("\n");
  return { program: source.replace(MARK, ""), line: before.length, column: before.at(-1)!.length + 1 };
}

type Setting = Parameters<typeof ended>[1];

function expectError(source: string, code: string, setting?: Setting) {
  const { program, line, column } = placed(source);
  const { outcome } = ended(program, setting);
  expect(outcome).toMatchObject({ kind: "error", fail: { details: { code, line, column } } });
}

/** Codes of errors (lisp reference, section 14.2). `validation_error` has no place: a value is wrong there, not a text. */
describe("every error has its place", () => {
  test.each([
    ["parse_error", "(def x 1)\n(inc ‸(dec x"],
    ["parse_error", "(let ‸[x 1\n  (inc x))"],
    ["parse_error", '(str\n ‸"abc)'],
    ["parse_error", '(re-find ‸#"a b)'],
    ["parse_error", "{:a 1\n :b ‸{:c}}"],
    ["parse_error", "(+ 1\n   ‸@x)"],
    ["parse_error", "(+ 1\n   ‸#_2)"],
    ["invalid_arity", "(do\n  ‸(if))"],
    ["invalid_arity", "(when true\n  ‸(= 1 2 3))"],
    ["invalid_arity", "(map (fn [x]\n  ‸(apply x)) [1])"],
    ["invalid_form", "[1\n ‸()]"],
    ["invalid_form", '(re-find\n ‸#"(" "a")'],
    ["invalid_form", "(if true\n  (inc ‸(recur 1)))"],
    ["invalid_form", "(#(+ %1\n  (‸#(inc %) 1)))"],
    ["invalid_form", "(str\n  (‸foo/bar 1))"],
    ["invalid_cond_form", "(fn [x]\n  ‸(cond x))"],
    ["invalid_thread_form", "(str\n ‸(->))"],
    ["invalid_where_form", '(filter ‸(where :a\n "open") [])'],
    ["invalid_where_operator", "(filter (where :a\n ‸== 1) [])"],
    ["unsupported_pattern", "(let [x 1\n      ‸5 2] x)"],
    ["invalid_placeholder", "(map (fn [x]\n  (+ x ‸%)) [1])"],
    ["cannot_shadow_builtin", "(when true\n  (def ‸map 1))"],
    ["unbound_var", "(-> 1\n    inc\n    ‸foo\n    bar)"],
    ["unbound_var", "(defn f [x]\n  (let [y x]\n    (+ y ‸z)))"],
    ["unknown_tool", '(task "a"\n  (‸tool/nope {}))'],
    ["unbound_var", "(println\n  ‸later)\n(def later 1)"],
    ["unbound_var", "(->> [1]\n  (‸.trim))"],
    ["not_callable", "(map (fn [x]\n   ‸(x 1)) [5])"],
    ["arity_error", "(let [x 1]\n  ‸(take x))"],
    ["arity_mismatch", "(defn f [a] a)\n[1 ‸(f\n 1 2)]"],
    ["arity_mismatch", "(loop [x 0]\n  ‸(recur))"],
    ["type_error", '(def xs [1])\n(->> xs\n  (map inc)\n  (map (fn [x]\n    ‸(+ x "a"))))'],
    ["type_error", '(-> 1\n    (+ 2)\n    ‸(+ "x")\n    inc)'],
    ["type_error", '(str \\\n "\n" ‸(inc nil))'],
    ["type_error", "{:a 1\n :b #{‸(inc nil)}}"],
    ["type_error", "(map #(str\n  ‸(inc %)) [nil])"],
    ["type_error", "(reduce (fn [a x]\n  (for [y [x]]\n    ‸(inc y))) 0 [nil])"],
    ["type_error", "(sort-by (fn [x]\n  ‸(inc x)) [nil 1])"],
    ["type_error", "‸(map inc\n  [1 nil])"],
    ["type_error", "((where :a\n  = ‸(inc nil)) {})"],
    ["arithmetic_error", "(cond false 1\n      :else ‸(mod 1 0))"],
    ["destructure_error", "(defn f [a ‸{:keys [b]}]\n  b)\n\n(f 1 2)"],
    ["destructure_error", "(loop [‸[a] 5]\n  a)"],
    ["invalid_keyword_call", "(if true\n  ‸(:a {} 1 2))"],
    ["invalid_map_call", "(if true\n  ‸({:a 1}))"],
    ["loop_limit_exceeded", "(loop [i 0]\n  ‸(recur i))"],
    ["invalid_tool_args", "(map (fn [x]\n  ‸(tool/echo x)) [1])"],
    ["pmap_error", "(pmap (fn [x]\n  ‸(inc x)) [nil])"],
    ["pmap_error", "(pmap (fn [x]\n  (map (fn [y] ‸(return y)) x)) [[1]])"],
    ["pcalls_error", "(pcalls\n  #(+ 1 1)\n  ‸#(inc nil))"],
    ["pcalls_error", "(do\n ‸(pcalls 5))"],
    ["unsupported_in_parallel", '(map (fn [x]\n  ‸(step-done "a" "b")) [1])'],
    ["execution_error", "(defn f [n]\n  (+ 1 ‸(f n)))\n(f 1)"],
  ])("%s: %s", (code, source) => expectError(source, code));

  test("tool_error: the place of the call", () =>
    expectError("(println 1)\n(map (fn [x]\n  ‸(tool/echo {})) [1])", "tool_error", {
      answers: () => ({ ok: false, fail: { reason: "tool_error", message: "down" } }),
    }));

  test("limits", () => {
    expectError("(def x 1)\n‸(tool/echo {})", "tool_call_limit_exceeded", { limits: { max_tool_calls: 0 } });
    expectError("(inc 1)\n‸(sort (range 1000))", "timeout", { limits: { max_steps: 100 } });
    expectError('(inc 1)\n‸(str "aaaaaaaa" "bbbbbbbb")', "memory_exceeded", { limits: { max_bytes: 10 } });
  });
});

test("an error in a function of an earlier turn has the place of its call, because the function is part of another text", () => {
  const memory = decodeMemory({
    f: { $fn: "(fn [x]\n\n\n (inc x))", captured: {}, name: "f" },
    g: { $fn: "(fn [x] (f x))", captured: {} },
  });
  for (const source of ["\n[1 ‸(f nil)]", "(map (fn [x]\n  ‸(g x)) [nil])", "\n\n‸(map f [nil])"])
    expectError(source, "type_error", { memory });
  expect(ended("(f nil)", { memory }).outcome).toMatchObject({
    fail: { message: "inc: invalid argument types: nil (in f of an earlier turn)" },
  });
  expectError("\n(pmap (fn [x] ‸(f x)) [nil])", "pmap_error", { memory });
  expectError("\n‸(pmap f [nil])", "pmap_error", { memory });
});
