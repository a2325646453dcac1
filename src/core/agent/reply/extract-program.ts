import { clean } from "./clean";
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
