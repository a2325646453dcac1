import { withoutDiscarded } from "../../lisp/read/discard-forms";
import type { Extracted } from "./extract-program";

/**
 * How replies were read until texts were left alone. A mission that began with it has calls in its history that depend on
 * it, so it is kept for their replay. It reads fences and cleans characters inside of strings, too: nothing else may use it.
 */

const TAGGED = /```(?:clojure|lisp)(?![\w-])[ \t]*\n?([\s\S]*?)(?:```|<\/(?:clojure|lisp)>)/g;
const ANY_FENCE = /```[^\n`]*\n?([\s\S]*?)```/g;

/** The program in a reply, as earlier versions found it. */
export function formerReading(answer: string): Extracted {
  const text = answer.replace(/\r\n?/g, "\n");
  const tagged = [...text.matchAll(TAGGED)];
  const [block] = tagged;
  const last = tagged.at(-1);
  if (block && last && tagged.length > 1)
    return several(tagged.length, text.slice(block.index, last.index + last[0].length));
  if (block) return { ok: true, source: clean(block[1] as string), kept: block[0] };
  const fences = [...text.matchAll(ANY_FENCE)].map((found) => clean(found[1] as string));
  const elements = fences.length > 0 ? [] : elementsOf(text).map(clean);
  const candidates = [...fences, ...elements].filter((code) => code.startsWith("("));
  if (candidates.length > 1) return several(candidates.length, text);
  if (candidates[0] !== undefined) return { ok: true, source: candidates[0], kept: text };
  const whole = clean(text);
  if (whole.startsWith("(")) return { ok: true, source: whole, kept: text };
  return { ok: false, code: "no_code", message: "There is no program in the answer.", kept: text };
}

/** What stands in `<lisp>` and `<clojure>` elements. No pattern: it would look to the end for each tag that is never closed. */
function elementsOf(text: string): string[] {
  const found: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { 0: tag, 1: name, index } of text.matchAll(/<(clojure|lisp)>/g)) {
    if (index < from || unclosed.has(tag)) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end < 0) unclosed.add(tag);
    else {
      found.push(text.slice(start, end));
      from = end + tag.length + 1;
    }
  }
  return found;
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
const DOUBLE_QUOTES = /[\u201C-\u201F\u2033\u2036]/g;
const SINGLE_QUOTES = /[\u2018-\u201B\u2032\u2035]/g;

function clean(code: string): string {
  return withoutDiscarded(code.replace(INVISIBLE, "").replace(DOUBLE_QUOTES, '"').replace(SINGLE_QUOTES, "'")).trim();
}
