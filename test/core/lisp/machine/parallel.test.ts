import { ended, evaluate, Paused, told } from "../run";

test.each([
  ["in a row", "(defn f [n] (pmap f [n])) (f 1)"],
  ["eight at each level", "(defn f [n] (pmap f (range 8))) (f 1)"],
  ["of functions without parameters", "(defn f [] (pcalls f f)) (f)"],
])("sections within sections end in an error: %s", (_, source) => {
  const end = ended(source);
  expect(told(end).text).toBe("!! pmap_error".replace("pmap", source.includes("pcalls") ? "pcalls" : "pmap"));
  expect(end.steps).toBeLessThanOrEqual(2_100_000);
});

test("the depth limit of calls counts across sections", () => {
  const { message } = evaluate("(defn f [n] (if (= 0 (mod n 1000)) (pmap f [(inc n)]) (+ 1 (f (inc n))))) (f 1)");
  expect(message).toMatch(/nested deeper than 10000/);
});

test("all branches of nested sections are evaluated, however many there are", () => {
  const source = `(count (flatten (pmap (fn [a] (pmap (fn [b] (pmap (fn [c] (pmap (fn [d] [a b c d]) (range 6)))
    (range 6))) (range 6))) (range 6))))`;
  expect(evaluate(source).text).toBe("5184");
});

test("the open tool calls of sections in sections stay within reason", () => {
  const open = new Paused(`(defn f [n] (if (= n 0) (tool/echo {:n 1}) (pmap (fn [_] (f (dec n))) (range 8)))) (f 5)`);
  expect(open.requested).toBe(1_000);
});

test("branches start in order, at most eight at a time in one section", () => {
  const paused = new Paused("(pmap (fn [i] (tool/echo {:n i})) (range 10))");
  expect(paused.calls).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  paused.answer("5").answer("0");
  expect(paused.calls).toEqual(["1", "2", "3", "4", "6", "7", "8", "9"]);
});

test("every branch costs steps, even one that evaluates nothing", () => {
  expect(ended("(count (pmap inc (range 1000)))").steps).toBeGreaterThan(64_000);
  expect(evaluate("(count (pmap inc (range 100000)))").message).toMatch(/^pmap: the program exceeded its limit/);
});

test("when the budget is spent, branches that have not started fail with the others", () => {
  const end = ended("(pmap (fn [i] (reduce (fn [a b] a) 0 (range 1000000))) (range 20000))");
  expect(end.outcome).toMatchObject({ fail: { details: { index: 0, cause: "timeout" } } });
  expect(end.pmap_calls).toMatchObject([{ count: 20_000, success_count: 0, error_count: 20_000 }]);
});

test("the first failure in order decides, whichever came first in time", () => {
  const paused = new Paused("(pmap (fn [i] (do (tool/echo {:n i}) (inc nil))) [1 2])");
  paused.answer("2").answer("1");
  expect(paused.end).toMatchObject({
    outcome: { fail: { details: { index: 0 } } },
    pmap_calls: [{ success_count: 0, error_count: 2 }],
  });
});
