import { LISP_LIMITS } from "../../../../src/core/base/limits";
import { sized } from "../../../support/run/property";
import { ended, evaluate, told } from "../run";

/** A text of 10 * 2^n characters. */
const text = (n: number) => `(reduce (fn [s _] (str s s)) "abcdefghij" (range ${n}))`;
/** An integer of several thousand digits. */
const large = "(reduce (fn [a _] (* a a)) 7 (range 13))";
/** Many times the same long text in one value. */
const shared = `(let [s ${text(16)}] (map (fn [_] s) (range 100000)))`;
const many = (count: number, body: string) => `(reduce (fn [_ x] ${body}) nil (range ${count}))`;

/** Less than programs have: what is counted ends them as surely, and sooner. The deep run has it all. */
const FUEL = sized(500_000, LISP_LIMITS.max_steps_between_effects);

/** What the host would be busy with for seconds or minutes if the steps did not count it. */
describe("hidden work behind one call is charged", () => {
  test.each([
    ["printing a shared text", `(str ${shared})`],
    ["println of it", `(println ${shared})`],
    ["recording it", `(task "a" ${shared})`],
    ["passing it to a tool", `(tool/echo {:v ${shared}})`],
    ["the cache key of a long argument", `(let [s ${text(16)}] ${many(100000, "(tool/cached {:v s})")})`],
    [
      "comparing texts that differ late",
      `(let [a (str ${text(8)} 1) b (str ${text(8)} 2)] ${many(300000, "(< a b)")})`,
    ],
    ["comparing vectors", `(let [v (vec (range 100000)) w (vec (range 100000))] ${many(10000, "(= v w)")})`],
    ["vectors as keys", `(let [v (conj (range 50000) 1) w (conj (range 50000) 2)] ${many(10000, "(get {v 1} w)")})`],
    ["sets as keys", `(let [v (set (range 10000)) w (set (range 10000))] ${many(10000, "(get {v 1} w)")})`],
    ["reading digits", `(let [s (str ${large})] ${many(200000, "(parse-long s)")})`],
    ["writing digits", `(let [n ${large}] ${many(200000, "(count (str n))")})`],
    ["calculating with them", `(let [n ${large}] ${many(300000, "(mod n 7)")})`],
    ["floats from long texts", `(let [s (str ${large})] ${many(200000, "(parse-double s)")})`],
    ["dates from long texts", `(let [s (str ${text(16)})] ${many(100000, "(trim s)")})`],
    ["looking for a member in `where`", `(let [w (where :x in (range 1000))] ${many(100000, "(w {:x -1})")})`],
    ["looking for a part in `where`", `(let [r {:x ${text(14)}} w (where :x includes "zz")] ${many(100000, "(w r)")})`],
    ["compiling patterns", many(100000, `(re-pattern "(?i)[a-z]{9}[b-y]{9}[c-x]{9}")`)],
    ["searching long texts", `(let [s ${text(16)}] ${many(100000, '(re-find #"^z" s)')})`],
    ["definitions in functions that builtins call", "(defn f [_] (def x 1)) (map (fn [_] (map f [1])) (range 300000))"],
    ["very wide functions", `(defn f [] (if false (let [${"x 1 ".repeat(2000)}] x) 1)) ${many(100000, "(f)")}`],
    ["the characters of a text", `(let [s ${text(12)}] ${many(1000, "(doseq [c s :while false] c)")})`],
    [
      "selecting keys",
      `(let [m (into {} (map vector (range 10000) (range 10000))) k (range 10000)] ${many(1000, "(select-keys m k)")})`,
    ],
  ])("%s", (_, source) => {
    const limits = { max_steps_between_effects: FUEL };
    const end = ended(source, { journal: new Map(), tools: { echo: {}, cached: { cache: true } }, limits });
    expect(told(end).text).toMatch(/^!! (timeout|memory_exceeded)$/);
  });

  test("closures take memory", () => {
    expect(evaluate("(map (fn [i] [i (fn [] i)]) (range 250000))", { limits: { max_bytes: 16_000_000 } }).text).toBe(
      "!! memory_exceeded",
    );
  });
});

