import { INFINITY, max, min, NAN, toNumber } from "../../base/intrinsics";
import { graphemeCount, graphemes, isPlain } from "../text/graphemes";
import { findLastText, findText, searchSteps, splitText } from "../text/text-search";
import type { BuiltinContext } from "../values/context";
import { type Description, inCard } from "../values/doc";
import { printValue, strValue } from "../values/print";
import { GROWTH, SLOT } from "../values/sizes";
import { Float, Regex, type Value } from "../values/values";
import { typeError } from "./builtin-errors";
import { type Args, alias, family, MANY } from "./define";
import { integerOfDigits, isInteger } from "./numbers";
import { replacePattern, splitPattern } from "./regex";
import { elements, isSet, isVector, vector } from "./sequence";

const { plain } = family("strings");

/** Charges for a text before it is built. */
function spendText(ctx: BuiltinContext, chars: number): void {
  ctx.charge(1 + (chars >> 5));
  ctx.allocate(24 + chars * 2);
}

/** Joins texts, after checking their total length. */
export function joinTexts(parts: readonly string[], separator: string, ctx: BuiltinContext): string {
  let length = 0;
  for (const part of parts) length += part.length + separator.length;
  spendText(ctx, length);
  return parts.join(separator);
}

function texts(name: string, args: readonly Value[]): string[] {
  for (const arg of args) if (typeof arg !== "string") throw typeError(name, args);
  return args as string[];
}

const bill = (ctx: BuiltinContext) => (steps: number) => ctx.charge(steps);

const conversion = (name: string, text: Description, convert: (s: string) => string) =>
  plain(name, 1, `(${name} s)`, text, ([s], ctx) => {
    const [subject] = texts(name, [s]) as [string];
    spendText(ctx, subject.length);
    return convert(subject);
  });

const test = (name: string, text: Description, matches: (s: string, part: string) => boolean) =>
  plain(name, 2, `(${name} s part)`, text, ([s, part], ctx) => {
    if (name === "includes?" && (isVector(s) || isSet(s)))
      throw typeError(name, [s, part], "for elements use contains?");
    const [subject, wanted] = texts(name, [s, part]) as [string, string];
    ctx.charge(1 + (subject.length >> 5) + searchSteps(subject, wanted));
    return matches(subject, wanted);
  });

/** A count of UTF-16 units as a count of characters. */
const characterIndex = (text: string, units: number): number => graphemeCount(text.slice(0, units));

/** The UTF-16 offset of a character index, clamped to the text. */
function unitIndex(text: string, index: number): number {
  if (isPlain(text)) return max(0, min(index, text.length));
  return graphemes(text).slice(0, max(0, index)).join("").length;
}

/** Charges for a search: counting the characters before the match is slow, unless all of them are plain. */
export function chargeSearch(text: string, ctx: BuiltinContext): void {
  ctx.charge(1 + (text.length >> 4));
  if (!isPlain(text)) ctx.charge(text.length >> 1);
}

/** Counts the graphemes of a text, and charges the search for them. */
export function countCharacters(text: string, ctx: BuiltinContext): number {
  chargeSearch(text, ctx);
  return graphemeCount(text);
}

/** Position of the first occurrence at or after a character index, or -1. */
export function indexOf(text: string, part: string, from: number): number {
  const start = max(0, from);
  if (part === "") return min(start, graphemeCount(text));
  const at = findText(text, part, unitIndex(text, start));
  return at < 0 || (start > 0 && start > graphemeCount(text)) ? -1 : characterIndex(text, at);
}

/** Start of the last occurrence at or before a character index (default: anywhere), or -1. */
export function lastIndexOf(text: string, part: string, from = INFINITY): number {
  if (from < 0) return -1;
  if (part === "") return min(from, graphemeCount(text));
  const at = findLastText(text, part, from === INFINITY ? text.length : unitIndex(text, from));
  return at < 0 ? -1 : characterIndex(text, at);
}

