import { LISP_LIMITS } from "../../../../src/core/base/limits";
import { decodeMemory, encodeMemory, memoryBytes, type Value } from "../../../../src/core/lisp";
import { findLastText, findText, splitText } from "../../../../src/core/lisp/text/text-search";
import { PMap, PSet, Vec } from "../../../../src/core/lisp/values/collections";
import { isData } from "../../../../src/core/lisp/values/is-data";
import { Float } from "../../../../src/core/lisp/values/values";
import { sized } from "../../../support/run/property";
import { ended, evaluate, told } from "../run";

/** A text of `part` 2^n times. */
const text = (part: string, n: number) => `(reduce (fn [s _] (str s s)) "${part}" (range ${n}))`;
const many = (count: number, body: string) => `(reduce (fn [_ x] ${body} nil) nil (range ${count}))`;
const map = (size: number) => `(into {} (map vector (range ${size}) (range ${size})))`;

/** Less than programs have: what is counted ends them as surely, and sooner. The deep run has it all. */
const FUEL = sized(500_000, LISP_LIMITS.max_steps_between_effects);

/** Each of these once took between seconds and hours of the host's time for steps that were few, or none. */
describe("the host's work for one call is counted", () => {
  test.each([
    [
      "searching a text for its own repetition",
      `(let [s ${text("aaaaaaaaaa", 17)}] ${many(1_000, '(includes? s "aaaaab")')})`,
    ],
    ["replacing by nothing", `(let [s ${text("aaaaaaaaaa", 16)}] ${many(1_000, '(replace s "a" "")')})`],
    ["replacing by many marks", `(let [s ${text("a", 9)} r ${text("&", 10)}] ${many(1_000, '(replace s #"x*" r)')})`],
    ["digits that are no number", `(let [s (str ${text("7", 13)} "x")] ${many(30_000, "(parse-long s)")})`],
    ["the characters of a long text", `(let [s (str ${text("é\u0301", 18)})] ${many(100, '(split s "")')})`],
    ["a long path as key", `(let [p (range 400000)] ${many(1_000, "(pluck p [])")})`],
    ["looking through floats", `(let [v (map (fn [i] (* 1.0 i)) (range 30000))] ${many(1_000, "(contains? v 0.5)")})`],
    ["the keys of a large map in order", `(let [m ${map(20_000)}] ${many(100, "(keys m)")})`],
    ["printing a large map in order", `(let [m ${map(20_000)}] ${many(100, "(pr-str m)")})`],
    ["values of a map just changed", `(let [m ${map(20_000)}] ${many(200, "(update-vals (assoc m :x x) :a)")})`],
    ["merging into a large map", `(let [m ${map(50_000)} s ${map(12_000)}] ${many(100, "(merge m s)")})`],
    [
      "comparing large integers",
      `(let [n (reduce (fn [a _] (* a a)) 7 (range 13)) v (map (fn [i] (+ n i)) (range 300)) w (map (fn [i] (+ n i)) (range 300))] ${many(10_000, "(= v w)")})`,
    ],
    ["keeping them", "(let [n (reduce (fn [a _] (* a a)) 7 (range 13))] (map (fn [i] (+ n i)) (range 80000)))"],
    ["maps as members of sets", "(count (set (map (fn [i] {:a i :b i}) (range 100000))))"],
    ["patterns that look ahead often", many(10_000, '(re-pattern "(?:(?=(?:(?=a{900})){900})){90}")')],
    [
      "long texts that differ at their end, as keys",
      `(let [p ${text("a", 14)} ks (map (fn [i] (str p i)) (range 500))] ${many(100, "(frequencies ks)")})`,
    ],
    [
      "texts that differ at their end, compared",
      `(let [p ${text("a", 11)} v (map (fn [_] (str p "b")) (range 500)) w (map (fn [_] (str p "b")) (range 500))] ${many(1_000, "(= v w)")})`,
    ],
  ])("%s", (_, source) => {
    const end = ended(source, { limits: { max_steps_between_effects: FUEL } });
    expect(told(end).text).toMatch(/^!! (timeout|memory_exceeded)$/);
    expect(end.steps).toBeGreaterThan(FUEL / 20);
  });

  test("patterns in the text of the program, which use no fuel", () => {
    const patterns = Array.from(
      { length: 5_000 },
      (_, i) => `#"(?=(?:(?=a{${900 + (i % 100)}})){${800 + Math.floor(i / 100)}})"`,
    );
    expect(evaluate(`(do ${patterns.join(" ")})`).message).toMatch(/patterns of this program are too large together/);
  });
});

