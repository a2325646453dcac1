import fc from "fast-check";
import type { JsonObject } from "../../../../src/core/base/json";
import { LISP_LIMITS } from "../../../../src/core/base/limits";
import type { LispLimits, Program, ProgramEnd, ProgramOptions } from "../../../../src/core/lisp";
import * as translating from "../../../../src/core/lisp";
import { assertProperty, sized } from "../../../support/run/property";
import { corpus } from "../safety/material/corpus";
import { computing } from "./material/computing";

/**
 * Functions that only compute are translated to functions of the host. Nothing must tell that apart from the evaluator:
 * values, errors and their places, steps, bytes, prints, definitions, requests and states are the same, with any limits.
 */

type Lisp = typeof translating;

/** The same modules once more, with a translator that gives up. */
const evaluating = ((): Lisp => {
  let lisp: Lisp | undefined;
  jest.isolateModules(() => {
    jest.doMock("../../../../src/core/lisp/direct/translate", () => ({ translate: () => null }));
    lisp = require("../../../../src/core/lisp");
    jest.dontMock("../../../../src/core/lisp/direct/translate");
  });
  return lisp as Lisp;
})();

const ROWS: JsonObject[] = [{ a: 1, b: "x" }, { a: 2, b: "y" }, { a: null }];

function options(source: string, limits: Partial<LispLimits>): ProgramOptions {
  return {
    source,
    data: { rows: ROWS, n: 5 },
    memory: new Map(),
    tools: new Map([["echo", {}]]),
    journal: null,
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits: { ...LISP_LIMITS, ...limits },
    now: () => 0,
  };
}

/** Steps, steps until the next effect and bytes that are left. */
const leftOf = (program: Program): number[] =>
  (program as unknown as { fuel?: { state(): number[] } }).fuel?.state() ?? [];

function shown(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return String(error);
  }
}

function endOf({ printValue, encodeMemory }: Lisp, end: ProgramEnd) {
  const { outcome } = end;
  return {
    ...end,
    outcome: outcome.kind === "error" ? outcome : { kind: outcome.kind, value: shown(() => printValue(outcome.value)) },
    memory: shown(() => encodeMemory(end.memory)),
    summaries: [...end.summaries],
    tool_cache: [...end.tool_cache],
  };
}

/** All that can be seen of a program, and what it left of its limits. `through`: it is written down at each wait. */
function seenOf(lisp: Lisp, source: string, limits: Partial<LispLimits>, through = false) {
  const given = options(source, limits);
  let program = lisp.startProgram(given);
  const waits: unknown[] = [];
  for (;;) {
    const state = program.run();
    if (state.state === "done") return { waits, end: endOf(lisp, state.end), left: leftOf(program) };
    const text = JSON.stringify(program.state());
    waits.push(state.requests, text);
    if (through) program = lisp.continueProgram(JSON.parse(text), given).program;
    for (const { id, args } of state.requests) program.resume(id, { ok: true, value: args as JsonObject });
  }
}

/** The program with all it may use, and with less of everything. */
function bothWays(source: string): void {
  const whole = seenOf(evaluating, source, {});
  expect(seenOf(translating, source, {})).toEqual(whole);
  expect(seenOf(translating, source, {}, true)).toEqual(seenOf(evaluating, source, {}, true));
  const { steps } = whole.end;
  const bytes = LISP_LIMITS.max_bytes - (whole.left[2] ?? LISP_LIMITS.max_bytes);
  const less: Partial<LispLimits>[] = [0.2, 0.6, 0.97].flatMap((part) => [
    { max_steps: Math.floor(part * steps) },
    { max_steps_between_effects: Math.floor(part * steps) },
    { max_bytes: Math.floor(part * bytes) },
  ]);
  for (const limits of [...less, { max_depth: 3 }, { max_depth: 9 }, { max_iterations: 5 }])
    expect({ limits, ...seenOf(translating, source, limits) }).toEqual({
      limits,
      ...seenOf(evaluating, source, limits),
    });
}

