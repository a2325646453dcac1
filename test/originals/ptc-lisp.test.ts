import { languageCard } from "../../src/core/agent/prompt/language-card";
import { extractProgram } from "../../src/core/agent/reply/extract-program";
import { LISP_LIMITS } from "../../src/core/base/limits";
import { checkValue } from "../../src/core/signature/check";
import { coerceValue } from "../../src/core/signature/coerce";
import { outputSchema } from "../../src/core/signature/json-schema/write-schema";
import { parseSignature } from "../../src/core/signature/parse";
import { renderSignature } from "../../src/core/signature/render";
import { type RunLispOptions, runLisp } from "../../src/simulate/run-lisp";
import { runInMemory } from "../../src/testing";
import { ended, told } from "../core/lisp/run";
import { LISP_ROWS, programOfRows } from "./lisp-rows";

/** The language and the card that models read (docs/reference/lisp.md), rule by rule. */
describe("values and errors of expressions (lisp reference)", () => {
  test.each(LISP_ROWS.map((row) => ({ ...row, title: `section ${row.section}: ${row.rule}` })))(
    "$title",
    ({ program, gives }) => {
      const end = ended(program);
      if (gives.startsWith("return ")) expect(end.outcome).toEqual({ kind: "return", value: 1 });
      else expect(told(end).text).toBe(gives);
    },
  );
});

describe("the program in an answer (lisp reference, section 2)", () => {
  const source = (answer: string) => {
    const found = extractProgram(answer);
    return found.ok ? found.source : null;
  };
  test.each([
    ["one fenced block is the program", "Look:\n```clojure\n(+ 1 2)\n```\nDone.", "(+ 1 2)"],
    ["a block tagged lisp, too", "```lisp\n(+ 1 2)\n```", "(+ 1 2)"],
    ["a block may be closed by its tag", "```clojure\n(+ 1 2)\n</clojure>", "(+ 1 2)"],
    ["two tagged blocks are none", "```clojure\n1\n```\n```clojure\n2\n```", null],
    ["another block counts if it begins with a bracket", "```\n(+ 1 2)\n```", "(+ 1 2)"],
    ["elements count when there are no fences", "<clojure>(+ 1 2)</clojure>", "(+ 1 2)"],
    ["a whole answer that begins with a bracket is the program", "  (+ 1 2)  ", "(+ 1 2)"],
    ["prose is none", "I do not know.", null],
    ["line ends become LF", "```clojure\r\n(do\r\n1)\r\n```", "(do\n1)"],
    ["odd blanks outside of texts are removed", "(+\u200b 1\u00a0 2)", "(+ 1 2)"],
    ["curly quotes around a text become straight", "(str \u201ca\u201d)", '(str "a")'],
    ["#_ removes the next form", "(+ 1 #_(boom) 2)", "(+ 1  2)"],
  ])("%s", (_, answer, expected) => expect(source(answer)).toBe(expected));
});

describe("hidden keys and prints (lisp reference, section 5)", () => {
  const prints = (program: string) => runLisp(program).prints;
  test("println joins its arguments with a blank, and leaves keys with _ out", () =>
    expect(prints('(println "a" :b {:c 1 :_d 2})')).toEqual(["a :b {:c 1}"]));
  test("println of characters joins them", () => expect(prints('(println (take 3 "abcdef"))')).toEqual(["abc"]));
  test("a text of more than 2000 characters is cut", () =>
    expect(prints('(println (join (map (fn [_] "x") (range 3000))))')[0]).toHaveLength(2003));
});

