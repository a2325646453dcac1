import { cutBytes, utf8Bytes } from "../../base/bytes";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";

/**
 * Replaces large values by their size and their beginning, so that a log stays readable (agent reference, section 13).
 * The replacement is a map with `$summary`: the kind of the value.
 */
export const MAX_TEXT_BYTES = 65_536;
export const MAX_ENTRIES = 100;
/** Nobody reads deeper than this, and writing deeper values could overflow the stack. */
const MAX_DEPTH = 64;

const SHOWN_TEXT_BYTES = 1_000;
const SHOWN_ENTRIES = 10;

/**
 * A value for a line of a log: texts over 65,536 bytes, and lists and maps over 100 entries, are summarised at every
 * depth.
 */
export function summarised(value: Json, depth = 0): Json {
  if (typeof value === "string") return textOf(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return { $summary: "nested too deep" };
  const inside = (item: Json): Json => summarised(item, depth + 1);
  if (Array.isArray(value))
    return value.length <= MAX_ENTRIES
      ? value.map(inside)
      : { $summary: "list", entries: value.length, start: value.slice(0, SHOWN_ENTRIES).map(inside) };
  const entries = Object.entries(value);
  if (entries.length <= MAX_ENTRIES) return mapOf(entries, inside);
  return { $summary: "map", entries: entries.length, start: mapOf(entries.slice(0, SHOWN_ENTRIES), inside) };
}

/** The metadata of a line: only the system prompt is kept whole, whatever its length. */
export function summarisedMetadata(metadata: JsonObject): JsonObject {
  const { system_prompt, ...rest } = metadata;
  // Field by field: many fields are no reason to summarise them as one.
  const short = mapOf(Object.entries(rest), (value) => summarised(value, 1));
  return system_prompt === undefined ? short : { ...short, system_prompt };
}

/** A value of at most so many bytes of JSON, else its size and its beginning. */
export function shortenedTo(value: Json, max_bytes: number): Json {
  const shallow = summarised(value);
  const text = JSON.stringify(shallow);
  if (utf8Bytes(text) <= max_bytes) return shallow;
  return { $summary: kindOf(value), bytes: utf8Bytes(text), start: cutBytes(text, max_bytes) };
}

function textOf(text: string): Json {
  const bytes = utf8Bytes(text);
  if (bytes <= MAX_TEXT_BYTES) return text;
  return { $summary: "text", bytes, start: cutBytes(text, SHOWN_TEXT_BYTES) };
}

/** `__proto__` is an ordinary key. */
const mapOf = (entries: [string, Json][], of: (value: Json) => Json): JsonObject =>
  Object.fromEntries(entries.map(([key, value]) => [key, of(value)]));

function kindOf(value: Json): string {
  if (typeof value === "string") return "text";
  return Array.isArray(value) ? "list" : isObject(value) ? "map" : "value";
}
