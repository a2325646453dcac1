import fc from "fast-check";
import { decodeMemory, encodeMemory, LispError, printValue, toPlainJson, type Value } from "../../../src/core/lisp";
import { BUILTINS } from "../../../src/core/lisp/builtins";
import type { JournalPort } from "../../../src/core/lisp/program";
import { ended, Paused, told } from "./run";

/** Programs made of everything there is, in no sensible way: whatever they do, they come to an end of their own. */

const atom = fc.constantFrom(
  ...["nil", "true", "false", "0", "-1", "3", "1.5", "##NaN", "##-Inf", "9007199254740993", "-99999999999999999999"],
  ...[
    '""',
    '"abc"',
    '"é\u{1f468}\u200d\u{1f469}"',
    '"12"',
    '"2024-02-29"',
    '"constructor"',
    '"__proto__"',
    ":a",
    "x",
    "y",
  ],
  ...["[]", "{}", "#{}", "[1 2 3]", "[[1 2] [3 4]]", "{:a 1 :b [1 2]}", '{"a" {:b 2}}', "#{1 2}", "(range 12)"],
  ...["(take 2 [1 2 3])", "(java.util.Date. 0)", '(LocalDate/parse "2024-01-01")', '#"(a)|b"', '#"\\d+"', "#'z"],
  ...["inc", "str", "(fn [a] a)", "(fn [a b] (= a b))", "(fn [& r] r)", "#(vector % %2)", "(where :a > 1)", "*1"],
  ...[
    "(juxt :a :b)",
    "(fnil inc 0)",
    "(all-of number? pos?)",
    "(set (range 10))",
    "(def z 1)",
    "(def x 2)",
    "(def y 3)",
  ],
);

const { form } = fc.letrec<{ form: string }>((tie) => {
  const some = tie("form");
  const of = (text: (...parts: string[]) => string, count: number) =>
    fc.array(some, { minLength: count, maxLength: count }).map((parts) => text(...parts));
  const call = fc
    .tuple(fc.constantFrom(...BUILTINS.keys()), fc.array(some, { maxLength: 3 }))
    .map(([name, args]) => `(${[name, ...args].join(" ")})`);
  return {
    form: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      { arbitrary: call, weight: 6 },
      of((a, b) => `(let [[a b & r] ${a} {:keys [c] :or {c 5} :as m} ${b}] [a b r c m])`, 2),
      of((a, b, c) => `(if ${a} ${b} ${c})`, 3),
      of((a, b, c) => `(for [x ${a} :when ${b}] ${c})`, 3),
      of((a, b) => `(loop [x ${a} n 0] (if (< n 3) (recur ${b} (inc n)) x))`, 2),
      of((a, b) => `(task ${a} ${b})`, 2),
      of((a) => `(task "t" ${a})`, 1),
      of((a, b) => `(pmap ${a} ${b})`, 2),
      of((a, b) => `(pmap (fn [x] ${a}) ${b})`, 2),
      of((a, b) => `(pcalls #(do ${a}) (fn [] ${b}))`, 2),
      of((a) => `(tool/echo {:v ${a}})`, 1),
      of((a, b) => `(map (fn [x] ${a}) ${b})`, 2),
      of((a, b, c) => `(reduce (fn [x y] ${a}) ${b} ${c})`, 3),
      of((a, b) => `(-> ${a} (${b}))`, 2),
      of((a, b) => `(${a} ${b})`, 2),
      of((a, b) => `[${a} ${b}]`, 2),
      of((a, b) => `{:k ${a} ${b} 1}`, 2),
    ),
  };
});

const limits = { max_steps: 300_000, max_steps_between_effects: 100_000, max_bytes: 8_000_000 };
const runs = { numRuns: 4_000 };

test("no program breaks the host, and each ends the same way twice", () => {
  fc.assert(
    fc.property(form, (source) => {
      const [once, again] = [1, 2].map(() => ended(source, { journal: new Map(), limits }));
      expect([told(again!), again!.steps]).toEqual([told(once!), once!.steps]);
      expect(told(once!).message).not.toMatch(/too large for the host/);
    }),
    runs,
  );
});

test("what a program gives can be shown, returned, and kept as it is unless an error says why not", () => {
  fc.assert(
    fc.property(form, (source) => {
      const { outcome } = ended(source, { journal: new Map(), limits });
      if (outcome.kind === "error") return;
      const shown = printValue(outcome.value);
      JSON.stringify(toPlainJson(outcome.value));
      const kept = afterKeeping(outcome.value);
      if (kept !== undefined) expect(printValue(kept)).toBe(shown);
    }),
    runs,
  );
});

/** The value after it was written down; undefined when that is refused. */
function afterKeeping(value: Value): Value | undefined {
  try {
    return decodeMemory(JSON.parse(JSON.stringify(encodeMemory(new Map([["v", value]]))))).get("v");
  } catch (error) {
    if (error instanceof LispError) return undefined;
    throw error;
  }
}

test("branches with tasks in tasks come to an end in whatever order tools answer, and record each task once", () => {
  const id = fc.constantFrom("a", "b", "c");
  const branch = fc.array(fc.tuple(id, fc.boolean()), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(branch, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat()), (branches, picks) => {
      const commits: string[] = [];
      const records = new Map();
      const journal: JournalPort = {
        has: (one) => records.has(one),
        get: (one) => records.get(one),
        commit: (one, value) => {
          commits.push(one);
          records.set(one, value);
        },
        reset: () => {},
      };
      const source = branches.map((steps, n) => `(fn [] ${nested(steps, String(n))})`).join(" ");
      const paused = new Paused(`(pcalls ${source})`, { port: journal });
      while (paused.end === undefined) {
        expect(paused.calls).not.toEqual([]);
        paused.answer(paused.calls[picks.next().value! % paused.calls.length]!);
      }
      const inside = branches.some((steps) => new Set(steps.map(([one]) => one)).size < steps.length);
      if (!inside) expect([...commits].sort()).toEqual([...new Set(commits)].sort());
      expect(paused.end.outcome.kind === "value" || told(paused.end).message).toEqual(
        paused.end.outcome.kind === "value" ? true : expect.stringMatching(/would wait for ever/),
      );
    }),
    { numRuns: 1_000 },
  );
});

/** Each task calls a tool before, after or around the next one. */
function nested([[id, first] = ["", false], ...rest]: [string, boolean][], n: string): string {
  if (id === "") return "1";
  const call = `(tool/echo {:n "${n}.${rest.length}"})`;
  const inner = nested(rest, n);
  return `(task "${id}" (do ${first ? `${call} ${inner}` : `${inner} ${call}`} 1))`;
}
