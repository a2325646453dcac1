import fc from "fast-check";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import { LISP_LIMITS } from "../../../../src/core/base/limits";
import { continueProgram, startProgram } from "../../../../src/core/lisp";
import { BUILTINS } from "../../../../src/core/lisp/builtins";
import { decodeMemory } from "../../../../src/core/lisp/memory/memory";
import type { Program, ProgramOptions } from "../../../../src/core/lisp/program";
import { journalOver } from "../../../../src/simulate/lisp-batch";
import { assertProperty, part } from "../../../support/run/property";
import { AREAS, casesOf } from "../read-cases";
import { program } from "../safety/material/grammar";
import { DATA as SHOP, TOOLS } from "../shop";
import { course, throughStates } from "./through-states";

/**
 * A program that is written down and read again at each of its waits must go the same way as one that was left alone: the
 * same requests, values, prints, definitions, errors and steps.
 */

const DATA: JsonObject = {
  rows: [{ id: 1, tags: ["a", "b"] }, { id: 2, tags: [] }, null],
  wide: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key ${i}`, i])),
  name: "Ada",
};

function options(source: string, more: Partial<ProgramOptions> = {}): ProgramOptions {
  let clock = 0;
  return {
    source,
    data: DATA,
    memory: new Map(),
    tools: new Map([
      ["v", {}],
      ["seen", { cache: true }],
    ]),
    journal: journalOver(new Map([["known", 1]])),
    history: [],
    budget: { turns: 3 },
    tool_cache: new Map([["seen {}", 1]]),
    limits: LISP_LIMITS,
    now: () => ++clock,
    ...more,
  };
}

type Order = "first" | "last" | "all";

/** Answers a call by its `:n`; `fail` fails it. Which of several open calls is answered is up to `order`. */
function answering(program: Program, order: Order) {
  const open: { id: number; args: JsonObject }[] = [];
  return (state: { requests: { id: number; args: JsonObject }[] }) => {
    open.push(...state.requests);
    const now = order === "all" ? open.splice(0) : order === "first" ? open.splice(0, 1) : open.splice(-1);
    for (const { id, args } of now) {
      const value = (args.n ?? args) as Json;
      if (value === "fail") program.resume(id, { ok: false, fail: { reason: "tool_error", message: "refused" } });
      else program.resume(id, { ok: true, value });
    }
  };
}

function expectSame(source: string, order: Order = "first", more: () => Partial<ProgramOptions> = () => ({})): number {
  let states = 0;
  const left = startProgram(options(source, more()));
  const written = throughStates(options(source, more()), () => {
    states += 1;
  });
  const alone = course(left, answering(left, order));
  const through = course(written, answering(written, order));
  expect(through).toEqual(alone);
  return states;
}

/** Programs that wait in the middle of something. */
const PROGRAMS = [
  "(let [a 1 b (tool/v {:n 2})] [a b])",
  "(loop [i 0 acc []] (if (< i 5) (recur (inc i) (conj acc (tool/v {:n i}))) acc))",
  "(defn twice [x] (* 2 (tool/v {:n x}))) (def y (twice 4)) (println y) (+ y (twice y))",
  "(let [f (fn [x] (let [k x] (fn [y] (+ k y (tool/v {:n y})))))] (map (f 10) [1 2 3]))",
  "(pmap (fn [x] (println x) (inc (tool/v {:n x}))) [1 2 3 4 5 6 7 8 9 10 11 12])",
  "(pcalls #(tool/v {:n 1}) #(tool/v {:n 2}) (fn [] 3))",
  "(pmap (fn [x] (pmap (fn [y] (* x (tool/v {:n y}))) [1 2 3])) [1 2 3])",
  '(pmap (fn [x] (if (= x 2) (fail "no") (tool/v {:n x}))) [1 2 3])',
  '(pmap (fn [x] (tool/v {:n (if (= x 2) "fail" x)})) [1 2 3])',
  '(pmap (fn [x] (task "same" (tool/v {:n x}))) [1 2 3])',
  '(pmap (fn [x] (task (str "t" x) (task "inner" (tool/v {:n x})))) [1 2 3])',
  '(pcalls #(task "a" (do (tool/v {:n 1}) (task "b" (tool/v {:n 2})))) #(task "b" (do (tool/v {:n 3}) (task "a" (tool/v {:n 4})))))',
  '(task "known" (tool/v {:n 5}))',
  '(task "a" (do (tool/v {:n 1}) (task "a" (tool/v {:n 2}))))',
  '(do (step-done "x" "done") (tool/v {:n 1}) (task-reset "known") (task "known" (tool/v {:n 9})))',
  "(let [a (tool/seen {:n 1}) b (tool/seen {:n 1}) c (tool/v {:n 2})] [a b c (tool/seen {:n 1}) (tool/seen {})])",
  "(let [big (into {} (map (fn [i] [i (str i)]) (range 100)))] (tool/v {:n 1}) (get (assoc big 5 (tool/v {:n 7})) 5))",
  '(let [m (assoc data/wide "more" 1) n (tool/v {:n 3})] [(get m "key 3") (get data/wide "key 4") n (count m)])',
  "(let [tags (:tags (first data/rows)) more (conj tags 1)] (tool/v {:n 1}) [(conj tags 2) (conj more 3) (conj more 4)])",
  "(let [v [1 2 3] w (conj v v) r (rest w)] (tool/v {:n 1}) [(conj v 4) (conj w 5) (conj r 6) (conj r 7)])",
  "(let [s #{1 [2] {:a 1}} t (conj s (tool/v {:n 4}))] [(contains? t [2]) (disj t 1) (tool/v {:n 1}) t])",
  "(let [big (set (map (fn [i] {:i i}) (range 30)))] (tool/v {:n 1}) (contains? (conj big {:i 99}) {:i 3}))",
  "(let [a {{:x 1} 1 {:y 2} 2} b (tool/v {:n 1})] [(get a {:x 1}) b (= a {{:y 2} 2 {:x 1} 1})])",
  '(let [r #"a(b+)" d (java.time.LocalDate/parse "2024-01-01") f 1.5 i 99999999999999999999 k :kw] (tool/v {:n 1}) [(re-find r "xabb") (str d) f i k ##Inf (- 0.0)])',
  "(let [f (fnil + 0) g (juxt :id (fn [r] (tool/v {:n (:id r)}))) p (where :id = 1) q (all-of p (fn [r] (tool/v {:n true})))] (tool/v {:n 1}) [(f nil 2) (map g [{:id 1} {:id 2}]) (filter q [{:id 1} {:id 3}])])",
  "(map (fnil (fn [x] (tool/v {:n x})) 7) [1 nil 3])",
  "(let [f (fn f [n] (if (= n 0) (tool/v {:n 0}) (+ n (f (dec n)))))] (f 500))",
  "(reduce (fn [a x] (do (def seen x) (+ a (tool/v {:n x})))) 0 (range 20))",
  "(reduce (fn [a x] (conj a (tool/v {:n x}))) [] (range 40))",
  "(reduce (fn [a x] (+ a (tool/v {:n x}))) (range 5))",
  "(reduce (fn [a x] (+ a (reduce (fn [b y] (+ b (tool/v {:n y}))) x [1 2]))) {1 2 3 4} [1 2])",
  "(pmap (fn [x] (reduce (fn [a y] (+ a (tool/v {:n y}))) x [1 2 3])) [1 2 3])",
  "(map (fn [x] (map (fn [y] (+ x (tool/v {:n y}))) [1 2])) [1 2])",
  "(for [x [1 2 3] y [4 5] :when (odd? x)] (* x (tool/v {:n y})))",
  "(doseq [x [1 2 3]] (println (tool/v {:n x})))",
  "(let [x (tool/v {:n 1})] (undefined-thing x))",
  "(do (tool/v {:n 1}) (/ 1 nil))",
  '(do (println "before") (tool/v {:n "fail"}))',
  "(let [deep (reduce (fn [a _] [a]) [] (range 400))] (tool/v {:n 1}) (count (flatten deep)))",
  "(let [deep (loop [i 0 a nil] (if (< i 900) (recur (inc i) {:a a}) a))] (tool/v {:n 1}) (nil? (:a deep)))",
  "(return (tool/v {:n 1}))",
  '(do (tool/v {:n 1}) (fail {:reason :no :message "m"}))',
  "(let [x (tool/v {:n 1})] (loop [i 0] (recur (inc i))))",
  "[(budget/remaining) (tool/v {:n 1}) (get (budget/remaining) :turns)]",
  "(do (def f (fn [x] (tool/v {:n x}))) (def g #(f %)) [(g 1) (mapv g [2 3])])",
  '(let [long (apply str (repeat 50 "abc"))] (tool/v {:n 1}) [long long (= long (str long))])',
  "(let [[a & more] [1 2 3] {:keys [x] :or {x 9}} {}] [(tool/v {:n a}) more x])",
  "(-> 1 (+ (tool/v {:n 2})) (* (tool/v {:n 3})))",
  "(and (tool/v {:n true}) (or (tool/v {:n nil}) (tool/v {:n 3})))",
];

/** A call of each builtin that calls functions: it waits in each of these calls. */
const CALLING: Record<string, string> = {
  map: "(map (fn [x y] (tool/v {:n (+ x y)})) [1 2 3] [4 5 6])",
  mapv: "(mapv (fn [x] (tool/v {:n x})) {1 2 3 4})",
  "map-indexed": "(map-indexed (fn [i x] (tool/v {:n [i x]})) [:a :b])",
  mapcat: "(mapcat (fn [x] [x (tool/v {:n x})]) [1 2 3])",
  pluck: "(pluck (fn [x] (tool/v {:n x})) [1 2 3])",
  reduce: "(reduce (fn [a x] (+ a (tool/v {:n x}))) 0 [1 2 3])",
  filter: "(filter (fn [x] (odd? (tool/v {:n x}))) [1 2 3 4])",
  remove: "(remove (fn [x] (odd? (tool/v {:n x}))) [1 2 3 4])",
  find: "(find (fn [x] (= 3 (tool/v {:n x}))) [1 2 3 4])",
  some: "(some (fn [x] (= 3 (tool/v {:n x}))) [1 2 3 4])",
  "every?": "(every? (fn [x] (< (tool/v {:n x}) 3)) [1 2 3 4])",
  "not-any?": "(not-any? (fn [x] (= 3 (tool/v {:n x}))) [1 2 3 4])",
  "take-while": "(take-while (fn [x] (< (tool/v {:n x}) 3)) [1 2 3 4])",
  "drop-while": "(drop-while (fn [x] (< (tool/v {:n x}) 3)) [1 2 3 4])",
  sort: "(sort (fn [a b] (< (tool/v {:n a}) b)) [3 1 2 5 4])",
  "sort-by": "(sort-by (fn [x] (tool/v {:n (- x)})) (fn [a b] (- a (tool/v {:n b}))) [3 1 2])",
  "group-by": "(group-by (fn [x] (odd? (tool/v {:n x}))) [1 2 3 4])",
  "distinct-by": "(distinct-by (fn [x] (odd? (tool/v {:n x}))) [1 2 3 4])",
  "sum-by": "(sum-by (fn [x] (tool/v {:n x})) [1 2 3])",
  "avg-by": "(avg-by (fn [x] (tool/v {:n x})) [1 2 3])",
  "min-by": "(min-by (fn [x] (tool/v {:n (- x)})) [1 2 3])",
  "max-by": "(max-by (fn [x] (tool/v {:n x})) 1 2 3)",
  "min-key": "(min-key (fn [x] (tool/v {:n (- x)})) 1 2 3)",
  "max-key": "(max-key (fn [x] (tool/v {:n x})) 1 2 3)",
  update: "(update {:a 1} :a (fn [x y] (tool/v {:n (+ x y)})) 5)",
  "update-in": "(update-in {:a {:b 1}} [:a :b] (fn [x] (tool/v {:n x})))",
  "update-vals": "(update-vals {:a 1 :b 2} (fn [x] (tool/v {:n x})))",
  walk: "(walk (fn [x] (tool/v {:n x})) (fn [x] (do (tool/v {:n 0}) x)) [1 2 3])",
  prewalk: "(prewalk (fn [x] (do (tool/v {:n 0}) x)) [1 [2 {:a 3}]])",
  postwalk: "(postwalk (fn [x] (if (number? x) (tool/v {:n x}) x)) [1 [2 {:a 3}]])",
  "tree-seq": "(tree-seq (fn [x] (vector? (do (tool/v {:n 0}) x))) (fn [x] (do (tool/v {:n 1}) x)) [1 [2 [3]]])",
  apply: "(apply (fn [a b c] (tool/v {:n (+ a b c)})) 1 [2 3])",
};

describe("a program that is written down and read again at each wait goes on as if it had never stopped", () => {
  test.each(PROGRAMS)("%s", (source) => {
    for (const order of ["first", "last", "all"] as const) expectSame(source, order);
  });

  test.each(Object.entries(CALLING))("in the middle of %s: %s", (_, source) => {
    expect(expectSame(source)).toBeGreaterThan(0);
    expectSame(`(do (def k 1) (map (fn [i] ${source}) [1 2]))`);
    expectSame(`(pmap (fn [i] ${source}) [1 2 3])`, "last");
  });

  test("every builtin that calls functions has a case", () => {
    const names = [...BUILTINS.values()].filter(({ kind }) => kind === "higher-order").map(({ name }) => name);
    expect(Object.keys(CALLING).sort()).toEqual(names.sort());
  });

  // The programs of the case files, with each number got from a tool: they wait in the middle of everything. Those of
  // `limits` would wait thousands of times.
  const shop = () => ({ data: SHOP, tools: new Map(Object.entries({ ...TOOLS, v: {} })) });
  test.each(AREAS.filter((area) => area !== "limits"))("the programs of %s, with numbers from a tool", (area) => {
    let states = 0;
    for (const { program } of part(casesOf(area)))
      states += expectSame(program.replace(/(?<=[\s([])(\d+)(?=[\s)\]])/g, "(tool/v {:n $1})"), "first", shop);
    expect(states).toBeGreaterThan(0);
  });

  test("functions of earlier turns go on where they waited", () => {
    const memory = () => ({
      memory: decodeMemory({
        ask: { $fn: "(fn [x] (let [f (fn [y] (+ y x (tool/v {:n y})))] (map f [1 k])))", captured: { k: 5 } },
        list: [1, 2, 3],
      }),
    });
    expect(expectSame("(do (def mine ask) [(ask 1) (mine 2) (conj list 4) (map ask list)])", "first", memory)).toBe(10);
  });

  test("programs made of everything there is", () => {
    const tools = () => ({
      tools: new Map([
        ["echo", {}],
        ["cached", { cache: true }],
      ]),
    });
    assertProperty(
      fc.property(program, fc.constantFrom<Order>("first", "last", "all"), (source, order) => {
        expectSame(source, order, tools);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    { what: "steps", limits: { max_steps: 300 } },
    { what: "bytes", limits: { max_bytes: 9_000 } },
    { what: "depth", limits: { max_depth: 20 } },
    { what: "tool calls", limits: { max_tool_calls: 7 } },
    { what: "prints", limits: { max_print_chars: 10 } },
  ])("the limit of $what is met at the same place", ({ limits }) => {
    const source =
      '(do (defn f [n] (if (= n 0) 0 (+ 1 (f (dec n))))) (map (fn [x] (println "a long line" x) (f x) (range 30) (tool/v {:n x})) (range 40)))';
    expectSame(source, "first", () => ({ limits: { ...LISP_LIMITS, ...limits } }));
  });

  test.each(["serve", "ask", "fail", "rerun"] as const)(
    "a task recorded with another call, which shall %s",
    (policy) => {
      const journal = () => ({
        on_other_effect: policy,
        journal: {
          ...journalOver(new Map<string, Json>([["pay", 1]])),
          callsOf: () => ({ calls: [{ tool: "v", args: { n: 0 }, same: true as const }] }),
          noteConflict: () => {},
        },
      });
      expectSame('(do (tool/v {:n 1}) [(task "pay" (tool/v {:n 2})) (tool/v {:n 3})])', "first", journal);
    },
  );
});

describe("a state is as small as what the program holds", () => {
  const bytesOf = (source: string, more: Partial<ProgramOptions> = {}): number => {
    let most = 0;
    const written = throughStates(options(source, more), (bytes) => {
      most = Math.max(most, bytes);
    });
    course(written, answering(written, "first"));
    return most;
  };

  test("a value that is referenced many times is written once", () => {
    const doubled = "(reduce (fn [a _] [a a]) (range 100) (range 60))";
    expect(bytesOf(`(let [x ${doubled}] (tool/v {:n 1}) (count x))`)).toBeLessThan(6_000);
  });

  test("versions of one map share their parts", () => {
    const grow = "(reduce (fn [all i] (conj all (assoc (last all) i i))) [{}] (range 300))";
    expect(bytesOf(`(let [all ${grow}] (tool/v {:n 1}) (count all))`)).toBeLessThan(300 * 900);
  });

  test("an accumulator of reduce is not kept once for each round", () => {
    const rounds = (n: number) => bytesOf(`(reduce (fn [acc x] (conj acc (tool/v {:n x}))) [] (range ${n}))`);
    expect(rounds(400)).toBeLessThan(2.5 * rounds(200));
  });

  test("data of the run is named, not written", () => {
    const data = { rows: Array.from({ length: 5_000 }, (_, i) => ({ id: i, name: `somebody ${i}` })) };
    const source = "(map (fn [row] (if (= (:id row) 4000) (tool/v {:n 1}) 0)) data/rows)";
    expect(bytesOf(source, { data })).toBeLessThan(5_000 * 12 + 4_000 * 3);
  });

  test("ten thousand frames and a chain of ten thousand functions need no host stack", () => {
    expectSame("(let [f (fn f [n] (if (= n 0) (tool/v {:n 0}) (+ 1 (f (dec n)))))] (f 9000))");
    expectSame("(let [f (reduce (fn [f _] (fnil f 0)) inc (range 9000))] [(tool/v {:n 1}) (fn? f)])");
    expectSame("(let [deep (reduce (fn [a _] [a]) [] (range 20000))] [(tool/v {:n 1}) (count deep)])");
  });
});

test("a program whose code is compiled to other instructions ends with an error, and keeps what was defined before", () => {
  const before = options("(+ 1 (tool/v {:n 1}))", { memory: decodeMemory({ kept: [1, 2] }) });
  const first = startProgram(before);
  first.run();
  const { program: again, given } = continueProgram({ ...first.state(), mark: "other" }, before);
  expect(JSON.stringify(again.run())).toMatch(/cannot continue: this version of Navigator compiles it to other/);
  expect([...given.memory.keys()]).toEqual(["kept"]);
});
