/**
 * Where the literals and comments of a program are, without reading the program. A function that changes or cuts a program's
 * text before the reader gets it must leave them alone: a character inside a text is data and never ends anything.
 */

/** The end of the string whose opening quote is at `start`, or undefined when nothing closes it. */
export function stringEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** The end of the character literal whose backslash is at `start`: one code point. Names such as `
ewline` continue as letters. */
export function characterEnd(text: string, start: number): number {
  const code = text.codePointAt(start + 1);
  return code === undefined ? text.length : start + 1 + (code > 0xffff ? 2 : 1);
}

/** The end of the comment that begins at `start`: the line end is not part of it. */
export function commentEnd(text: string, start: number): number {
  LINE_END.lastIndex = start;
  return LINE_END.exec(text)?.index ?? text.length;
}
const LINE_END = /[\n\r]/g;

/** Typographic double quotes that can open a text, and what closes each. */
const CURLY: Record<string, RegExp> = {
  "\u201C": /[\u201C\u201D]/,
  "\u201D": /\u201D/,
  "\u201E": /[\u201C\u201D]/,
  "\u201F": /\u201D/,
  "\u2033": /\u2033/,
  "\u2036": /[\u2033\u2036]/,
};

/** Whether a character is a typographic double quote. */
export const isCurly = (character: string): boolean => Object.hasOwn(CURLY, character);

/**
 * The end of a text that a model wrote between typographic double quotes, or undefined when nothing closes it. A pair
 * of `\u201C` and `\u201D` inside belongs to the text, and so does a quote after a backslash.
 */
export function curlyEnd(text: string, start: number): number | undefined {
  const opener = text[start] as string;
  const closer = CURLY[opener] as RegExp;
  let depth = 1;
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at] as string;
    if (c === "\\") at += 1;
    else if (!closer.test(c)) continue;
    else if (opener === "\u201C" && c === opener) depth += 1;
    else if (--depth === 0) return at + 1;
  }
  return undefined;
}

/** A literal or comment of a program, or a mark that stands outside of them. `end` is exclusive. */
export interface Part {
  kind: "text" | "curly" | "character" | "comment" | "mark";
  start: number;
  end: number;
  /** A text without its closing quote goes to the end. */
  closed: boolean;
}

/**
 * The literals and comments of a program from `from` on, in order, and what matches `marks` between them. What is left
 * between the parts is code. A typographic quote that nothing closes is code, and so is every one after it.
 *
 * @param marks source of a pattern that begins with no quote, backslash or semicolon
 * @param quotes shared by several readings of one text, so that a quote without an end is searched for once
 */
export function* partsOf(text: string, from = 0, marks?: string, quotes = { curly: true }): Generator<Part> {
  const starts = new RegExp(`["\\\\;\u201C-\u201F\u2033\u2036]${marks === undefined ? "" : `|${marks}`}`, "g");
  for (let at = from; ; ) {
    starts.lastIndex = at;
    const found = starts.exec(text);
    if (found === null) return;
    const part = partAt(text, found.index, found[0], quotes.curly);
    if (part === undefined) quotes.curly = false;
    else yield part;
    at = part?.end ?? found.index + 1;
  }
}

function partAt(text: string, start: number, found: string, curly: boolean): Part | undefined {
  const part = (kind: Part["kind"], end: number, closed = true): Part => ({ kind, start, end, closed });
  if (found === '"') {
    const end = stringEnd(text, start);
    return part("text", end ?? text.length, end !== undefined);
  }
  if (found === "\\") return part("character", characterEnd(text, start));
  if (found === ";") return part("comment", commentEnd(text, start));
  if (!isCurly(found)) return part("mark", start + found.length);
  const end = curly ? curlyEnd(text, start) : undefined;
  return end === undefined ? undefined : part("curly", end);
}
