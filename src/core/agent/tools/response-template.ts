import type { JsonObject } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { characterEnd, commentEnd, partsOf, stringEnd } from "../../lisp/read/literals";
import { escapeText } from "../../lisp/text/escape-text";
import { type Template, TemplateError, templatePieces } from "../definition/template";

/**
 * The program that a response template gives (agent reference, section 4.4). A model's answer may repeat what a stranger
 * wrote, so a text in it never becomes code: within quotes it is escaped, and elsewhere it must be one word.
 */

/** Where the end of a text is in a program. */
type Place = "code" | "string" | "comment";

/** A keyword, number or name: no character of it can end a form or begin another one. */
const WORD = /^:?[\w+\-*<>=?!%&./]*$/;

/**
 * Returns the template with the fields of an answer in place of its variables.
 *
 * @throws TemplateError for a text of several words outside of quotes, and for a value after a backslash
 */
export function filledProgram(template: Template, fields: JsonObject): string {
  let place: Place = "code";
  let own = "";
  let program = "";
  for (const { text, value } of templatePieces(template, fields)) {
    if (value === undefined) {
      own += text;
      continue;
    }
    place = placeAfter(own, place);
    program += own + written(text, value, place);
    own = "";
  }
  return program + own;
}

function written(text: string, value: "text" | "printed", place: Place): string {
  if (place === "string") return escapeText(text);
  if (place === "comment") return text.replace(/[\r\n]/g, " ");
  if (value === "printed" || WORD.test(text)) return text;
  throw new TemplateError(
    `the answer has ${JSON.stringify(cutText(text, 40))} where the template has no quotes: only one word can stand there; write "{{name}}" in quotes`,
  );
}

/** The place at the end of a text of the template that begins at `place`. */
function placeAfter(text: string, place: Place): Place {
  if (place === "string") {
    const end = stringEnd(text, -1);
    if (end !== undefined) return placeAfter(text.slice(end), "code");
    if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) throw afterBackslash();
    return "string";
  }
  if (place === "comment") {
    const end = commentEnd(text, 0);
    return end === text.length ? "comment" : placeAfter(text.slice(end), "code");
  }
  const last = [...partsOf(text)].at(-1);
  if (last === undefined || last.end < text.length) return "code";
  if (last.kind === "character") {
    if (characterEnd(text, last.start) - last.start === 1) throw afterBackslash();
    return "code";
  }
  if (last.kind === "comment") return "comment";
  return last.closed ? "code" : placeAfter(text.slice(last.start + 1), "string");
}

const afterBackslash = () => new TemplateError("a value cannot stand directly after a backslash");
