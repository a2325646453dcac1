import type { Value } from "../values/values";

/** The tokens of a program (lisp reference, section 3.2). */

// Not exported: exports of a module are frozen in workflows, and these expressions store their position.
const PATTERNS = {
  FLOAT: /-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/y,
  INTEGER: /-?[0-9]+/y,
  KEYWORD: /:[a-zA-Z0-9+\-*<>=?!_]+/y,
  SYMBOL: /[a-zA-Z+\-*/<>=?!_%.&][a-zA-Z0-9+\-*/<>=?!_%.&]*/y,
  VAR_NAME: /#'([a-zA-Z+\-*/<>=?!_][a-zA-Z0-9+\-*/<>=?!_]*)/y,
  SPECIAL_FLOAT: /##(-?Inf|NaN)/y,
  COMMENT: /;[^\n\r]*/y,
};

/** The token of a kind at a position of the text. */
export function tokenAt(kind: keyof typeof PATTERNS, text: string, at: number): RegExpExecArray | null {
  const pattern = PATTERNS[kind];
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Digits of an integer; calculations have the same limit (lisp reference, section 13). */
export const MAX_DIGITS = 10_000;
export const BLANKS = " \t\r,";
export const NAMED_CHARACTERS: [string, string][] = [
  ["newline", "\n"],
  ["space", " "],
  ["tab", "\t"],
  ["return", "\r"],
  ["backspace", "\b"],
  ["formfeed", "\f"],
];
export const WORDS: Record<string, Value> = { nil: null, true: true, false: false };
export const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"' };

/** An integer of any size: a number while it is safe, else a bigint. */
export function integerOf(digits: string): number | bigint {
  const n = Number(digits);
  return Number.isSafeInteger(n) ? n + 0 : BigInt(digits);
}