describe("tasks (lisp reference, section 8)", () => {
  const run = (program: string, journal = new Map(), more: RunLispOptions = {}) => ({
    ...runLisp(program, { journal, ...more }),
    journal: Object.fromEntries(journal),
  });
  test.each<[string, string, object, object]>([
    ["8.2: a task is recorded", '(task "a" (+ 1 1))', {}, { ok: 2, journal: { a: 2 } }],
    ["8.2: a recorded task does not run", '(task "a" (mod 1 0))', { a: 5 }, { ok: 5 }],
    ["8.2: an id may be computed", '(task (str "mail_" 7) 1)', {}, { journal: { mail_7: 1 } }],
    [
      "8.2: a task that fails is not recorded",
      '(task "a" (mod 1 0))',
      {},
      { fail: { reason: "eval_error" }, journal: {} },
    ],
    ["8.2: records before an error stay", '(do (task "a" 1) (mod 1 0))', {}, { journal: { a: 1 } }],
    [
      "8.2: fail inside a task records nothing",
      '(task "a" (fail "no"))',
      {},
      { fail: { reason: "failed" }, journal: {} },
    ],
    ["8.2: tasks may be nested", '(task "a" (task "b" 1))', {}, { journal: { a: 1, b: 1 } }],
    ["8.2: a function cannot be recorded", '(task "a" (fn [x] x))', {}, { fail: { details: { code: "type_error" } } }],
    [
      "8.2: a task in a builtin's function is recorded",
      '(map (fn [n] (task (str "t" n) n)) [1 2])',
      {},
      { journal: { t1: 1, t2: 2 } },
    ],
    ["8.3: step-done gives its summary", '(step-done "1" "done")', {}, { ok: "done" }],
    ["8.3: step-done refuses nil", '(step-done "1" nil)', {}, { fail: { details: { code: "type_error" } } }],
    ["8.4: task-reset forgets a record", '(task-reset "a")', { a: 1 }, { ok: null, journal: {} }],
    ["8.4: task-reset of an unknown id does nothing", '(task-reset "zz")', { a: 1 }, { ok: null, journal: { a: 1 } }],
    [
      "8.4: task-reset in a builtin's function is refused",
      '(map (fn [n] (task-reset "a")) [1])',
      {},
      { fail: { details: { code: "unsupported_in_parallel" } } },
    ],
    [
      "8.1: fail ends the program with its value",
      '(do (fail {:reason :x :message "no"}) 1)',
      {},
      { fail: { reason: "failed", message: "no", value: { message: "no" } } },
    ],
    ["8.1: return ends the program with its value", "(do (return {:a 1}) 2)", {}, { ok: { a: 1 } }],
  ])("section %s", (_, program, journal, expected) => {
    const { journal: wanted, ...rest } = expected as { journal?: object };
    const answer = run(program, new Map(Object.entries(journal)));
    expect(answer).toMatchObject(rest);
    if (wanted !== undefined) expect(answer.journal).toEqual(wanted);
  });
});

describe("tools, data, memory (lisp reference, section 9)", () => {
  const echo = { tools: { echo: (args: object) => args as never } };
  test.each<[string, string, RunLispOptions, object]>([
    ["9.1: arguments are a map", "(tool/echo {:a 1})", echo, { ok: { a: 1 } }],
    ["9.1: or keywords in pairs", "(tool/echo :a-b 1)", echo, { ok: { a_b: 1 } }],
    ["9.1: or none", "(tool/echo)", echo, { ok: {} }],
    ["9.1: positional arguments are refused", "(tool/echo 7)", echo, { fail: { reason: "invalid_tool_args" } }],
    [
      "9.1: a function cannot be passed",
      "(tool/echo {:f (fn [x] x)})",
      echo,
      { fail: { reason: "invalid_tool_args" } },
    ],
    ["9.1: infinity cannot be passed", "(tool/echo {:n (/ 1 0)})", echo, { fail: { reason: "invalid_tool_args" } }],
    [
      "6.4: unknown tools are refused before anything runs",
      "(do (tool/echo) (tool/eco))",
      echo,
      { fail: { reason: "tool_not_found" } },
    ],
    [
      "9.1: a tool that throws is a tool_error",
      "(tool/pay)",
      {
        tools: {
          pay: () => {
            throw new Error("no paper");
          },
        },
      },
      { fail: { reason: "tool_error", message: expect.stringContaining("no paper") } },
    ],
    ["9.3: data is read by name", "(+ data/n 1)", { data: { n: 1 } }, { ok: 2 }],
    ["9.3: absent data is nil", "(nil? data/zz)", {}, { ok: true }],
    ["9.3: data that begins with _ can be read", "data/_key", { data: { _key: "k" } }, { ok: "k" }],
    [
      "9.6: definitions of an earlier program are there",
      "(twice n)",
      { memory: runLisp("(def n 4) (defn twice [x] (* 2 x))").memory },
      { ok: 8 },
    ],
    [
      "9.6: an error keeps the definitions of before",
      "(do (def n 5) (mod 1 0))",
      { memory: { n: 4 } },
      { memory: { n: 4 } },
    ],
    [
      "15: a value that does not fit the signature is refused",
      '"x"',
      { signature: ":int" },
      { fail: { reason: "validation_error" } },
    ],
  ])("section %s", (_, program, options, expected) => expect(runLisp(program, options)).toMatchObject(expected));
});

