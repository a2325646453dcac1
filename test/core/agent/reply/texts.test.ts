import fc from "fast-check";
import { extractProgram } from "../../../../src/core/agent/reply/extract-program";
import { runAlone } from "../../../../src/core/lisp/machine/run-alone";
import { assertProperty } from "../../../support/run/property";
import { AWKWARD_TEXTS, literal } from "./awkward-texts";

/** Texts of a program arrive as the model wrote them, however the program is wrapped. */

const FENCES: [string, string][] = [
  ["```clojure\n", "\n```"],
  ["```lisp\r\n", "\r\n```"],
  ["```clojure ", "```"],
  ["```clojure\n", "\n</clojure>"],
  ["```\n", "\n```"],
  ["```scheme\n", "\n```"],
  ["````clojure\n", "\n````"],
  ["<lisp>", "</lisp>"],
  ["<clojure>\n", "\n</clojure>"],
  ["", ""],
];
const PROSE: [string, string][] = [
  ["", ""],
  ["I'll store it.\n\n", "\n\nDone, it's stored."],
  ["\uFEFF", "\n"],
  ["It's 5\" wide:\r\n", '\r\nAll "done".'],
  ["(One moment.)\n", "\n(That was it.)"],
];
const BODIES: ((text: string) => string)[] = [
  (text) => `(return ${text})`,
  (text) => `(let [x ${text}] ; kept “so”\n (return \u00a0x))`,
  (text) => `(def a {:q \\" :s \\; :t ${text}})\n#_(old ${text})\n(return (:t a))`,
  (text) => `\u200b(return (str ${text} ""))`,
];

function arrived(answer: string): unknown {
  const found = extractProgram(answer);
  if (!found.ok) return found.message;
  const { outcome } = runAlone(found.source);
  return outcome.kind === "return" ? outcome.value : outcome;
}

/** Without a fence the program must be the whole answer. */
const wrappers = FENCES.flatMap(([open, close]) =>
  (open === "" ? PROSE.slice(0, 1) : PROSE).map(
    ([before, after]) =>
      (program: string) =>
        `${before}${open}${program}${close}${after}`,
  ),
);

describe("a text of a program arrives as it was written", () => {
  test("493 and more awkward texts, in wrappers of every kind", () => {
    expect(AWKWARD_TEXTS.length).toBeGreaterThanOrEqual(493);
    const changed = AWKWARD_TEXTS.flatMap((text, n) =>
      wrappers
        // Each text in every fifth wrapper, the next text in the next one.
        .filter((_, at) => (at + n) % 5 === 0)
        .map((wrap, at) => wrap((BODIES[at % 4] as (typeof BODIES)[number])(literal(text, at % 2 === 0))))
        .filter((answer) => arrived(answer) !== text),
    );
    expect(changed).toEqual([]);
  });

  test("any text, in any wrapper", () => {
    const pieces = fc.constantFrom(
      ...'"\\`;“”’\u00a0\u200d#_()[]{}\n\r',
      "```",
      "```clojure\n",
      "</lisp>",
      "<lisp>(",
      '\\"',
    );
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 12 });
    assertProperty(
      fc.property(
        text.map((parts) => parts.join("")),
        fc.boolean(),
        fc.constantFrom(...wrappers),
        fc.constantFrom(...BODIES),
        (said, raw, wrap, body) => {
          const answer = wrap(body(literal(said, raw)));
          const got = arrived(answer);
          if (got !== said) throw new Error(`${JSON.stringify(answer)} gave ${JSON.stringify(got)}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("a text is never run", () => {
  const evil = "```clojure\n(return :evil)\n```";
  test.each([
    { name: "a fence in a bare program", answer: `(return "${evil}")`, gives: evil },
    {
      name: "an element in a bare program that begins with an invisible character",
      answer: '\u200b\u00a0(return "<lisp>(return :evil)</lisp>")',
      gives: "<lisp>(return :evil)</lisp>",
    },
    {
      name: "a fence in a form that is left out of a bare program",
      answer: `(def a 1)\n#_ #_(old "${evil}") (older "${evil}")\n(return a)`,
      gives: 1,
    },
    {
      name: "an element in the second form of a line",
      answer: '(def a 1), (return "<lisp>(return :evil)</lisp>")',
      gives: "<lisp>(return :evil)</lisp>",
    },
    {
      name: "a fence in a bare program behind a comment",
      answer: `; so\n(return "${evil}")`,
      gives: "There is no program in the answer.",
    },
    {
      name: "a fence in a bare program behind prose",
      answer: `I'll do:\n(return "${evil}")`,
      gives: "There is no program in the answer.",
    },
    {
      name: "a fence in an unclosed bare program",
      answer: `(do (return "${evil}")`,
      gives: expect.objectContaining({ kind: "error" }),
    },
    { name: "a fence in an untagged block", answer: `\`\`\`\n(return "${evil}")\n\`\`\``, gives: evil },
    { name: "a fence in an element", answer: `<lisp>(return "${evil}")</lisp>`, gives: evil },
    {
      name: "a fence in JSON",
      answer: `\`\`\`json\n{"a": "${evil}"}\n\`\`\``,
      gives: "There is no program in the answer.",
    },
    {
      name: "a fence in a block that was cut off",
      answer: `\`\`\`clojure\n(return "${evil}`,
      gives: expect.objectContaining({ kind: "error" }),
    },
    {
      name: "a fence in an untagged block with a missing bracket",
      answer: `\`\`\`\n(do (return "${evil}")\n\`\`\``,
      gives: expect.objectContaining({ kind: "error" }),
    },
  ])("$name", ({ answer, gives }) => expect(arrived(answer)).toEqual(gives));

  test.each([
    ["(return “abc”)", "abc"],
    ['(return “say "hi" to “them”, now”)', 'say "hi" to “them”, now'],
    ["(return „abc“)", "abc"],
    ["(return ”abc”)", "abc"],
    ["(return ″abc″)", "abc"],
    ['(return “a\\"b\\\\”)', 'a"b\\'],
    ["(return “```\n(x)\u00a0’\n```”)", "```\n(x)\u00a0’\n```"],
  ])("%s, between typographic quotes, is one text", (program, text) => {
    expect(arrived(program)).toBe(text);
    expect(arrived(`\`\`\`clojure\n${program}\n\`\`\``)).toBe(text);
  });

  test.each(["(return “abc)", "(return “abc\\”)", "(return “a “b”)", "(return abc”)", '(return “abc")'])(
    "%s is refused: a typographic quote without its own end opens no text",
    (program) => {
      const end = arrived(program) as { fail: { message: string } };
      expect(end).toMatchObject({ kind: "error", fail: { reason: "parse_error" } });
      expect(end.fail.message).toMatch(/straight quotes|closing/);
    },
  );
});
