import { jsonBytes } from "../bytes";
import type { Json } from "../json";
import type { JournalEntry } from "./journal";

/** What can be a record: a short id, a JSON value, and room for both. */

/** Bytes of all records together: a run carries its journal whole when it continues as new, in one payload. */
export const MAX_JOURNAL_BYTES = 1_000_000;

/** An id stands in the memo, in every prompt and in idempotency keys: it is a name, no data. */
export const MAX_ID_CHARS = 500;

/** Deeper values cannot be walked by programs, prompts and payload converters alike. */
const MAX_DEPTH = 200;

/** What a row costs in the memo beside its record, so that very many small records do not outgrow it. */
const ROW_BYTES = 64;

export const sizeOf = (entry: JournalEntry): number => jsonBytes(entry as unknown as Json) + ROW_BYTES;

/** What keeps a text from being an id; undefined when nothing does. */
export function idProblem(id: string): string | undefined {
  if (id === "") return "an empty id";
  if (id.length <= MAX_ID_CHARS) return undefined;
  return `an id of ${id.length} characters ("${shortId(id)}"); the limit is ${MAX_ID_CHARS}`;
}

export const shortId = (id: string): string => (id.length <= 100 ? id : `${id.slice(0, 100)}...`);

/** What keeps a value from being a record; undefined when nothing does. */
export function valueProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "it is not JSON: a number must be finite";
  if (typeof value !== "object") return `it is not JSON: ${typeof value}`;
  // By tag, not by prototype: values come from other realms.
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag !== "Object" && tag !== "Array") return `it is not JSON: a ${tag}`;
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    const problem = valueProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}
