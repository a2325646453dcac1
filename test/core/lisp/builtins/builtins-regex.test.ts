import fc from "fast-check";
import { compileRegex } from "../../../../src/core/lisp/builtins/regex";
import { Matcher } from "../../../../src/core/lisp/regex/match";
import { assertProperty } from "../../../support/run/property";

const free = { charge: () => {}, allocate: () => {}, reserve: () => {} };

/** Patterns that mean the same to us and to the host. */
const { pattern } = fc.letrec<{ pattern: string; piece: string; atom: string }>((tie) => ({
  pattern: fc
    .array(
      fc.array(tie("piece"), { maxLength: 4 }).map((pieces) => pieces.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((options) => options.join("|")),
  // A repeated group always takes a character: for repetitions of nothing the host has rules of its own.
  piece: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}?", "{2,}"))
    .map(([atom, count]) => {
      if (count === "" || /^\(\?[=!<]|^\\b|^\^/.test(atom)) return atom;
      return atom.startsWith("(") ? `(?:${atom}[ab])${count}` : atom + count;
    }),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "b", "[ab]", "[^a]", "\\x61", "\u{1f600}", "[b\u{1f600}]", "^", "\\bb", "[a-b]"),
    tie("pattern").map((inner) => `(${inner})`),
    tie("pattern").map((inner) => `(?:${inner})`),
    tie("pattern").map((inner) => `(?=${inner})`),
    tie("pattern").map((inner) => `(?!${inner})`),
    fc.constantFrom("(?<=a)", "(?<!b)", "(?<=ab|b)", "(?<!\u{1f600})"),
  ),
}));
const text = fc.array(fc.constantFrom("a", "b", "\u{1f600}", " "), { maxLength: 12 }).map((parts) => parts.join(""));

test("a pattern finds what the host's engine finds, at the same place", () => {
  assertProperty(
    fc.property(pattern, text, (source, subject) => {
      fc.pre(Buffer.byteLength(source) <= 256);
      const host = new RegExp(source, "gu").exec(subject);
      // The host may find nothing in the middle of a surrogate pair; there is no character there.
      fc.pre(!/^[\udc00-\udfff]/.test(subject.slice(host?.index ?? subject.length)));
      const own = new Matcher(compileRegex(source).compiled, subject, free).search(0);
      expect(own && [own[0], own[1]]).toEqual(host && [host.index, host.index + host[0].length]);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  "(a+)+$",
  "(a|aa)+$",
  "(a|a|a)*b",
  "(.*)*x",
  "((a?){20}){20}b",
  "(\\w+\\s?)*!",
  "a*a*a*a*a*a*b",
  "(?=(a+)+b)a",
])("the cost of %s on a hostile text grows with its length only", (source) => {
  const cost = (length: number): number => {
    let steps = 0;
    new Matcher(compileRegex(source).compiled, `${"a".repeat(length)}\n`, {
      ...free,
      charge: (n) => {
        steps += n;
      },
    }).search(0);
    return steps;
  };
  expect(cost(4_000)).toBeLessThan(5 * cost(1_000));
});

test.each([
  ["*a", "nothing to repeat at position 0"],
  ["a**", "a quantifier after a quantifier at position 3"],
  ["[b-a]", "bad range"],
  ["(?>a)", "atomic groups"],
  ["\\k<a>", "backreferences"],
  ["\\Qa\\E", "\\Q is not supported"],
  ["\\p{Nope}", "unknown property Nope"],
  ["(?<=a*)b", "bounded length"],
  ["a)", "unmatched )"],
  ["x".repeat(257), "256 bytes"],
])("%s is refused with its reason", (source, reason) => {
  expect(() => compileRegex(source)).toThrow(
    expect.objectContaining({ code: "type_error", message: expect.stringContaining(reason) }),
  );
});