describe("limits and errors (lisp reference, sections 13 and 14)", () => {
  test.each<[string, string, string]>([
    ["steps are limited", "(loop [n 0] (if (< n 900) (recur (+ n 0)) n))", "loop_limit_exceeded"],
    ["recursion is limited", "(defn f [n] (+ 1 (f n))) (f 1)", "eval_error"],
    ["memory is limited", "(count (reduce (fn [a _] (concat a a)) [1 2 3 4] (range 40)))", "memory_exceeded"],
  ])("%s", (_, program, reason) => expect(runLisp(program).fail?.reason).toBe(reason));
  test("symbols are limited to 10,000", () => {
    const many = Array.from({ length: 10_100 }, (_, i) => `:k${i}`).join(" ");
    expect(runLisp(`[${many}]`).fail?.reason).toBe("symbol_limit_exceeded");
  });
  test("the limits of the table are the defaults", () =>
    expect(LISP_LIMITS).toMatchObject({ max_iterations: 1000, max_print_chars: 2000, max_tool_calls: null }));
  test("a failure has reason, message, code and place", () =>
    expect(runLisp("(do\n  (mod 1 0))").fail).toMatchObject({
      reason: "eval_error",
      message: expect.stringMatching(/zero/),
      details: { code: "arithmetic_error" },
      line: 2,
    }));
  test("prints before an error are kept", () => expect(runLisp('(do (println "a") (mod 1 0))').prints).toEqual(["a"]));
  test("a hint names a similar name", () =>
    expect(runLisp("(map-indxed inc [1])").fail?.message).toContain("map-indexed"));
});

describe("signatures (lisp reference, section 15)", () => {
  test.each([
    ["(a :int, b [:string]) -> {n :int?}", "(a :int, b [:string]) -> {n :int?}"],
    ["{total :float}", "() -> {total :float}"],
    [":any", "() -> :any"],
  ])("15.1: %s is read and written", (text, again) => expect(renderSignature(parseSignature(text))).toBe(again));
  test.each([":list", "[]", "", "(a :int) ->", "[:int]?", "{a :int,}"])("15.1: %p is refused", (text) =>
    expect(() => parseSignature(text)).toThrow(),
  );
  test.each<[string, unknown, boolean]>([
    [":int", 4, true],
    [":string", "a", true],
    [":bool", true, true],
    [":any", null, true],
    [":int?", null, true],
    [":int", null, false],
    [":int", "4", false],
  ])("15.1: %s and %p", (type, value, fits) => {
    const { output } = parseSignature(type);
    const given = typeof value === "number" ? runLisp(String(value)).ok : value;
    expect(checkValue(output, given as never).length === 0).toBe(fits);
  });
  test("15.2: messages name the expected and the received type", () =>
    expect(runLisp('{:items [{:id "x"}]}', { signature: "{items [{id :int}], n :int}" }).fail?.message).toBe(
      "return.items[0].id: expected int, got string; return.n: expected field, got nil",
    ));
  test.each<[string, unknown, object]>([
    [":int", "42", { ok: true, value: 42 }],
    [":bool", "true", { ok: true, value: true }],
    [":string", "a", { ok: true, value: "a", warnings: [] }],
    [":int", "x", { ok: false }],
  ])("15.3: %s from %p", (type, value, expected) =>
    expect(coerceValue(parseSignature(type).output, value as never)).toMatchObject(expected),
  );
  test("15.4: a list at the root is wrapped for providers", () =>
    expect(outputSchema(parseSignature("[:int]").output)).toMatchObject({ type: "object", required: ["items"] }));
});

/** What models are told (lisp reference, section 19). */
describe("the language card (lisp reference, section 19)", () => {
  const whole = languageCard(new Set(["loop", "tools", "journal"]), 512);
  const single = languageCard(new Set(["single"]), 512);
  test.each([
    ["one program in one fenced block", /fenced block/],
    ["turns show only what was printed", /println/],
    ["return and fail end the work", /\(return v\)[\s\S]*\(fail/],
    ["tools take named arguments", /named arguments/],
    ["task remembers its result", /\(task "/],
    ["step-done at top level", /step-done[\s\S]*top level/],
    ["what to write instead of other Clojure", /instead of \| write/],
  ])("it says: %s", (_, text) => expect(whole).toMatch(text));
  test("a single shot is told that its last value is the answer", () => expect(single).toMatch(/last expression/));
  test("a single shot is told nothing of turns and the journal", () => expect(single).not.toMatch(/task-reset|\*1/));
  test("each example of the card runs", () => {
    const programs = [...whole.matchAll(/```clojure\n([\s\S]*?)```/g)].map(([, code]) => code as string);
    expect(programs.length).toBeGreaterThan(0);
    for (const code of programs)
      expect(runLisp(code, { tools: { "list-tickets": () => [] } }).fail?.reason).not.toBe("parse_error");
  });
});

test("the values of expressions are the same in an agent's program", async () => {
  const rows = LISP_ROWS.filter(({ plain }) => plain);
  const { step } = await runInMemory("Evaluate.", { script: [programOfRows(rows)] });
  expect(rows.length).toBeGreaterThan(100);
  expect(step).toMatchObject({ fail: null, return: rows.map(({ gives }) => gives) });
});
