import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";

/** Templates (agent reference, section 7): a Mustache subset without escaping and partials. */

/** A template that cannot be read or filled, with line and column. */
export class TemplateError extends Error {}

/** A template that was read (agent reference, section 7): texts, placeholders and sections in order. */
export type Template = Part[];
type Part =
  | { kind: "text"; text: string }
  | { kind: "variable"; name: string }
  | { kind: "section"; name: string; inverted: boolean; parts: Part[] };

const MAX_NESTING = 20;

/** The paths of the placeholders outside of sections, in order, each once. */
export function simplePaths(template: Template): string[] {
  return [...new Set(template.flatMap((part) => (part.kind === "variable" && part.name !== "." ? [part.name] : [])))];
}

/** The names that a prompt needs from its context (the first part of each path), without those in sections. */
export function templateNames(prompt: string): string[] {
  return [...new Set(simplePaths(parseTemplate(prompt)).map((path) => path.split(".")[0] as string))];
}

/** Whether the template has a section `{{#name}}` or `{{^name}}`. */
export const hasSections = (template: Template): boolean => template.some((part) => part.kind === "section");

interface OpenSection {
  name: string;
  inverted: boolean;
  parts: Part[];
  at: number;
}

/**
 * Reads a template (agent reference, section 7).
 *
 * @throws TemplateError with line and column
 */
export function parseTemplate(text: string): Template {
  const stack: OpenSection[] = [{ name: "", inverted: false, parts: [], at: 0 }];
  const top = () => stack.at(-1) as OpenSection;
  const addText = (part: string) => {
    if (part !== "") top().parts.push({ kind: "text", text: part });
  };
  let pos = 0;
  for (;;) {
    const open = text.indexOf("{{", pos);
    if (open < 0) break;
    const close = text.indexOf("}}", open);
    if (close < 0) throw problem(text, open, "unclosed tag");
    const tag = text.slice(open + 2, close).trim();
    const sigil = "#^/!".includes(tag[0] ?? " ") ? (tag[0] as string) : "";
    const name = tag.slice(sigil.length).trim();
    if (name === "" && sigil !== "!") throw problem(text, open, "empty name");
    const own = sigil === "" ? undefined : ownLine(text, open, close + 2, pos);
    addText(text.slice(pos, own?.start ?? open));
    if (sigil === "#" || sigil === "^") {
      if (stack.length > MAX_NESTING) throw problem(text, open, `sections are nested deeper than ${MAX_NESTING}`);
      stack.push({ name, inverted: sigil === "^", parts: [], at: open });
    } else if (sigil === "/") {
      const section = stack.length > 1 ? (stack.pop() as OpenSection) : undefined;
      if (section?.name !== name) throw problem(text, open, `{{/${name}}} closes no open section of that name`);
      top().parts.push({ kind: "section", name, inverted: section.inverted, parts: section.parts });
    } else if (sigil === "") top().parts.push({ kind: "variable", name });
    pos = own?.end ?? close + 2;
  }
  if (stack.length > 1) throw problem(text, top().at, `section {{#${top().name}}} is not closed`);
  addText(text.slice(pos));
  return top().parts;
}

/** A section tag alone on its line takes the line with it. */
function ownLine(text: string, open: number, end: number, from: number): { start: number; end: number } | undefined {
  const start = text.lastIndexOf("\n", open - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const rest = text.slice(end, lineEnd < 0 ? text.length : lineEnd);
  if (start < from || text.slice(start, open).trim() !== "" || rest.trim() !== "") return undefined;
  return { start, end: lineEnd < 0 ? text.length : lineEnd + 1 };
}

/**
 * The template with values in place of names; what has no value is empty. Hidden names (`_...`) stay hidden.
 *
 * @throws TemplateError for a map or list where a scalar belongs: for `{{.}}`, and for names in templates with sections
 */
export function fillTemplate(template: Template, context: JsonObject): string {
  return templatePieces(template, context)
    .map(({ text }) => text)
    .join("");
}

/** A part of a filled template: a text of the template itself, or what stands in place of a variable. */
export interface Piece {
  text: string;
  /** Absent for a text of the template. `text`: the value is a text. `printed`: it is anything else, in PTC-Lisp notation. */
  value?: "text" | "printed";
}

/** The pieces of a filled template, in order. @throws TemplateError as `fillTemplate` */
export const templatePieces = (template: Template, context: JsonObject): Piece[] =>
  fill(template, [context], hasSections(template));

/** The template with every variable replaced by what `refer` gives; for templates without sections. */
export function referTemplate(template: Template, refer: (path: string) => string): string {
  const text = (name: string) => (name === "." ? scalar(".", {}, true) : refer(name));
  return template.map((part) => (part.kind === "text" ? part.text : text(part.name))).join("");
}

function fill(template: Template, scopes: readonly Json[], strict: boolean): Piece[] {
  return template.flatMap((part): Piece[] => {
    if (part.kind === "text") return [{ text: part.text }];
    const value = find(part.name, scopes);
    if (part.kind === "variable") return isHidden(part.name) ? HIDDEN : [piece(part.name, value ?? null, strict)];
    if (part.inverted) return truthy(value) ? [] : fill(part.parts, scopes, strict);
    if (!truthy(value)) return [];
    if (isHidden(part.name)) return HIDDEN;
    if (Array.isArray(value)) return value.flatMap((item) => fill(part.parts, [item, ...scopes], strict));
    // A scalar is what {{.}} means inside its section.
    return fill(part.parts, [value as Json, ...scopes], strict);
  });
}

const HIDDEN: Piece[] = [{ text: "[Hidden]", value: "text" }];

const piece = (name: string, value: Json, strict: boolean): Piece => ({
  text: scalar(name, value, strict),
  value: typeof value === "string" ? "text" : "printed",
});

/** The value of a path like `order.total`; undefined when there is none. */
export const valueAt = (path: string, context: JsonObject): Json | undefined => find(path, [context]);

/** Innermost context first, then outward. */
function find(name: string, scopes: readonly Json[]): Json | undefined {
  if (name === ".") return scopes[0];
  const [first, ...rest] = name.split(".");
  const scope = scopes.find((one): one is JsonObject => isObject(one) && Object.hasOwn(one, first as string));
  let at: Json | undefined = scope?.[first as string];
  for (const key of rest) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

function scalar(name: string, value: Json, strict: boolean): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const kind = Array.isArray(value) ? "list" : "map";
  if (strict || name === ".")
    throw new TemplateError(
      name === "." ? `dot_on_${kind}: {{.}} needs a scalar` : `non_scalar_variable: {{${name}}} is a ${kind}`,
    );
  try {
    return printValue(fromJson(value));
  } catch (error) {
    if (error instanceof LispError) throw new TemplateError(`{{${name}}}: ${error.message}`);
    throw error;
  }
}

const isHidden = (path: string): boolean => path.split(".").some((part) => part.startsWith("_"));

const truthy = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function problem(text: string, at: number, message: string): TemplateError {
  const lines = text.slice(0, at).split("\n");
  return new TemplateError(`${message} at ${lines.length}:${(lines.at(-1) as string).length + 1}`);
}
