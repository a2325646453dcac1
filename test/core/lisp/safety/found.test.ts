import { decodeMemory, encodeMemory, LispError } from "../../../../src/core/lisp";
import { ended, evaluate, told } from "../run";

/** What programs made for it once did to the interpreter. */

const nested = (depth: number, wrap: (inner: string) => string): string =>
  Array.from({ length: depth }).reduce<string>(wrap, "1");
const names = Array.from({ length: 3_000 }, (_, i) => `a${i}`).join(" ");

// No clock is needed: what is compiled for minutes again does not come to its end.
describe("once took minutes or all memory to compile", () => {
  test.each([
    ["patterns of loop with a loop as default", nested(40, (inner) => `(loop [{:keys [a] :or {a ${inner}}} {}] a)`)],
    ["a default for a name that is taken twice", nested(40, (inner) => `(let [{:keys [a a] :or {a ${inner}}} {}] a)`)],
    ["names captured through many functions", `(fn [${names}] ${"(fn [] ".repeat(140)}[${names}]${")".repeat(140)})`],
    ["for over more collections than anybody has", `(for [${"a [1] ".repeat(40_000)}] 1)`],
    ["steps that are functions", `(->> 1 ${"(fn [x]) ".repeat(3_000)})`],
    ["steps that are definitions", `(->> 1 ${"(defn f [x]) ".repeat(3_000)})`],
  ])("%s: refused before anything runs", (_, source) => {
    expect(evaluate(source)).toMatchObject({ text: "!! invalid_form", message: expect.not.stringMatching(/host/) });
  });

  test("names captured by one function, and used often", () => {
    const source = `(count ((fn [${names}] ((fn [] [${names} ${"+ ".repeat(80_000)}]))) ${"1 ".repeat(3_000)}))`;
    expect(evaluate(source).text).toBe("83000");
  });
});

describe("messages are shorter than what they report", () => {
  const long = '(reduce (fn [s _] (str s s)) "0123456789" (range 18))';
  test.each([
    ["the id of a task", `(task ${long} inc)`],
    ["the ids of tasks that wait for each other", crossed(long)],
    ["a deep value that is called", "((reduce (fn [a _] [a a a a]) 1 (range 60)) 1)"],
    ["a long key in a value that is called", `([{${long} 1}] 1)`],
    ["a name that is not defined", "x".repeat(200_000)],
    ["tools that do not exist", Array.from({ length: 20_000 }, (_, i) => `(tool/t${i})`).join("")],
    ["arguments of a tool that are no map", `(tool/echo (reduce (fn [a _] [a a a]) 1 (range 60)))`],
  ])("%s", (_, source) => {
    const end = ended(source, { journal: new Map() });
    expect(told(end).message.length).toBeLessThan(2_100);
    expect(JSON.stringify(end.warnings).length).toBeLessThan(5_000);
    expect(JSON.stringify(end.outcome).length).toBeLessThan(10_000);
  });

  test("ids in warnings", () => {
    const end = ended(`(task ${long} 1)`);
    expect(end.warnings.map(({ code }) => code)).toEqual(["missing_journal"]);
    expect(JSON.stringify(end.warnings).length).toBeLessThan(1_000);
  });
});

/** Two branches of which each waits for the task that the other one is at. */
function crossed(long: string): string {
  const branch = (first: string, second: string) =>
    `(fn [] (task (str s ${first}) (do (tool/echo {:n ${first}}) (task (str s ${second}) 1))))`;
  return `(let [s ${long}] (pcalls ${branch("1", "2")} ${branch("2", "1")}))`;
}

test("no program takes more steps than allowed", () => {
  const limits = { max_steps: 1_000, max_steps_between_effects: 1_000 };
  const end = ended("(count (range 1000000))", { limits });
  expect(told(end).text).toBe("!! timeout");
  expect(end.steps).toBe(1_000);
});

test("a text in a value of the greatest depth is written once, not once for each level", () => {
  const text = '(reduce (fn [s _] (str s s)) "abcdefghij" (range 18))';
  const source = `(def deep (reduce (fn [a _] [a 1]) ${text} (range 490))) (doseq [_ (range 20)] (count (str deep)))`;
  expect(evaluate(source).text).toBe("!! timeout");
});

describe("definitions", () => {
  const many = (count: number, one: string) => `(def kept (map (fn [i] ${one}) (range ${count})))`;
  test("that repeat a long function are too large to keep, which is found without storing them", () => {
    const { memory } = ended(many(100_000, `(fn [] "${"x".repeat(50_000)}")`));
    expect(() => encodeMemory(memory)).toThrow(LispError);
  });

  test("that repeat a function compile it once when they are read", () => {
    const body = nested(8, (inner) => `(loop [[a] [${inner}]] a)`);
    const { memory } = ended(many(20_000, `(fn [] ${body} i)`));
    const kept = encodeMemory(memory);
    expect(encodeMemory(decodeMemory(kept))).toEqual(kept);
  });
});
