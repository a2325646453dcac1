import { utf8Bytes } from "../../base/bytes";
import { min, toNumber } from "../../base/intrinsics";
import { Matcher } from "../regex/match";
import { compilePatternText, type PatternProgram } from "../regex/program";
import { PatternError } from "../regex/tree";
import { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import { LispError } from "../values/errors";
import { GROWTH, VECTOR } from "../values/sizes";
import { Regex, type Value } from "../values/values";
import { typeError } from "./builtin-errors";
import { family } from "./define";
import { integerOfDigits, isInteger } from "./numbers";
import { vector } from "./sequence";

const { plain } = family("regex");

const MAX_PATTERN_BYTES = 256;
const MAX_INPUT_BYTES = 32_768;
/** The cost of compiling a pattern, besides the cost of its length. */
const COMPILE_STEPS = 64;
/** From this many steps on, a pattern repeats a lot and costs more to compile. */
const LARGE_PATTERN = 256;
/** The memory that a pattern takes: a base, and more for each character of its text and each step. */
const PATTERN_BYTES = 500;
const CHARACTER_BYTES = 64;
const STEP_BYTES = 48;

/**
 * A pattern from its source text: PCRE syntax as far as `regex/parse.ts` knows it, always Unicode.
 *
 * @throws type_error with the reason and position for a bad pattern, or one longer than 256 bytes
 */
export function compileRegex(source: string, ctx?: Pick<BuiltinContext, "charge" | "allocate">): Regex {
  ctx?.charge(COMPILE_STEPS + 2 * min(source.length, MAX_PATTERN_BYTES));
  if (utf8Bytes(source) > MAX_PATTERN_BYTES)
    throw new LispError("eval_error", "type_error", `regex is longer than ${MAX_PATTERN_BYTES} bytes`);
  const compiled = patternProgram(source);
  const { size } = compiled;
  ctx?.charge(size > LARGE_PATTERN ? size >> 1 : size >> 2);
  ctx?.allocate(PATTERN_BYTES + CHARACTER_BYTES * source.length + STEP_BYTES * size);
  return new Regex(source, compiled);
}

/**
 * The compiled form of a pattern.
 *
 * @throws type_error for a pattern that the engine refuses
 */
export function patternProgram(source: string): PatternProgram {
  try {
    return compilePatternText(source);
  } catch (error) {
    if (error instanceof PatternError) throw new LispError("eval_error", "type_error", error.message);
    throw error;
  }
}

/** The part of a text that is searched: its first 32,768 bytes (lisp reference, section 11.12). */
function searched(whole: string, ctx: BuiltinContext): string {
  if (whole.length * 3 <= MAX_INPUT_BYTES) return whole;
  ctx.charge(MAX_INPUT_BYTES >> 7);
  const text = whole.slice(0, MAX_INPUT_BYTES);
  if (utf8Bytes(text) <= MAX_INPUT_BYTES) return text;
  ctx.charge(MAX_INPUT_BYTES >> 5);
  let bytes = 0;
  let end = 0;
  for (const point of text) {
    bytes += utf8Bytes(point);
    if (bytes > MAX_INPUT_BYTES) break;
    end += point.length;
  }
  return text.slice(0, end);
}

/**
 * The match alone without groups, else the match and its groups up to the last that took part ("" for one before it
 * that did not).
 */
function matchValue(text: string, slots: number[], ctx: BuiltinContext): Value {
  // A part of a text shares the characters of the text.
  ctx.allocate(slots.length === 2 ? GROWTH : VECTOR + GROWTH * slots.length);
  const whole = text.slice(slots[0], slots[1]);
  if (slots.length === 2) return whole;
  return Vec.from([whole, ...groupTexts(text, slots)]);
}

function groupTexts(text: string, slots: number[]): string[] {
  const out: string[] = [];
  for (let i = 2; i < slots.length; i += 2) out.push(slots[i + 1]! < 0 ? "" : text.slice(slots[i], slots[i + 1]));
  let last = slots.length - 2;
  while (last >= 2 && slots[last + 1]! < 0) last -= 2;
  return out.slice(0, last / 2);
}

/** All matches that do not overlap, from the left. */
function* matches(pattern: Regex, text: string, ctx: BuiltinContext): Generator<number[]> {
  const matcher = new Matcher(pattern.compiled, text, ctx);
  let from = 0;
  while (from <= text.length) {
    const slots = matcher.search(from);
    if (slots === null) return;
    ctx.charge(1);
    ctx.allocate(GROWTH);
    yield slots;
    from = slots[1] === slots[0] ? matcher.after(slots[1]!) : slots[1]!;
  }
}

/** The parts between matches, with captured groups among them; empty parts are kept. */
export function splitPattern(pattern: Regex, text: string, ctx: BuiltinContext): Value {
  const parts: string[] = [];
  let last = 0;
  for (const slots of matches(pattern, text, ctx)) {
    ctx.allocate(GROWTH * slots.length);
    parts.push(text.slice(last, slots[0]), ...groupTexts(text, slots));
    last = slots[1]!;
  }
  parts.push(text.slice(last));
  return vector(parts, ctx);
}

/**
 * A replacement as texts and, by their numbers, groups: `&` is the match, `\1` or `\g{1}` a group, `\&` an ampersand.
 */
function templateOf(replacement: string): (string | number)[] {
  const template: (string | number)[] = [];
  let last = 0;
  for (const mark of replacement.matchAll(/\\g\{(\d+)\}|\\(\d)|\\([&\\])|&/g)) {
    const [whole, long, short, plainMark] = mark;
    template.push(replacement.slice(last, mark.index), plainMark ?? (whole === "&" ? 0 : toNumber(long ?? short)));
    last = mark.index + whole.length;
  }
  template.push(replacement.slice(last));
  return template.filter((part) => part !== "");
}

function groupText(text: string, slots: number[], group: number): string {
  const start = slots[group * 2] ?? -1;
  return start < 0 ? "" : text.slice(start, slots[group * 2 + 1]);
}

/** All matches replaced: in the replacement `&` is the match, `\1` or `\g{1}` a group, `\&` an ampersand. */
export function replacePattern(pattern: Regex, text: string, replacement: string, ctx: BuiltinContext): Value {
  ctx.charge(replacement.length >> 3);
  const template = templateOf(replacement);
  const parts: string[] = [];
  let last = 0;
  for (const slots of matches(pattern, text, ctx)) {
    ctx.charge(4 + (replacement.length >> 6) + (template.length >> 2));
    const filled = template.map((part) => (typeof part === "string" ? part : groupText(text, slots, part)));
    // Charged before it is built: a long match that is repeated often can exceed the longest text of the host.
    ctx.allocate(2 * GROWTH + 2 * filled.reduce((length, part) => length + part.length, 0));
    parts.push(text.slice(last, slots[0]), filled.join(""));
    last = slots[1]!;
  }
  parts.push(text.slice(last));
  ctx.allocate(2 * text.length);
  return parts.join("");
}

function subject(name: string, args: readonly Value[], ctx: BuiltinContext): [Regex, string] {
  const [pattern, text] = args;
  if (!(pattern instanceof Regex) || typeof text !== "string")
    throw typeError(
      name,
      args,
      typeof pattern === "string" ? 'make a pattern of the text: #"..." or (re-pattern s)' : undefined,
    );
  return [pattern, searched(text, ctx)];
}

/** The text of a group in the first match of a pattern (a regex or its source), or undefined. */
function extracted(name: string, args: readonly Value[], ctx: BuiltinContext): string | undefined {
  const [given, text, group = 1] = args;
  const pattern = typeof given === "string" ? compileRegex(given, ctx) : given;
  if (!(pattern instanceof Regex) || typeof text !== "string" || !isInteger(group)) throw typeError(name, args);
  const part = searched(text, ctx);
  const slots = new Matcher(pattern.compiled, part, ctx).search(0);
  const start = slots?.[toNumber(group) * 2] ?? -1;
  return slots === null || start < 0 || group < 0 ? undefined : part.slice(start, slots[toNumber(group) * 2 + 1]);
}

/** Regular expressions (lisp reference, section 11.12). */
export const REGEX = [
  plain("re-pattern", 1, "(re-pattern s)", "The pattern that a text describes.", ([s], ctx) => {
    if (s instanceof Regex) return s;
    if (typeof s !== "string") throw typeError("re-pattern", [s]);
    return compileRegex(s, ctx);
  }),
  plain(
    "re-find",
    2,
    "(re-find re s)",
    inCard("regex", 1, "The first match, or nil; with groups a vector of match and groups."),
    (args, ctx) => {
      const [pattern, text] = subject("re-find", args, ctx);
      const slots = new Matcher(pattern.compiled, text, ctx).search(0);
      return slots ? matchValue(text, slots, ctx) : null;
    },
  ),
  plain(
    "re-matches",
    2,
    "(re-matches re s)",
    inCard("regex", 2, "The match of the whole text, or nil; with groups a vector."),
    (args, ctx) => {
      const [pattern, text] = subject("re-matches", args, ctx);
      const slots = new Matcher(pattern.compiled, text, ctx).whole();
      return slots ? matchValue(text, slots, ctx) : null;
    },
  ),
  plain("re-seq", 2, "(re-seq re s)", inCard("regex", 3, "All matches."), (args, ctx) => {
    const [pattern, text] = subject("re-seq", args, ctx);
    const found: Value[] = [];
    for (const slots of matches(pattern, text, ctx)) found.push(matchValue(text, slots, ctx));
    return vector(found, ctx);
  }),
  plain("re-split", 2, "(re-split re s)", inCard("regex", 4, "The parts between matches."), (args, ctx) => {
    const [pattern, text] = args;
    if (!(pattern instanceof Regex) || typeof text !== "string") throw typeError("re-split", args);
    return splitPattern(pattern, text, ctx);
  }),
  plain(
    "extract",
    [2, 3],
    ["(extract pattern s)", "(extract pattern s group)"],
    "A group (default 1; 0 is all) of the first match, or nil.",
    (args, ctx) => extracted("extract", args, ctx) ?? null,
  ),
  plain(
    "extract-int",
    [2, 4],
    ["(extract-int pattern s)", "(extract-int pattern s group)", "(extract-int pattern s group default)"],
    "A group of the first match as an integer, or nil (or the default).",
    (args, ctx) => {
      const fallback = args.length === 4 ? args[3] : null;
      const text = extracted("extract-int", args.slice(0, 3), ctx);
      return text !== undefined && /^[+-]?[0-9]{1,10000}$/.test(text) ? integerOfDigits(text, ctx) : fallback;
    },
  ),
];
