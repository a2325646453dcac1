import fc from "fast-check";

/** Programs as people and models write them, with mistakes: tokens lost, doubled, swapped, brought in from elsewhere. */

const TOKEN = /"(?:[^"\\]|\\.)*"|;[^\n]*|#[({'"_]?|[()[\]{}]|\s+|[^\s()[\]{}";]+/gs;

const NOISE = [
  ...["\u200b", "\ufeff", "\u00a0", "\u0000", "\ud800", "\udc00", "\u202e", "é", "\u{1f600}", "“", "’", "\r", "\u2028"],
  ...[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#(",
    "#{",
    '"',
    "\\",
    ";",
    "#_",
    "#'",
    "##",
    "@",
    "`",
    "~@",
    "^",
    ":",
    "&",
    "%",
    "/",
  ],
  ...["nil", "*1", "-", "->", "0", "1e999", "##NaN", ":keys", ":as", "recur", "%3", "def", "fn", ".", "tool/", "data/"],
];

type Change = {
  kind: "drop" | "double" | "swap" | "noise" | "splice" | "cut";
  at: number;
  other: number;
  text: string;
};

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("drop", "drop", "double", "swap", "swap", "noise", "noise", "splice", "splice", "cut"),
  at: fc.nat(10_000),
  other: fc.nat(10_000),
  text: fc.constantFrom(...NOISE),
});

/** A program of the corpus with one to four mistakes. */
export const mutated = (corpus: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...corpus),
      fc.constantFrom(...corpus),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([text, other, changes, mended]) => {
      const tokens = changes.reduce<string[]>((all, one) => changed(all, one, tokensOf(other)), tokensOf(text));
      return (mended ? balanced(tokens) : tokens).join("");
    });

const CLOSES: Record<string, string> = { "(": ")", "[": "]", "{": "}", "#(": ")", "#{": "}" };

/** With brackets that match: past the reader there are other mistakes to make. */
function balanced(tokens: readonly string[]): string[] {
  const out: string[] = [];
  const open: string[] = [];
  for (const token of tokens) {
    const close = CLOSES[token];
    if (close !== undefined) open.push(close);
    out.push(/^[)\]}]$/.test(token) ? (open.pop() ?? "") : token);
  }
  return [...out, ...open.reverse()];
}

const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];

function changed(tokens: string[], { kind, at, other, text }: Change, foreign: string[]): string[] {
  const i = at % (tokens.length + 1);
  const j = other % (tokens.length + 1);
  switch (kind) {
    case "drop":
      return tokens.toSpliced(i, 1 + (other % 3));
    case "double":
      return tokens.toSpliced(i, 0, ...tokens.slice(i, i + 1 + (other % 8)));
    case "swap":
      return tokens.toSpliced(i, 1, tokens[j] ?? "").toSpliced(j, 1, tokens[i] ?? "");
    case "noise":
      return tokens.toSpliced(i, 0, text);
    case "splice":
      return tokens.toSpliced(i, other % 4, ...foreign.slice(j, j + 1 + (at % 12)));
    case "cut":
      return tokens.slice(Math.min(i, j), Math.max(i, j));
  }
}
