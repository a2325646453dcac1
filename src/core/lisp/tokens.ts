import type { Value } from "./values";

/** What the smallest parts of a program look like (language reference, section 3.2). */

export const FLOAT = /-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/y;
/** More than calculating gives either (limits, section 13). */
export const MAX_DIGITS = 10_000;
export const INTEGER = /-?[0-9]+/y;
export const KEYWORD = /:[a-zA-Z0-9+\-*<>=?!_]+/y;
export const SYMBOL = /[a-zA-Z+\-*/<>=?!_%.&][a-zA-Z0-9+\-*/<>=?!_%.&]*/y;
export const VAR_NAME = /#'([a-zA-Z+\-*/<>=?!_][a-zA-Z0-9+\-*/<>=?!_]*)/y;
export const SPECIAL_FLOAT = /##(-?Inf|NaN)/y;
export const COMMENT = /;[^\n\r]*/y;
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
