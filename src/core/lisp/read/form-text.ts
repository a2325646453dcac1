import { escapeText } from "../text/escape-text";
import { Float, Keyword } from "../values/values";
import type { Form } from "./form";

/** A form as text that reads back to the same form. Functions are stored this way. */
export function formText(form: Form): string {
  switch (form.kind) {
    case "symbol":
      return form.name;
    case "var":
      return `#'${form.name}`;
    case "regex":
      return `#${quoted(form.source)}`;
    case "literal":
      return literalText(form.value as never);
    case "list":
      return `(${form.items.map(formText).join(" ")})`;
    case "vector":
      return `[${form.items.map(formText).join(" ")}]`;
    case "set":
      return `#{${form.items.map(formText).join(" ")}}`;
    case "map":
      return `{${form.items.map(formText).join(" ")}}`;
    case "shortfn":
      return `#(${form.items.map(formText).join(" ")})`;
  }
}

function literalText(value: null | boolean | number | bigint | string | Float | Keyword): string {
  if (value === null) return "nil";
  if (typeof value === "string") return quoted(value);
  if (value instanceof Keyword) return `:${value.name}`;
  if (value instanceof Float) return floatText(value.n);
  return String(value);
}

/** Shortest text that reads back to the same double, always recognisable as a float. */
function floatText(n: number): string {
  if (Number.isNaN(n)) return "##NaN";
  if (!Number.isFinite(n)) return n > 0 ? "##Inf" : "##-Inf";
  const text = Object.is(n, -0) ? "-0.0" : String(n);
  return /[.e]/.test(text) ? text.replace("e+", "e") : `${text}.0`;
}

function quoted(text: string): string {
  return `"${escapeText(text).replaceAll("\r", "\\r")}"`;
}
