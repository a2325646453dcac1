import { jsonBytes } from "../../base/bytes";
import type { Json } from "../../base/json";

/** A returned value larger than this is refused: journal, return and the rest of a Step must fit one payload. */
export const MAX_RETURN_BYTES = 500_000;

/**
 * A record of a turn repeats values of the journal, the definitions or the tool cache: large values are not stored
 * twice.
 */
const MAX_RECORDED_BYTES = 64 * 1024;

/** The definitions of a turn in its record: beyond this size the later ones are left out. */
export const MAX_DEFINED_BYTES = 1_000_000;

/** The value as the record of a turn keeps it: one that is too large is replaced by a note of its size. */
export function recorded(value: Json): Json {
  const bytes = jsonBytes(value);
  return bytes <= MAX_RECORDED_BYTES ? value : { $omitted: `${bytes} bytes` };
}
