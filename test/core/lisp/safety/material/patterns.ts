import fc from "fast-check";

/** Patterns of every kind, most of them ill-meant, over texts that make searching them hard. */

const PIECES = [
  ...[
    "a",
    "b",
    "ab",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\S",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\A",
    "\\z",
    "\\Z",
    "\\R",
    "\\N",
    "\\h",
    "\\v",
  ],
  ...[
    "[a-z]",
    "[^a]",
    "[\\w-]",
    "[]a]",
    "[^]]",
    "[[:alpha:]]",
    "[[:^digit:]x]",
    "[a-",
    "[",
    "]",
    "[z-a]",
    "[\\d-z]",
    "[\\b]",
  ],
  ...[
    "\\p{L}",
    "\\P{Lu}",
    "\\pN",
    "\\p{^Nd}",
    "\\p{Greek}",
    "\\p{Script=Han}",
    "\\p{constructor}",
    "\\p{",
    "\\x41",
    "\\x{1f600}",
  ],
  ...[
    "\\x{110000}",
    "\\u0061",
    "\\u{61}",
    "\\0",
    "\\1",
    "\\k<a>",
    "\\g1",
    "\\Qa\\E",
    "\\K",
    "\\G",
    "\\X",
    "\\",
    "\\\\",
    "\\.",
    "\\-",
  ],
  ...[
    "(?i)",
    "(?m)",
    "(?s)",
    "(?x) # c\n",
    "(?-i)",
    "(?i:",
    "(?:",
    "(",
    ")",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?<n>",
    "(?P<n>",
  ],
  ...[
    "(?'n'",
    "(?#c)",
    "(?(1)",
    "(?R)",
    "(?1)",
    "(*FAIL)",
    "|",
    "||",
    "()",
    "(|)",
    "(?:|a)",
    "\u{1f600}",
    "é",
    "\u0130",
    "ß",
    "\u017f",
  ],
  ...[
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "*+",
    "++",
    "{2}",
    "{2,}",
    "{0}",
    "{0,0}",
    "{3,1}",
    "{1,9999}",
    "{9999}",
    "{99999}",
    "{,2}",
    "{",
  ],
  ...["}", "{500}", "{0,300}", "{30}", "{2}{2}", "-", "/", "&", "~", "\n", "\t", " "],
];

const random = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(""));

/** The families that bring a backtracking engine to its knees. */
const ATOMS = ["a", "[ab]", ".", "\\w", "(a|aa)", "(a|a)", "(?:a?)", "(a*)", "(?i:A)", "(?=a)a", "\\p{L}"];
export const hardPatterns = fc
  .tuple(
    fc.constantFrom(...ATOMS),
    fc.array(fc.constantFrom("*", "+", "?", "*?", "+?", "{1,30}", "{0,9}", "{2,}"), { minLength: 1, maxLength: 4 }),
    fc.constantFrom("$", "b", "\\z", "!", "(?!a)", "(?<=b)", "\\b", ""),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([atom, repeats, end, times]) => {
    const one = repeats.reduce((inner, repeat) => `(${inner}${repeat})`, atom);
    return `${one.repeat(times)}${end}`;
  });

const well = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  piece: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", ".", "\\d", "[^b]", "\\b", "^", "$", "\\p{Ll}", "(?i)"),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?=", "(?!", "(?<=", "(?i:"), tie("pattern"), tie("pattern"))
      .map(([open, x, y]) => `${open}${x}|${y})`),
    fc.tuple(fc.constantFrom("a", "[ab]", "\\w"), fc.constantFrom("*", "+?", "{2,5}", "{0,40}")).map(([x, y]) => x + y),
    fc.tuple(tie("pattern"), fc.constantFrom("*", "+", "{3}", "??")).map(([x, y]) => `(${x})${y}`),
  ),
})).pattern;

const TEXTS = [
  ...[
    '""',
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"',
    '"abababab 12 \\n ab"',
    '"AbC é \u{1f600}\u{1f600} ß\u0130"',
    '"\ud800a\udc00"',
  ],
  ...[
    '(apply str (map (fn [_] "a") (range 3000)))',
    '(str (reduce (fn [s _] (str s s)) "ab" (range 9)) "!")',
    '(join "\\n" (range 200))',
  ],
];
const USES = [
  ...[
    "(re-find P T)",
    "(re-matches P T)",
    "(re-seq P T)",
    "(re-split P T)",
    "(split T P)",
    '(replace T P "<&\\\\1>")',
    "(extract P T 1)",
  ],
  ...[
    "(extract-int P T 0 :none)",
    "(str P)",
    "(= P P)",
    "{P 1}",
    "(def kept P)",
    '(map (fn [t] (re-find P t)) [T "" "b"])',
  ],
];

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** A program that uses a pattern, written in it or made by it. */
export const searching: fc.Arbitrary<string> = fc
  .tuple(fc.oneof(random, hardPatterns, well), fc.constantFrom(...TEXTS), fc.constantFrom(...USES), fc.boolean())
  .map(([pattern, text, use, made]) => {
    const literal = made ? `(re-pattern ${quoted(pattern)})` : `#${quoted(pattern)}`;
    return use.replace(/\b[PT]\b/g, (hole) => (hole === "P" ? literal : text));
  });