const position = (name: string, text: Description, find: (s: string, part: string, from?: number) => number) =>
  plain(name, [2, 3], [`(${name} s part)`, `(${name} s part from)`], text, (args, ctx) => {
    const [s, part, from] = args;
    if (typeof s !== "string" || typeof part !== "string" || (args.length === 3 && !isInteger(from)))
      throw typeError(name, args);
    chargeSearch(s, ctx);
    ctx.charge(searchSteps(s, part));
    const at = find(s, part, args.length === 3 ? toNumber(from) : undefined);
    return at < 0 ? null : at;
  });

function subs(args: Args, ctx: BuiltinContext): Value {
  const [s, start, end] = args;
  if (typeof s !== "string" || !isInteger(start) || (args.length === 3 && !isInteger(end)))
    throw typeError("subs", args);
  ctx.charge(1 + (s.length >> 5));
  // A part of a text shares the characters of the text.
  ctx.allocate(24);
  const from = max(0, toNumber(start));
  const to = args.length === 3 ? toNumber(end) : INFINITY;
  if (to <= from) return "";
  if (isPlain(s)) return s.slice(from, min(to, s.length));
  ctx.charge(s.length >> 1);
  ctx.reserve(GROWTH * s.length);
  ctx.allocate(2 * s.length);
  return graphemes(s).slice(from, to).join("");
}

/** Reserves memory for the parts of a text before they are made: there may be millions of them. */
const chargeFor = (ctx: BuiltinContext) => (parts: number) => ctx.reserve(2 * SLOT * parts);

function join(args: Args, ctx: BuiltinContext): Value {
  const separator = args.length === 2 ? args[0] : "";
  if (typeof separator !== "string") throw typeError("join", args, 'the separator comes first: (join ", " coll)');
  const items = elements("join", args, args[args.length - 1]!, "vst", ctx);
  return joinTexts(
    items.map((item) => strValue(item, bill(ctx))),
    separator,
    ctx,
  );
}

function split(args: Args, ctx: BuiltinContext): Value {
  const [s, separator] = args;
  if (typeof s !== "string") throw typeError("split", [s, separator]);
  if (separator instanceof Regex) return splitPattern(separator, s, ctx);
  if (typeof separator !== "string") throw typeError("split", [s, separator]);
  spendText(ctx, s.length);
  ctx.charge(searchSteps(s, separator));
  if (separator !== "") return vector(splitText(s, separator, chargeFor(ctx)), ctx);
  if (!isPlain(s)) ctx.charge(s.length >> 1);
  return vector(graphemes(s), ctx);
}

function replace(args: Args, ctx: BuiltinContext): Value {
  const [s, pattern, replacement] = args;
  if (typeof s !== "string" || typeof replacement !== "string") throw typeError("replace", args.slice(0, 3));
  if (pattern instanceof Regex) return replacePattern(pattern, s, replacement, ctx);
  if (typeof pattern !== "string") throw typeError("replace", args.slice(0, 3));
  ctx.charge((s.length >> 5) + searchSteps(s, pattern));
  if (pattern === "" && !isPlain(s)) ctx.charge(s.length >> 1);
  // An empty text is found before each character and at the end.
  const parts = pattern === "" ? ["", ...graphemes(s), ""] : splitText(s, pattern, chargeFor(ctx));
  ctx.charge(parts.length >> 3);
  return joinTexts(parts, replacement, ctx);
}

const upcase = conversion("upcase", "The text in capitals.", (s) => s.toUpperCase());
const downcase = conversion("downcase", "The text in small letters.", (s) => s.toLowerCase());

const parseLong = plain(
  "parse-long",
  1,
  "(parse-long s)",
  inCard("text", 16, "The integer in a text, or nil if the text is anything else."),
  ([s], ctx) => {
    if (typeof s !== "string" || s.length > 10_000) return null;
    ctx.charge(s.length >> 6);
    if (!/^[+-]?[0-9]+$/.test(s)) return null;
    return integerOfDigits(s, ctx);
  },
);

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["Infinity", INFINITY],
  ["+Infinity", INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["NaN", NAN],
]);

