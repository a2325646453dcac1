import { evaluate } from "../run";

const printing = (source: string) => evaluate(source).prints;

test("what a program prints is kept up to a size, then counted", () => {
  const prints = printing('(doseq [i (range 100000)] (println "line" i "of many"))');
  const last = prints.pop();
  expect(prints.join("\n").length).toBeLessThan(100_020);
  expect(prints.at(-1)).toBe(`line ${prints.length - 1} of many`);
  expect(last).toBe(`... and ${100_000 - prints.length} more lines`);
});

test("parallel branches print nothing; functions that builtins call do", () => {
  expect(printing("(println 0) (pmap (fn [x] (println x)) [1 2]) (pcalls #(println 3)) (map println [4 5])")).toEqual([
    "0",
    "4",
    "5",
  ]);
  expect(printing("(map (fn [x] (pmap println [x])) [1 2]) (println 3)")).toEqual(["3"]);
});

test("empty lines take space too", () => {
  expect(printing("(reduce (fn [_ x] (println)) nil (range 100001))")).toHaveLength(100_001);
  expect(printing("(reduce (fn [_ x] (println)) nil (range 100001))").at(-1)).toBe("... and 1 more line");
});

test("a long line is cut, never within a character", () => {
  const [line] = printing('(println (reduce (fn [s _] (str s s)) (str "x" "\u{1f600}") (range 11)))');
  expect(line).toMatch(/^(x\u{1f600})+x?\.\.\.$/u);
  expect(line!.length).toBeLessThanOrEqual(2_003);
});

test("printing is paid for by the size of what is printed", () => {
  const long = '(reduce (fn [s _] (str s s)) "0123456789" (range 15))';
  expect(evaluate(`(let [s ${long}] (doseq [i (range 1000)] (println s s s s)))`).text).toMatch(
    /timeout|memory_exceeded/,
  );
  expect(evaluate(`(let [s ${long}] (apply println (map (fn [_] s) (range 5000))))`).text).toBe("!! timeout");
});