describe("keys with equal host hashes", () => {
  // Integers whose lowest digits are the same, and long texts of the same length.
  test.each([
    ["(map (fn [i] (* 18446744073709551616 (inc i))) (range 20000))", 20_000],
    [`(let [p ${text("a", 13)}] (map (fn [i] (str p (+ 10000 i))) (range 100)))`, 100],
    ["(map (fn [i] (* 1.0 i)) (range 50000))", 50_000],
  ])("%s", (source, count) => {
    expect(evaluate(`(count (set ${source}))`).text).toBe(String(count));
    expect(evaluate(`(count (frequencies ${source}))`).text).toBe(String(count));
  });

  test("are still equal when they are", () => {
    const long = "a".repeat(10_000);
    const keys: Value[] = [1, new Float(1), new Float(0), new Float(-0), new Float(Number.NaN), 2n ** 70n, long];
    const again: Value[] = [new Float(Number.NaN), 2n ** 70n, `${long.slice(1)}a`, new Float(1)];
    expect(PSet.from([...keys, ...again]).size).toBe(6);
  });
});

test.each(["ab", "aab", "aaaaab", "abcabcabd", "zz", "aabaabaaa"])(
  "a search for %s finds what the host finds",
  (part) => {
    const random = (seed: number) =>
      Array.from({ length: 6_000 }, (_, i) => "aaabc"[((i * seed) ^ (i >> 3)) % 5]).join("");
    for (const body of [random(7), random(13), "aab".repeat(3_000), `${"a".repeat(9_000)}b`]) {
      for (const from of [0, 1, 100, body.length - 3]) {
        expect(findText(body, part, from)).toBe(body.indexOf(part, from));
        expect(findLastText(body, part, from)).toBe(body.lastIndexOf(part, from));
      }
      expect(findLastText(body, part)).toBe(body.lastIndexOf(part));
      expect(splitText(body, part, () => {})).toEqual(body.split(part));
    }
  },
);

test("a member stays as it was first added, and an entry keeps its place", () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const first = Vec.of(99);
  const set = PSet.from([...numbers, first]);
  expect(set.conj(Vec.of(99))).toBe(set);
  expect(set.disj(Vec.of(98))).toBe(set);
  const entries = PMap.from(numbers.map((i) => [i, i]));
  expect(entries.assoc(7, 7)).toBe(entries);
  expect(entries.assoc(7, 8).keys()).toEqual(numbers);
  expect(entries.assoc(7, 8).get(7)).toBe(8);
});

describe("what is kept between turns has a limit", () => {
  const kept = (source: string) => ended(source).memory;

  test("that is not counted in full when it is far too large", () => {
    expect(memoryBytes(kept("(def a 1)"), 200)).toBe(7);
    expect(memoryBytes(kept("(def a (range 1000))"), 200)).toBe(3_897);
    expect(memoryBytes(kept("(def a (reduce (fn [v _] [v v]) 1 (range 60)))"), 200)).toBeUndefined();
  });

  test.each([
    ["long keywords", `(def a (map (fn [_] :${"k".repeat(100_000)}) (range 1000)))`],
    [
      "functions of a long text",
      `(def a (map (fn [i] [i "${"x".repeat(100_000)}"]) (range 10))) (def b (map (fn [i] (fn [] [i "${"x".repeat(100_000)}"])) (range 1000)))`,
    ],
    ["large integers", "(def n (reduce (fn [a _] (* a a)) 7 (range 13))) (def a (map (fn [_] n) (range 10000)))"],
  ])("%s count as often as they are written", (_, source) => {
    expect(() => encodeMemory(kept(source))).toThrow(/too large to keep/);
  });

  test("patterns are there after reading it back", () => {
    const memory = decodeMemory(
      JSON.parse(JSON.stringify(encodeMemory(kept('(def p #"a+(b)") (def f (fn [s] (re-find #"c+" s)))')))),
    );
    expect(memory.get("p")).toMatchObject({ source: "a+(b)", compiled: { groups: 1 } });
  });

  test("data is told apart from values that are not data", () => {
    expect(isData(Vec.of(1, PMap.from<Value>([["a", 2n ** 80n]]), PSet.from([new Float(1)])))).toBe(true);
    expect(isData(Vec.of(1, kept("(def f (fn [] 1))").get("f") as Value))).toBe(false);
  });
});
