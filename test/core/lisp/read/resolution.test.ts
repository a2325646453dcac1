import { decodeMemory } from "../../../../src/core/lisp";
import { ended, evaluate } from "../run";

/** Names (lisp reference, section 6): what a name means, and what is said of one that means nothing. */
describe("names", () => {
  test.each([
    ["(let [count 3] count)", "3"],
    ["(let [+ -] (+ 5 2))", "3"],
    ["(let [if 3] [if (if false 1 2)])", "[3 2]"],
    ['((fn [task] (task "a" 1)) inc)', "1"],
    ["(def for 1) [for (for [x [1]] x)]", "[1 [1]]"],
    ['(let [str 1] (str/upcase "a"))', '"A"'],
    ["(let [map 1] (core/map inc [1]))", "[2]"],
    ["(#'inc 1)", "2"],
    ["(def x 1) [#'x (let [x 2] #'x)]", "[1 1]"],
    ["(defn even [n] (if (= n 0) :yes (odd (dec n)))) (defn odd [n] (if (= n 0) :no (even (dec n)))) (even 5)", ":no"],
    ["(when true (def k 1)) k", "1"],
    ["[(or counter 0) (or nil counter) (def counter 1) (or counter 0)]", "[0 nil #'counter 1]"],
    ["(defn parse [x] x) (parse 1)", "1"],
    ["[*1 *2 *3]", "[nil nil nil]"],
    ["(budget/remaining)", "{}"],
    ["data/nothing", "nil"],
  ])("%s is %s", (source, text) => expect(evaluate(source).text).toBe(text));

  test.each([
    ["(def map 1)", "cannot_shadow_builtin"],
    ["(defn count [x] x)", "cannot_shadow_builtin"],
    ["(defonce NaN 1)", "cannot_shadow_builtin"],
    ["(def data/x 1)", "invalid_form"],
    ["(def *1 1)", "invalid_form"],
    ["(def % 1)", "invalid_form"],
    ["(let [a/b 1] 1)", "unsupported_pattern"],
    ["(let [*1 5] *1)", "unsupported_pattern"],
    ["(fn [data/x] 1)", "unsupported_pattern"],
    ["(loop [a/b 1] 1)", "unsupported_pattern"],
    ["(let [% 5] 1)", "invalid_placeholder"],
    ["(let [{:keys [user/id]} {}] 1)", "invalid_form"],
    ["(if-let [data/x 1] 1 2)", "invalid_form"],
    ["(data/x)", "invalid_form"],
    ["(map tool/echo [])", "invalid_form"],
    ["budget/other", "invalid_form"],
    ["(budget/remaining 1)", "invalid_arity"],
    ["(foo/bar 1)", "invalid_form"],
    ["(clojure.walk/walk 1)", "invalid_form"],
    ["(. date getTime)", "invalid_form"],
    ["(or (inc counter) 1)", "unbound_var"],
    ["(and counter 1)", "unbound_var"],
    ['(.trim "a")', "unbound_var"],
    ["(println x) (def x 1)", "unbound_var"],
  ])("%s is refused: %s", (source, code) => expect(evaluate(source).text).toBe(`!! ${code}`));

  test("a program with an unknown name in its last line has done nothing", () => {
    expect(ended('(println 1) (task "a" 1) (tool/echo {}) (nope)', { journal: new Map() })).toMatchObject({
      prints: [],
      tool_calls: [],
      outcome: { fail: { reason: "analysis_error" } },
    });
  });
});

describe("errors come with advice", () => {
  test.each([
    ["(map if [1])", /if is a special form: use it with parentheses/],
    ["(core/if 1 2)", /if is a special form: use it with parentheses/],
    ["(group_by :a [])", /use hyphens, not underscores: group-by/],
    ["(def total-sum 1) (inc total_sum)", /use hyphens, not underscores: total-sum/],
    ["(fliter odd? [1])", /did you mean filter\?/],
    ["(mpa inc [1])", /did you mean map\?/],
    ["(let [amount 1] (inc ammount))", /did you mean amount\?/],
    ["(defn calc-it [x] x) (calcit 1)", /did you mean calc-it\?/],
    ["(lett [x 1] x)", /Undefined variables: lett, x\. lett: did you mean let\?/],
    ["(comp inc dec)", /comp is not available: write the call as a function/],
    ["(case 1 2 3)", /case is not available: use cond/],
    ["(length [1])", /use count/],
    ["(#(apply + %&) 1)", /use \(fn \[& args\]/],
    ['(clojure.string/capitalize "a")', /is not available.*upcase/],
    ["(foo/bar)", /unknown namespace foo\/: use tool\/ for tools, data\/ for input data/],
    ['(.trim "a")', /Supported interop methods: \.getTime/],
    ["(= 1 2 3)", /combine with and/],
    ['(where :status "open")', /the operator is missing/],
    ["(tool/ecko {})", /Unknown tool: ecko\. Available tools: echo/],
    ["(tool/echo 7)", /named arguments: \(tool\/echo \{:key 7\}\)/],
  ])("%s", (source, message) => expect(evaluate(source).message).toMatch(message));

  test.each([["_"], ["(zzz)"], ["#'nope"]])("no hint when no name is similar: %s", (source) =>
    expect(evaluate(source).message).toMatch(/^Undefined variable: \S+$/),
  );

  test("names of any length are refused at once", () => {
    const long = "a".repeat(100_000);
    expect(evaluate(`(let [${long} 1] ${long}b)`).text).toBe("!! unbound_var");
  });

  test("unknown names are listed in the order of the text, also those in ->", () => {
    expect(evaluate("(-> 1\n foo\n bar)").message).toMatch(/: foo, bar/);
    expect(ended("(-> 1\n foo\n bar)").outcome).toMatchObject({ fail: { details: { line: 2, column: 2 } } });
    expect(evaluate("(-> {} (tool/b) (tool/a))").message).toMatch(/^Unknown tools: b, a\./);
  });
});

describe("unknown tools", () => {
  test("are found before anything runs, also in functions, tasks and defonce", () => {
    for (const source of ["(defn f [] (tool/a))", '(task "t" (tool/a))', "(defonce x (tool/a))"])
      expect(ended(`(println 1) ${source}`)).toMatchObject({
        prints: [],
        outcome: { fail: { reason: "tool_not_found", details: { code: "unknown_tool" } } },
      });
  });

  test("do not stop a recorded task when there are no tools at all", () => {
    const journal = new Map([["a", 9]]);
    expect(evaluate('(task "a" (tool/gone {}))', { journal, tools: {} }).text).toBe("9");
    expect(evaluate("(println 1) (tool/gone {})", { tools: {} })).toMatchObject({
      text: "!! unknown_tool",
      message: "Unknown tool: gone. No tools available",
      prints: ["1"],
    });
  });

  test("end a program that calls them in a function of an earlier turn", () => {
    const memory = decodeMemory({ f: { $fn: "(fn [] (tool/gone {}))", captured: {}, name: "f" } });
    expect(evaluate("(f)", { memory }).text).toBe("!! unknown_tool");
  });
});
