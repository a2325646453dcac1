import fc from "fast-check";
import { Matcher } from "../../../../src/core/lisp/regex/match";
import { compilePatternText, type PatternProgram } from "../../../../src/core/lisp/regex/program";
import { assertProperty } from "../../../support/run/property";

/** The pattern engine remembers what failed: it must find what one without memory finds, and what the host's finds. */

const free = { charge: () => {}, allocate: () => {}, reserve: () => {} };

/** Patterns with loops over nothing and looks in every place: where remembering is hard. */
const { tricky } = fc.letrec<{ tricky: string; piece: string; atom: string }>((tie) => ({
  tricky: fc
    .array(
      fc.array(tie("piece"), { maxLength: 3 }).map((pieces) => pieces.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((options) => options.join("|")),
  piece: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}?", "{2,}"))
    .map(([atom, count]) => (/^\(\?[=!<]|^\\b|^[\^$]/.test(atom) ? atom : atom + count)),
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "[ab]", ".", "^", "$", "\\b", "()", "(?:)"),
    ...["(", "(?:", "(?=", "(?!"].map((open) => tie("tricky").map((inner) => `${open}${inner})`)),
    fc.constantFrom("(?<=a)", "(?<!b)", "(?<=ab|b)", "(?<=(a)b?)"),
  ),
}));

const text = (...characters: string[]) =>
  fc.array(fc.constantFrom(...characters), { maxLength: 10 }).map((parts) => parts.join(""));

function compiled(source: string): PatternProgram | undefined {
  try {
    return compilePatternText(source);
  } catch {
    return undefined;
  }
}

/** Asked half a million times, where `expect` takes its time. */
function alike(found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`found ${one}, expected ${other}`);
}

test("earlier searches do not change the result", () => {
  assertProperty(
    fc.property(tricky, text("a", "b", "\n"), fc.array(fc.nat(9), { maxLength: 8 }), (source, subject, before) => {
      const program = compiled(source);
      fc.pre(program !== undefined);
      const used = new Matcher(program, subject, free);
      const from = before.map((n) => n % (subject.length + 1));
      for (const start of [...from, ...Array.from({ length: subject.length + 1 }, (_, i) => i), ...from]) {
        alike(used.search(start), new Matcher(program, subject, free).search(start));
        if (start % 3 === 0) alike(used.whole(), new Matcher(program, subject, free).whole());
      }
    }),
    { numRuns: 8_000 },
  );
});

test("a search from an offset gives the result of a search that starts there", () => {
  assertProperty(
    fc.property(tricky, text("a", "b"), (source, subject) => {
      const program = compiled(source);
      // What stands before the offset is seen by these.
      fc.pre(program !== undefined && !/\\b|\^|\(\?</.test(source));
      for (let from = 0; from <= subject.length; from++) {
        const rest = new Matcher(program, subject.slice(from), free).search(0);
        const moved = rest?.map((offset) => (offset < 0 ? offset : offset + from)) ?? null;
        alike(new Matcher(program, subject, free).search(from), moved);
      }
    }),
    { numRuns: 8_000 },
  );
});

/** Patterns that are written differently for us and for the host, and mean the same on plain texts. */
interface Pair {
  own: string;
  host: string;
}
const same = (source: string): Pair => ({ own: source, host: source });
const joined = (parts: Pair[], separator = ""): Pair => ({
  own: parts.map(({ own }) => own).join(separator),
  host: parts.map(({ host }) => host).join(separator),
});
const around = (open: string, { own, host }: Pair, close: string): Pair => ({
  own: open + own + close,
  host: open + host + close,
});

const { pattern } = fc.letrec<{ pattern: Pair; piece: Pair; atom: Pair }>((tie) => ({
  pattern: fc
    .array(
      fc.array(tie("piece"), { maxLength: 4 }).map((pieces) => joined(pieces)),
      { minLength: 1, maxLength: 3 },
    )
    .map((options) => joined(options, "|")),
  // A repeated group always takes a character: for repetitions of nothing the host has rules of its own.
  piece: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "{2}", "{1,3}", "{0,2}?"))
    .map(([atom, count]) => {
      if (count === "" || /^(\(\?[=!<]|\\[bAzZ]|\^|\$)/.test(atom.own)) return atom;
      return atom.own.startsWith("(")
        ? around("(?:", joined([atom, same("[ab1]")]), `)${count}`)
        : around("", atom, count);
    }),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      ...[
        "a",
        "b",
        "1",
        "[ab]",
        "[^a]",
        "\\d",
        "\\D",
        "\\w",
        "\\W",
        "\\s",
        "\\b",
        "\\B",
        "\\n",
        "[a-b1\\s]",
        "\\x61",
      ].map(same),
      ...["(?<=a)", "(?<!1)", "(?<=a1|b)", "\\p{L}", "[\\p{N}_]", "\\."].map(same),
      { own: "^", host: "(?<![\\s\\S])" },
      { own: "$", host: "(?=\\n?(?![\\s\\S]))" },
      { own: "\\z", host: "(?![\\s\\S])" },
      { own: "(?m:^)", host: "(?<=\\n|(?<![\\s\\S]))" },
      { own: "(?m:$)", host: "(?=\\n|(?![\\s\\S]))" },
      { own: ".", host: "[^\\n]" },
      { own: "(?s:.)", host: "[\\s\\S]" },
      { own: "(?i:B)", host: "[bB]" },
      { own: "\\R", host: "\\n" },
      { own: "[[:digit:]a]", host: "[0-9a]" },
    ),
    tie("pattern").chain((inner) => fc.constantFrom("(", "(?:", "(?=", "(?!").map((open) => around(open, inner, ")"))),
  ),
}));

test("all matches are those that the host's engine finds", () => {
  assertProperty(
    fc.property(pattern, text("a", "b", "B", "1", " ", "\n"), ({ own, host }, subject) => {
      const program = compiled(own);
      fc.pre(program !== undefined);
      const matcher = new Matcher(program, subject, free);
      const found: [number, number][] = [];
      for (let from = 0; from <= subject.length; ) {
        const slots = matcher.search(from);
        if (slots === null) break;
        const [start, end] = slots as [number, number];
        found.push([start, end]);
        from = start === end ? matcher.after(end) : end;
      }
      const expected = [...subject.matchAll(new RegExp(host, "gu"))].map((one) => [
        one.index,
        one.index + one[0].length,
      ]);
      alike(found, expected);
    }),
    { numRuns: 8_000 },
  );
});
