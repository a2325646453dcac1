import type { Json, JsonObject } from "../json";
import { fromJson } from "../lisp/encode";
import { printValue } from "../lisp/print";

/** Templates (agent reference, section 7): a Mustache subset without escaping and partials. */
export class TemplateError extends Error {}

type Part =
  | { kind: "text"; text: string }
  | { kind: "variable"; name: string }
  | { kind: "section"; name: string; inverted: boolean; parts: Part[] };

const MAX_NESTING = 20;

/** Names of the placeholders outside sections (first part of a path), in order, each once. */
export function templateNames(template: string): string[] {
  const names = parseTemplate(template).flatMap((part) =>
    part.kind === "variable" && part.name !== "." ? [head(part.name)] : [],
  );
  return [...new Set(names)];
}

export function hasSections(template: string): boolean {
  return parseTemplate(template).some((part) => part.kind === "section");
}

/** @throws TemplateError for what cannot be read, with line and column. */
export function parseTemplate(template: string): Part[] {
  const stack: { name: string; inverted: boolean; parts: Part[]; at: number }[] = [
    { name: "", inverted: false, parts: [], at: 0 },
  ];
  const top = () => stack.at(-1) as (typeof stack)[number];
  let pos = 0;
  for (;;) {
    const open = template.indexOf("{{", pos);
    if (open < 0) break;
    const close = template.indexOf("}}", open);
    if (close < 0) throw problem(template, open, "unclosed tag");
    const tag = template.slice(open + 2, close).trim();
    const sigil = "#^/!".includes(tag[0] ?? "") ? (tag[0] as string) : "";
    const name = tag.slice(sigil.length).trim();
    if (name === "" && sigil !== "!") throw problem(template, open, "empty name");
    let end = close + 2;
    let before = template.slice(pos, open);
    if (sigil !== "") {
      // A section tag alone on its line takes the line with it.
      const lineStart = template.lastIndexOf("\n", open - 1) + 1;
      const lineEnd = template.indexOf("\n", end);
      const rest = template.slice(end, lineEnd < 0 ? template.length : lineEnd);
      if (template.slice(lineStart, open).trim() === "" && rest.trim() === "" && lineStart >= pos) {
        before = template.slice(pos, lineStart);
        end = lineEnd < 0 ? template.length : lineEnd + 1;
      }
    }
    if (before !== "") top().parts.push({ kind: "text", text: before });
    if (sigil === "#" || sigil === "^") {
      if (stack.length > MAX_NESTING) throw problem(template, open, `sections are nested deeper than ${MAX_NESTING}`);
      stack.push({ name, inverted: sigil === "^", parts: [], at: open });
    } else if (sigil === "/") {
      const section = stack.length > 1 ? stack.pop() : undefined;
      if (section?.name !== name) throw problem(template, open, `{{/${name}}} closes no open section of that name`);
      top().parts.push({ kind: "section", name, inverted: section.inverted, parts: section.parts });
    } else if (sigil === "") top().parts.push({ kind: "variable", name });
    pos = end;
  }
  if (stack.length > 1) throw problem(template, top().at, `section {{#${top().name}}} is not closed`);
  if (pos < template.length) top().parts.push({ kind: "text", text: template.slice(pos) });
  return top().parts;
}

/** Fills a template. `missing` says what stands for a name without a value. */
export function expandTemplate(
  template: string,
  context: JsonObject,
  missing: (name: string) => string = () => "",
): string {
  const parts = parseTemplate(template);
  return render(
    parts,
    [context],
    parts.some((part) => part.kind === "section"),
    missing,
  );
}

function render(
  parts: readonly Part[],
  scopes: readonly Json[],
  strict: boolean,
  missing: (name: string) => string,
): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      const value = find(part.name, scopes);
      if (part.kind === "variable") return value === undefined ? missing(part.name) : scalar(part.name, value, strict);
      if (part.inverted) return truthy(value) ? "" : render(part.parts, scopes, strict, missing);
      if (!truthy(value)) return "";
      if (Array.isArray(value))
        return value.map((item) => render(part.parts, [item, ...scopes], strict, missing)).join("");
      return render(part.parts, isObject(value) ? [value as Json, ...scopes] : scopes, strict, missing);
    })
    .join("");
}

/** Innermost context first, then outward. */
function find(name: string, scopes: readonly Json[]): Json | undefined {
  if (name === ".") return scopes[0];
  const [first, ...rest] = name.split(".");
  for (const scope of scopes) {
    if (!isObject(scope) || !Object.hasOwn(scope, first as string)) continue;
    let at: Json | undefined = scope[first as string];
    for (const key of rest) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    return at;
  }
  return undefined;
}

function scalar(name: string, value: Json, strict: boolean): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  if (strict)
    throw new TemplateError(
      name === "."
        ? `${Array.isArray(value) ? "dot_on_list" : "dot_on_map"}: {{.}} needs a scalar`
        : `non_scalar_variable: {{${name}}} is a ${Array.isArray(value) ? "list" : "map"}`,
    );
  return printValue(fromJson(value));
}

const truthy = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const head = (path: string): string => path.split(".")[0] as string;

function problem(template: string, at: number, message: string): TemplateError {
  const lines = template.slice(0, at).split("\n");
  return new TemplateError(`${message} at ${lines.length}:${(lines.at(-1) as string).length + 1}`);
}