const FIB = "(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))";
const TO_ZERO = "(defn f [n] (if (= n 0) 0 (+ 1 (f (- n 1)))))";

const PROGRAMS = [
  `${FIB} (fib 15)`,
  `${TO_ZERO} [(f 50) (f 500) (f 5000) (f 9990)]`,
  `${TO_ZERO} (f 20000)`,
  "(reduce (fn [a x] (* a (+ x 1))) 1 (range 160))",
  "(reduce + 9007199254740000 (range 2000))",
  '(reduce + [1 2 "a"])',
  "(reduce + (map (fn [x] (* 1.5 x)) (range 150)))",
  "(map (fn [x] (if (= x 40) (tool/echo {:x x}) (* x x))) (range 160))",
  "(reduce (fn [a x] (if (= x 40) (:x (tool/echo {:x a})) (+ a x))) 0 (range 160))",
  "(filter (fn [x] (if (= (mod x 7) 0) (:x (tool/echo {:x x})) (odd? x))) (range 160))",
  "(sort-by (fn [x] (if (= x 20) (:x (tool/echo {:x x})) (- x))) (range 140))",
  "(group-by (fn [x] (if (= x 20) (:x (tool/echo {:x x})) (mod x 3))) (range 140))",
  "(some (fn [x] (if (= x 20) (:x (tool/echo {:x x})) (> x 30))) (range 140))",
  "(pmap (fn [x] (reduce (fn [a y] (+ a y x)) 0 (range 130))) (range 10))",
  "(pmap (fn [x] (map (fn [y] (if (= y 5) (tool/echo {:x x}) y)) (range 9))) (range 4))",
  "(let [v (range 10)] [(conj v 1) (conj v 2) (nth v 3) (take 3 v) v (last v) (rest v) (= v (range 10)) (reverse v)])",
  "(tool/echo {:v (range 5)}) (let [v (range 7)] (tool/echo {:v 1}) [v (conj v 1)])",
  "[(sort > (range 120)) (sort [3 1.5 2 nil]) (sort (map (fn [x] (mod (* x 7919) 101)) (range 200)))]",
  "(map (fn [x] (loop [i 0] (if (< i (if (= x 3) 10001 5)) (recur (inc i)) i))) (range 120))",
  "(map (fn [x] (loop [i 0] (if (= x 110) (recur (inc i)) i))) (range 120))",
  "(map (fn [{:keys [a b] :or {b 1}}] (str a b)) (mapcat (fn [_] data/rows) (range 50)))",
  "(defn f [x] (f x)) (map f (range 120))",
  "(defn f [x] (g x)) (defn g [x] (h x)) (map f (range 120)) (defn h [x] x)",
  "(def g 5) [(map (fn [x] (def g x) (+ g x)) (range 120)) g]",
  "(defn mk [n] (fn [x] (+ x n))) [(map (mk 3) (range 130)) (map (mk 4) (range 130))]",
  '(map (fn [x] (str "item-" x)) (range 140))',
  '(reduce (fn [s x] (str s (if (< (count s) 9000) s 1))) "abc" (range 130))',
  "(map (fn [x] (cond (< x 3) :low (and (> x 5) (or (= x 7) (even? x))) {:a [x (inc x)]} :else nil)) (range 112))",
  "(map (fn [m] (if (:a m) (get m :a) (do (println m) 0))) (mapcat (fn [_] data/rows) (range 50)))",
  "(map (fn [x] (/ 10 x)) (range 112)) (map (fn [x] (quot 10 x)) (range 112))",
];

it.each(PROGRAMS)("gives the same: %s", bothWays);

it("gives the same for the examples of the language guide", () => {
  for (const source of corpus()) {
    const limits = { max_steps: 100_000 };
    expect(seenOf(translating, source, limits)).toEqual(seenOf(evaluating, source, limits));
  }
});

it("gives the same for programs at random", () => {
  assertProperty(fc.property(computing, bothWays), { numRuns: sized(4, 15) });
}, 120_000);
