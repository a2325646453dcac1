import { userInfo } from "node:os";
import type { Json } from "../../core/base/json";
import { linesOf } from "../../core/base/one-line";
import type { EffectUndone } from "../../core/history/trace/undone-effects";
import { shellWord } from "../../node/shell-word";
import { renderTime } from "../terminal/render";

/** Who runs the command, as a word of a shell, for commands that name a person. In a container nobody may have a name: then `you`. */
export function ownName(): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    return "you";
  }
}

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

interface Cost {
  cost: number | null;
  tokens_per_call: { input: number; output: number };
}

/** @param uncounted what may cost money too, but is not in these numbers */
export function costLines({ cost, tokens_per_call: { input, output } }: Cost, uncounted: readonly string[]): string[] {
  const money =
    cost === null
      ? "unknown: a model or its price is not known"
      : `$${cost.toFixed(2)}, with ${input} tokens read and ${output} written in each call`;
  return [`  cost at most: ${money}`, ...(uncounted.length === 0 ? [] : [`  not counted: ${uncounted.join(", ")}`])];
}

/** When an effect was undone, who asked for it, and by which undo. */
export function whenUndoneText({ at, by, because, undo }: EffectUndone): string {
  return [
    `undone ${renderTime(at)} UTC`,
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(because === undefined ? [] : [because]),
    ...(undo === undefined ? [] : [undo]),
  ].join(", ");
}
