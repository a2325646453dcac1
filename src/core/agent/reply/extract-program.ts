import { withoutDiscarded } from "../../lisp/read/discard-forms";
import { partsOf } from "../../lisp/read/literals";
import { codeBlocks } from "./code-blocks";

/** Extracts the program from a model's answer (lisp reference, section 2). */
export type Extracted =
  | {
      ok: true;
      source: string;
      /**
       * The part of the answer that stays in the conversation: from the first tagged fence to the last closing one, or
       * all of it.
       */
      kept: string;
    }
  | { ok: false; message: string; code: "no_code" | "several_blocks"; kept: string };

/** The program in a model's reply, or why there is none (lisp reference, section 2). */
export function extractProgram(answer: string): Extracted {
  const blocks = codeBlocks(answer);
  const tagged = blocks.filter(({ kind }) => kind === "tagged");
  const [block] = tagged;
  const last = tagged.at(-1);
  if (block && last) {
    const kept = answer.slice(block.start, last.end);
    return tagged.length > 1 ? several(tagged.length, kept) : { ok: true, source: clean(block.content), kept };
  }
  const fences = blocks.filter(({ kind }) => kind === "fence");
  const candidates = (fences.length > 0 ? fences : blocks)
    .map(({ content }) => clean(content))
    .filter((code) => code.startsWith("("));
  if (candidates.length > 1) return several(candidates.length, answer);
  if (candidates[0] !== undefined) return { ok: true, source: candidates[0], kept: answer };
  const whole = clean(answer);
  if (whole.startsWith("(")) return { ok: true, source: whole, kept: answer };
  return { ok: false, code: "no_code", message: "There is no program in the answer.", kept: answer };
}

function several(count: number, text: string): Extracted {
  return {
    ok: false,
    code: "several_blocks",
    message: `Found ${count} code blocks; exactly one is required. Variables of separate blocks are not shared.`,
    kept: text,
  };
}

const INVISIBLE = /[\uFEFF\u200B-\u200D\u00A0\u202F\u2060\uFFFE\u00AD\u180E\u2000-\u200A]/g;
const SINGLE_QUOTES = /[\u2018-\u201B\u2032\u2035]/g;
const LINE_ENDS = /\r\n?/g;
const STRAIGHT_QUOTES = /\\[\s\S]|"/g;

/**
 * Removes characters that editors and models insert into code, and `#_` forms (lisp reference, section 2). The text of
 * a string, a character literal or a comment is the model's own: it stays as it is, byte for byte. A text between
 * typographic double quotes gets straight ones, and ends only where its own closing quote is.
 */
export function clean(code: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { kind, start, end } of partsOf(code)) {
    kept.push(cleanCode(code.slice(from, start)));
    kept.push(kind === "curly" ? straightText(code.slice(start + 1, end - 1)) : code.slice(start, end));
    from = end;
  }
  kept.push(cleanCode(code.slice(from)));
  return trimmed(withoutDiscarded(kept.join("")));
}

const cleanCode = (code: string): string =>
  code.replace(LINE_ENDS, "\n").replace(INVISIBLE, "").replace(SINGLE_QUOTES, "'");

/** A text between straight quotes. Quotes that it contained without a backslash get one. */
const straightText = (text: string): string =>
  `"${text.replace(STRAIGHT_QUOTES, (found) => (found === '"' ? '\\"' : found))}"`;

/** A blank after a backslash is a character literal. */
function trimmed(code: string): string {
  const start = code.trimStart();
  const end = start.trimEnd();
  return end.endsWith("\\") ? start.slice(0, end.length + 1) : end;
}
