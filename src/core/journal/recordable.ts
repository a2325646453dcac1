import { jsonBytes } from "../base/bytes";
import type { Json } from "../base/json";
import type { JournalEntry } from "./journal";

/** What can be a record: a short id, a JSON value, and room for both. */

/** Bytes of all records together: a run carries its journal whole when it continues as new, in one payload. */
export const MAX_JOURNAL_BYTES = 1_000_000;

/** An id stands in the memo, in every prompt and in idempotency keys: it is a name, no data. */
export const MAX_ID_CHARS = 500;

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