describe("what exceeds the host is an error of the program", () => {
  test.each([
    ["long chains of ->", `(-> 1 ${"inc ".repeat(50_000)})`, "!! invalid_form"],
    ["functions in functions", "((reduce (fn [f _] (fnil f 1)) inc (range 100000)) 1)", "!! execution_error"],
    ["patterns that repeat nothing", `(re-find (re-pattern "(?:(?:(?:){9999}){9999}){9999}a") "a")`, '"a"'],
    ["repeated looks", `(re-find (re-pattern "(?:(?=(?:(?=(?:(?=a{900})){900})){900})){900}") "a")`, "nil"],
    ["very many names to take from a map", `(let [{:keys [${"a ".repeat(125_000)}]} {}] a)`, "nil"],
    ["deep values", "(str (reduce (fn [a _] [a]) 1 (range 100000)))", "!! type_error"],
  ])("%s", (_, source, text) => expect(evaluate(source).text).toBe(text));

  test("a tool's answer that is nested too deeply fails the call", () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const end = ended("(tool/echo {})", { answers: () => ({ ok: true, value: JSON.parse(deep) }) });
    expect(told(end).message).toMatch(/^Tool 'echo' gave an answer that cannot be taken: value nested/);
    expect(end.tool_calls).toMatchObject([{ result: null, error: expect.stringMatching(/nested/) }]);
  });

  test("messages stay short for any number of arguments and names", () => {
    expect(evaluate('(apply + "a" (range 100000))').message.length).toBeLessThan(300);
    const unknown = Array.from({ length: 5_000 }, (_, i) => `unknown${i}`).join(" ");
    expect(evaluate(`[${unknown}]`).message).toMatch(/unknown19 and 4980 more/);
  });
});

describe("answers of tools", () => {
  test("count as memory, and the next call pays for them: a finished call can still be recorded", () => {
    const journal = new Map();
    const answers = () => ({ ok: true as const, value: "x".repeat(1_000_000) });
    const source = `(defn f [i] (task (str i) (count (tool/echo {:i i}))) (f (inc i))) (f 0)`;
    const end = ended(source, { journal, answers });
    expect(told(end).text).toBe("!! memory_exceeded");
    expect(journal.size).toBe(end.tool_calls.length);
    expect(journal.size).toBe(Math.ceil(LISP_LIMITS.max_bytes / 1_000_000));
  });

  test("from the cache count too, because the record holds them again", () => {
    const answers = () => ({ ok: true as const, value: "x".repeat(100_000) });
    const source = many(100_000, "(tool/echo {})");
    const end = ended(source, { answers, tools: { echo: { cache: true } } });
    expect(told(end).text).toBe("!! memory_exceeded");
    expect(end.tool_calls.length).toBeLessThan(700);
  });
});

test("the texts about calls stay small", () => {
  expect(ended(many(20_000, "(pmap inc [])")).pmap_calls).toHaveLength(1_000);
  const source = `(let [s ${text(16)}] ${many(10_000, "(tool/echo {:s s})")})`;
  const { tool_calls } = ended(source, { tools: { echo: { cache: true } } });
  expect(tool_calls.length).toBeLessThan(110);
});

test("a value that used the last steps is still recorded", () => {
  const journal = new Map();
  const limits = { max_steps_between_effects: 60_000 };
  const end = ended('(task "a" (vec (range 50000)))', { journal, limits });
  expect(told(end).text).toBe("!! timeout");
  expect(journal.get("a")).toHaveLength(50_000);
});

test.each([
  ["(let [[a b c] (take 2 [1 2 3])] c)", "nil"],
  ["(let [v [1 2] w (conj v 3) [a b c] v] [c w])", "[nil [1 2 3]]"],
  ["(let [[a & r] nil] [a r])", "[nil []]"],
  ["(let [[a [b & c]] [1 nil]] [a b c])", "[1 nil []]"],
  ['(parse-double "constructor")', "nil"],
  ['(re-find #"[[:constructor:]]" "a")', "!! invalid_form"],
  ['(re-find #"\\p{L&}+" "aBc")', '"aBc"'],
])("%s gives %s", (source, text) => expect(evaluate(source).text).toBe(text));
