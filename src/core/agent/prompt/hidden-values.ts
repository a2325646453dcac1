import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";

/**
 * Values under keys that begin with `_` are for programs and results, never for the model (agent reference, section 7).
 * A program may print one or add it to an error, so each message is searched for them before it is sent.
 */

/** The text that a message shows in place of a hidden value. */
const HIDDEN = "[Hidden]";
/** Shorter values occur by chance, for example in counts. */
const MIN_CHARS = 4;

/** The texts and numbers under hidden keys, at any depth, longest first. */
export function hiddenTexts(sources: readonly Json[]): string[] {
  const found = new Set<string>();
  const open: [Json, boolean][] = sources.map((source) => [source, false]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, hidden] = next;
    if (Array.isArray(value)) for (const item of value) open.push([item, hidden]);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) open.push([item, hidden || key.startsWith("_")]);
    else if (hidden && (typeof value === "string" || typeof value === "number") && `${value}`.length >= MIN_CHARS)
      found.add(`${value}`);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

/** The value with `[Hidden]` under each name that begins with `_`. */
export function withoutHidden(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name.startsWith("_") ? HIDDEN : withoutHidden(part as Json)]),
  );
}

/** A message without the hidden texts. Parts of longer words and numbers stay. */
export function hideTexts(message: string, texts: readonly string[]): string {
  let shown = message;
  for (const text of texts)
    for (const written of new Set([text, JSON.stringify(text).slice(1, -1)]))
      if (shown.includes(written)) shown = replaced(shown, written);
  return shown;
}

function replaced(message: string, text: string): string {
  const parts = message.split(text);
  return parts.reduce((shown, part, i) => {
    if (i === 0) return part;
    const inWord =
      (WORD.test(text[0] as string) && WORD.test(shown.at(-1) ?? " ")) ||
      (WORD.test(text.at(-1) as string) && WORD.test(part[0] ?? " "));
    return `${shown}${inWord ? text : HIDDEN}${part}`;
  });
}

const WORD = /[\p{L}\p{N}_]/u;