/** Strings (lisp reference, section 11.11). */
export const STRINGS = [
  plain(
    "str",
    [0, MANY],
    "(str & values)",
    inCard("text", 1, "The texts of the values, joined; nil is empty."),
    (args, ctx) => {
      if (args.length !== 2) {
        return joinTexts(
          args.map((arg) => strValue(arg, bill(ctx))),
          "",
          ctx,
        );
      }
      const left = strValue(args[0], ctx.charge);
      const right = strValue(args[1], ctx.charge);
      spendText(ctx, left.length + right.length);
      return left + right;
    },
  ),
  plain(
    "pr-str",
    [0, MANY],
    "(pr-str & values)",
    inCard("text", 2, "The values as code, separated by blanks."),
    (args, ctx) =>
      joinTexts(
        args.map((arg) => printValue(arg, { charge: bill(ctx) })),
        " ",
        ctx,
      ),
  ),
  plain(
    "subs",
    [2, 3],
    ["(subs s start)", "(subs s start end)"],
    inCard("text", 3, "Part of a text; positions outside are moved inside."),
    subs,
  ),
  plain("join", [1, 2], ["(join coll)", "(join separator coll)"], inCard("text", 4, "The elements as one text."), join),
  plain(
    "split",
    2,
    "(split s separator)",
    inCard("text", 5, "The parts between occurrences of a literal text or a pattern."),
    split,
  ),
  plain("split-lines", 1, "(split-lines s)", inCard("text", 6, "The lines of a text."), ([s], ctx) => {
    const [text] = texts("split-lines", [s]) as [string];
    spendText(ctx, text.length);
    ctx.charge(text.length >> 2);
    const lines = splitText(text, "\n", chargeFor(ctx)).map((line, i, all) =>
      i < all.length - 1 && line.endsWith("\r") ? line.slice(0, -1) : line,
    );
    while (lines.length > 0 && lines[lines.length - 1] === "") lines.pop();
    return vector(lines, ctx);
  }),
  conversion("trim", inCard("text", 7, "The text without blanks at its start and end."), (s) => s.trim()),
  plain(
    "replace",
    3,
    "(replace s pattern replacement)",
    inCard(
      "text",
      8,
      "The text with all occurrences replaced; in the replacement for a regex & is the match and \\1 a group.",
    ),
    replace,
  ),
  upcase,
  alias(upcase, "upper-case", [{ list: "text", place: 9 }]),
  downcase,
  alias(downcase, "lower-case", [{ list: "text", place: 10 }]),
  test("starts-with?", inCard("text", 11, "Whether the text begins with the part."), (s, part) => s.startsWith(part)),
  test("ends-with?", inCard("text", 12, "Whether the text ends with the part."), (s, part) => s.endsWith(part)),
  test("includes?", inCard("text", 13, "Whether the text contains the part."), (s, part) => findText(s, part) >= 0),
  position("index-of", inCard("text", 14, "Position of the first occurrence, or nil."), (s, part, from) =>
    indexOf(s, part, from ?? 0),
  ),
  position("last-index-of", inCard("text", 15, "Position of the last occurrence, or nil."), lastIndexOf),
  parseLong,
  alias(parseLong, "parse-int"),
  plain(
    "parse-double",
    1,
    "(parse-double s)",
    inCard("text", 17, "The float in a text, or nil if the text is anything else."),
    ([s], ctx) => {
      if (typeof s !== "string") return null;
      ctx.charge(1 + (s.length >> 4));
      const special = SPECIAL.get(s);
      if (special !== undefined) return new Float(special);
      return /^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(s) ? new Float(toNumber(s)) : null;
    },
  ),
];
