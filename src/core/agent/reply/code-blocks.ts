import { partsOf } from "../../lisp/read/literals";

/** A block of a model's answer. */
interface CodeBlock {
  /** `tagged`: a fence tagged `clojure` or `lisp`. `element`: `<clojure>` or `<lisp>`, and what begins like a program. */
  kind: "tagged" | "fence" | "element";
  /** From the opening to the closing mark; `end` is exclusive. */
  start: number;
  end: number;
  content: string;
}

/** The characters that editors and models insert before a program (clean.ts). */
const INVISIBLE = "\\uFEFF\\u200B-\\u200D\\u2060\\u00AD\\u180E";
/** A form, or one that `#_` leaves out. */
const FORM = `(?:#_[\\s${INVISIBLE}]*)*\\(`;
const LINE_END = "(?:\\r\\n?|\\n)?";
/** The marks that may open a block, and a line that begins with a bracket: a program without a fence. */
const OPENERS = [
  `(?<tagged>\`{3,}(?:clojure|lisp)(?![\\w-])[ \\t]*${LINE_END})`,
  `(?<fence>\`{3,}[^\\r\\n\`]*${LINE_END})`,
  "(?<element><(?:clojure|lisp)>)",
  `^(?:(?![\\r\\n\\u2028\\u2029])[\\s${INVISIBLE}])*${FORM}`,
].join("|");
const FENCE = "`{3,}";
const ELEMENT_END = "</(?:clojure|lisp)>";
const TAGGED_FENCE = /`{3,}(?:clojure|lisp)(?![\w-])/y;
/** A form that follows another one, on the same line too. */
const NEXT_FORM = new RegExp(`[\\s,${INVISIBLE}]*${FORM}`, "y");
/** Contents whose quotes and comments are those of a program, or of JSON. */
const LIKE_CODE = new RegExp(`[\\s${INVISIBLE}]*(?:[([{;]|#_)`, "y");
const LIKE_PROGRAM = new RegExp(`[\\s${INVISIBLE}]*(?:[(;]|#_)`, "y");

/** An answer with more such blocks has no program. */
const MAX_IN_COMMENTS = 20;

/**
 * Finds the blocks of a model's answer, in order (lisp reference, section 2). A mark inside a string or a comment of a
 * program neither opens nor closes a block: a program may contain any text, also one that looks like another program.
 */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const openers = new RegExp(OPENERS, "gm");
  const scan: Scan = { inComments: 0, curly: true, elements: true };
  let at = 0;
  for (;;) {
    openers.lastIndex = at;
    const found = openers.exec(text);
    if (found === null) return blocks;
    const inside = found.index + found[0].length;
    const opened = openedBlock(text, inside, found.groups as Opener, scan);
    if (opened === undefined) {
      at = endOfForm(text, inside, scan);
      while (matches(NEXT_FORM, text, at)) at = endOfForm(text, NEXT_FORM.lastIndex, scan);
      continue;
    }
    const { kind, close, mark, next = inside } = opened;
    if (mark) blocks.push({ kind, start: found.index, end: mark.end, content: text.slice(inside, mark.start) });
    at = mark ? mark.end : next;
    if (close?.broken) return blocks;
    if (close?.inComment && ++scan.inComments > MAX_IN_COMMENTS) return blocks;
  }
}

/** The opening of a block: one of these marks, or none where a form begins. */
type Opener = { [kind in "tagged" | "fence" | "element"]?: string };

/** A block that a mark opens. */
interface OpenedBlock {
  kind: CodeBlock["kind"];
  close?: Close | undefined;
  /** Its end; undefined: it has none, and the mark opens no block. */
  mark?: Mark | undefined;
  /** Where the next mark is searched for after a mark that opens no block; absent: right after it. */
  next?: number;
}

function openedBlock(
  text: string,
  inside: number,
  { tagged, fence, element }: Opener,
  scan: Scan,
): OpenedBlock | undefined {
  if (tagged !== undefined) {
    const close: Close = closeOfCode(text, inside, `${FENCE}|${ELEMENT_END}`, scan);
    return { kind: "tagged", close, mark: close.found };
  }
  if (fence !== undefined) {
    const close: Close = matches(LIKE_CODE, text, inside)
      ? closeOfCode(text, inside, FENCE, scan)
      : closeOfText(text, inside);
    // A tagged fence opens a new block, and closes none.
    if (close.found && matches(TAGGED_FENCE, text, close.found.start))
      return { kind: "fence", close, next: close.found.start };
    return { kind: "fence", close, mark: close.found };
  }
  if (element === undefined) return undefined;
  const like = scan.elements && matches(LIKE_PROGRAM, text, inside);
  const end = `</${element.slice(1)}`;
  const close: Close | undefined = like ? closeOfCode(text, inside, `${FENCE}|${end}`, scan) : undefined;
  if (close && !close.found) scan.elements = false;
  const found = close?.found;
  if (found && text.startsWith(end, found.start)) return { kind: "element", close, mark: found };
  return { kind: "element", close, next: found?.start ?? inside };
}

interface Mark {
  start: number;
  end: number;
}

/** The results of searches that reached the end of the answer: they are not repeated. */
interface Scan {
  /** Blocks that a mark in the middle of a comment closed. After the first it does so at once. */
  inComments: number;
  /** Typographic quotes may be those of texts: none lacked its end so far. */
  curly: boolean;
  /** Elements may contain programs: none lacked its end so far. */
  elements: boolean;
}

/**
 * Where a block ends; `broken` means that a string in it has no end, so that the text after it cannot be divided into
 * blocks.
 */
interface Close {
  found?: Mark;
  broken?: true;
  inComment?: true;
}

/**
 * Finds the first closing mark outside of strings and comments. A block may also close after a comment, at the end of
 * its line; a mark in the middle of one counts if there is no other.
 */
function closeOfCode(text: string, from: number, marks: string, scan: Scan): Close {
  let inComment: Mark | undefined;
  for (const part of partsOf(text, from, marks, scan)) {
    if (part.kind === "mark") return { found: part };
    if (!part.closed) {
      const cut = markAfter(text, part.start, marks);
      return cut === undefined ? { broken: true } : { found: cut, broken: true };
    }
    if (part.kind !== "comment") continue;
    const comment = text.slice(part.start, part.end);
    const last = markAtEnd(comment);
    if (last !== undefined) return { found: { start: part.start + last, end: part.end } };
    const first = inComment ? undefined : markAfter(comment, 0, marks);
    if (first) inComment = { start: part.start + first.start, end: part.start + first.end };
    if (scan.inComments > 0 && inComment) break;
  }
  return inComment === undefined ? {} : { found: inComment, inComment: true };
}

/** Where the closing mark is with which a comment ends. */
function markAtEnd(comment: string): number | undefined {
  const trimmed = comment.trimEnd();
  const element = /<\/(?:clojure|lisp)>$/.exec(trimmed.slice(-10));
  if (element) return trimmed.length - element[0].length;
  if (!trimmed.endsWith("```")) return undefined;
  let start = trimmed.length;
  while (trimmed[start - 1] === "`") start -= 1;
  return start;
}

function closeOfText(text: string, from: number): Close {
  const found = markAfter(text, from, FENCE);
  return found === undefined ? {} : { found };
}

function markAfter(text: string, from: number, marks: string): Mark | undefined {
  const pattern = new RegExp(marks, "g");
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}

/** Where a form without a fence ends: at its closing bracket, or before a block that opens outside of its strings. */
function endOfForm(text: string, from: number, scan: Scan): number {
  let depth = 1;
  for (const { kind, start, end } of partsOf(text, from, `[()[\\]{}]|${FENCE}|<(?:clojure|lisp)>`, scan)) {
    if (kind !== "mark") continue;
    const mark = text[start] as string;
    if (mark === "`" || mark === "<") return start;
    depth += "([{".includes(mark) ? 1 : -1;
    if (depth === 0) return end;
  }
  return text.length;
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
