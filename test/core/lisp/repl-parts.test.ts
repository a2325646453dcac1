import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { historyFile, LispHistory } from "../../../src/cli/lisp/history";
import { endOfText, excerpt, isComplete } from "../../../src/cli/lisp/input";
import { completions, describeName, docRequest, interruptible } from "../../../src/cli/lisp/repl";
import { LispSession, renderEnd } from "../../../src/cli/lisp/session";

import { SPECIAL_FORMS } from "../../../src/core/lisp/compile/special-forms";

test.each([
  ["(+ 1", 1],
  ["[(a) {", 2],
  ['(str "(" ; )\n', 1],
  ["\\(", 0],
  [")))", 0],
  ["([)", 0],
])("%j leaves %d brackets open", (text, open) => expect(endOfText(text).open).toBe(open));

test.each([
  ["(+ 1 2)", true],
  ["(+ 1", false],
  ['"abc', false],
  ['(str "abc', false],
  ["1 ; (", true],
  // Nothing can follow that would mend it: the error is told at once.
  ["(let [x 1)", true],
  ["", true],
])("%j is complete: %s", (text, complete) => expect(isComplete(text)).toBe(complete));

test.each([
  ["(a)\n\t(b c)", 2, 5, "2 | \t(b c)\n  | \t   ^"],
  ["(a)", 7, 1, ""],
  ['(str "日本" x)', 1, 11, '1 | (str "日本" x)\n  |             ^'],
  ['(str "e\u0301" x)', 1, 11, '1 | (str "e\u0301" x)\n  |          ^'],
  ["(a\r\n b)", 1, 1, "1 | (a\n  | ^"],
])("the place in %j, %d:%d, is marked", (source, line, column, text) => {
  expect(excerpt(source, line, column)).toBe(text);
});

test("an error is shown with its line and a mark below its place", () => {
  const end = new LispSession(() => 0).run("(let [x 1]\n  (inc nil))");
  expect(renderEnd("(let [x 1]\n  (inc nil))", end)).toEqual({
    failed: true,
    text: "eval_error, type_error: inc: invalid argument types: nil\n2 |   (inc nil))\n  |   ^",
  });
});

test("a session keeps definitions, journal and last results, and nothing from a failed input", () => {
  const session = new LispSession(() => 0);
  const run = (source: string) => renderEnd(source, session.run(source)).text;
  const inputs = ["(def x 2)", "(* x 21)", "*1", "(def y 1) (inc nil)", "(+ y 1)", "[*1 *2 *3]"];
  expect(inputs.map(run)).toEqual([
    "#'x",
    "42",
    "42",
    expect.stringMatching(/type_error/),
    expect.stringMatching(/Undefined variable/),
    "[42 42 #'x]",
  ]);
});

test.each([
  [" (doc take-while) ", "take-while"],
  ['(doc "->>")', "->>"],
  ["doc take", "take"],
  ["(doc f x)", undefined],
  ["(map doc xs)", undefined],
])("%j asks for %s", (source, name) => expect(docRequest(source)).toBe(name));

test.each([
  ["take", /^\(take n coll\)\n {2}The first n/],
  ["str/join", /^\(join coll\)/],
  ["Math/sqrt", /^\(sqrt x\)/],
  ["let", /^\(let \[pattern value \.\.\.\] body\)\n/],
  ["NaN", /^NaN is ##NaN$/],
  ["area", /^\(area w & more\)\n {2}of things$/],
  ["size", /^size is \[1 2 3 4 5 \.\.\.\]/],
  ["filtre", /did you mean filter/],
  ["zipmap", /not available: use \(into/],
  ["x-y-z", /^There is no x-y-z\.$/],
])("(doc %s) tells %s", (name, text) => {
  const session = new LispSession(() => 0);
  session.run('(defn area "of things" [w & more] w) (def size (range 1 9))');
  expect(describeName(name, session.memory)).toMatch(text);
});

test("every special form has its documentation", () => {
  for (const [name, { doc }] of SPECIAL_FORMS) {
    for (const one of doc.usage) expect(one.startsWith(`(${name} `)).toBe(true);
    expect(doc.text).toMatch(/\.$/);
  }
});

test.each([
  ["(take-w", ["take-while"], "take-w"],
  ["(str/jo", ["str/join"], "str/jo"],
  ["(when-", ["when-let", "when-not"], "when-"],
  ["(let [my-orders 1] my-o", ["my-own"], "my-o"],
  ['(str "tak', [], ""],
  ["; tak", [], ""],
  ["(map :tak", [], "tak"],
  ["", ["  "], ""],
])("Tab behind %j offers %j", (text, names, typed) => {
  const [offered, part] = completions(text, ["my-own"]);
  expect(offered).toEqual(names);
  if (names.length > 0) expect(part).toBe(typed);
});

describe("the history of inputs", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "navigator-history-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("survives the session, newest first, each input once and on one line, readable by this user only", () => {
    const file = historyFile({ XDG_STATE_HOME: folder });
    const first = new LispHistory(file);
    first.add("(+ 1 2)");
    first.add("(defn f [x]\n  (* x x))");
    first.add("(str ; why\n  1)");
    first.add("(+ 1 2)");
    expect(new LispHistory(file).entries).toEqual(["(+ 1 2)", "  1)", "(str ; why", "(defn f [x] (* x x))"]);
    expect(new LispHistory(file).entries).toEqual(first.entries);
    if (process.platform !== "win32") {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    }
  });

  test("is shortened when it is long", () => {
    const file = path.join(folder, "history");
    writeFileSync(file, Array.from({ length: 3_000 }, (_, i) => `(f ${i})`).join("\n"));
    expect(new LispHistory(file).entries[0]).toBe("(f 2999)");
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1_000);
  });

  test("that cannot be kept, or must not be kept, ends with the session", () => {
    const blocked = new LispHistory(path.join(folder, "file", "history"));
    writeFileSync(path.join(folder, "file"), "");
    blocked.add("(+ 1 2)");
    const none = new LispHistory(undefined);
    none.add("(+ 1 2)");
    expect([blocked.entries, none.entries]).toEqual([["(+ 1 2)"], ["(+ 1 2)"]]);
    expect(existsSync(path.join(folder, "navigator"))).toBe(false);
  });
});

test("work that is not interrupted gives its value, or its own error", () => {
  expect(interruptible(() => 42)).toEqual({ value: 42 });
  expect(() =>
    interruptible(() => {
      throw new TypeError("own");
    }),
  ).toThrow("own");
});
