import type { Json } from "../../core/base/json";
import { linesOf } from "../../core/base/one-line";

/**
 * A value as text: strings without quotes, a map as aligned lines, a list with a dash for each item. Deeper values are
 * JSON on one line.
 */
export function valueText(value: Json): string {
  if (Array.isArray(value))
    return value.length === 0
      ? "(an empty list)"
      : value.map((item) => `- ${indentedMore(inline(item), 2)}`).join("\n");
  if (typeof value !== "object" || value === null) return inline(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return "(an empty map)";
  const width = Math.max(...entries.map(([key]) => key.length));
  return entries.map(([key, item]) => `${key.padEnd(width)}  ${indentedMore(inline(item), width + 2)}`).join("\n");
}

function inline(value: Json): string {
  if (typeof value === "string") return value;
  return value === null ? "nothing" : JSON.stringify(value);
}

/** Indents every line but the first. */
function indentedMore(text: string, by: number): string {
  return linesOf(text).join(`\n${" ".repeat(by)}`);
}

/** Indents every line. */
export function indented(text: string, by = 2): string {
  return text === "" ? "" : text.replace(/^(?=.)/gm, " ".repeat(by));
}
