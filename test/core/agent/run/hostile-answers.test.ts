import fc from "fast-check";
import { extractProgram } from "../../../../src/core/agent/reply/extract-program";
import { assertProperty } from "../../../support/run/property";
import { corpus } from "../../lisp/safety/material/corpus";
import { judged } from "../../lisp/safety/material/judge";

/** Whatever a model answers, there is one program in it or a reason why not. */

const MARKS = [
  ...["```clojure\n(+ 1 2)\n```", "```\n(str 1)\n```", "<lisp>(inc 1)</lisp>", "<clojure>[1]</clojure>"],
  ...[
    "```",
    "```clojure\n",
    "```lisp",
    "```lisp\n",
    "\n```",
    "``",
    "`",
    "````",
    "~~~",
    "```json\n{}\n```",
    "```clojure-x\n",
  ],
  ...[
    "<lisp>",
    "</lisp>",
    "<clojure>",
    "</clojure>",
    "<lisp",
    "< lisp>",
    "<LISP>",
    "#_",
    "#_#_",
    "#_(",
    ";",
    "\r\n",
    "\r",
    "\u2028",
  ],
  ...[
    "\u200b",
    "\ufeff",
    "“",
    "”",
    "’",
    "\ud800",
    "\0",
    '"',
    "\\",
    "(",
    ")",
    "[",
    "{",
    "I would do this:\n\n",
    "$&",
    "$1",
    "__proto__",
  ],
];

const answers = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.constantFrom(...corpus()), fc.string({ maxLength: 8 })), {
    maxLength: 9,
  })
  .map((parts) => parts.join(""));

test("every answer is one program, or has a reason why there is none", () => {
  const seen = new Set<string>();
  assertProperty(
    fc.property(answers, (answer) => {
      const found = extractProgram(answer);
      const again = extractProgram(answer);
      if (JSON.stringify(found) !== JSON.stringify(again)) throw new Error("not the same twice");
      seen.add(found.ok ? "a program" : found.code);
      if (found.kept.length > answer.length) throw new Error("more is kept than was said");
      if (!found.ok) {
        if (found.message.length > 200) throw new Error("too much is told");
        return;
      }
      // A straight quote within typographic ones gets a backslash.
      const quotes = answer.split('"').length - 1;
      if (found.source.length > answer.length + quotes) throw new Error("the program is longer than the answer");
      judged(found.source);
    }),
    { numRuns: 6_000, examples: [["```clojure\n1\n```\n```clojure\n2\n```"]] },
  );
  expect([...seen].sort()).toEqual(["a program", "no_code", "several_blocks"]);
});

// Each took time with the square of its length: these would not come to their end.
test.each([
  "<lisp>",
  "<clojure><lisp>",
  "<lisp></clojure>",
  "```lisp\n",
  "```",
  "``",
  "#_",
  "#_(",
  '#_"',
  "#_ ;",
  "(#_",
  "\r",
])("an answer that repeats %s endlessly is read at once", (unit) => {
  const found = extractProgram(unit.repeat(Math.ceil(2_000_000 / unit.length)));
  expect(found).toMatchObject(found.ok ? { source: expect.any(String) } : { code: expect.any(String) });
});
