import { jsonBytes } from "../../base/bytes";
import type { Json } from "../../base/json";
import { MAX_OUTPUT_BYTES, MAX_OUTPUTS_BYTES } from "../../base/limits";
import type { TaskEntry } from "./task-schema";

/**
 * A history with one more line. A task is passed whole in one payload, so an output that is too large is left out; when
 * all of them together are too large, the oldest are. The line has a note in its place.
 */
export function withHistoryEntry(history: readonly TaskEntry[], entry: TaskEntry): TaskEntry[] {
  const longer = [...history, entry];
  // Counting bytes would be most of a move's work, and hardly any output is too large.
  if (atMost(entry.output) <= MAX_OUTPUT_BYTES && atMostOf(longer) <= MAX_OUTPUTS_BYTES) return longer;

  longer[longer.length - 1] = withoutLarge(entry, MAX_OUTPUT_BYTES);
  let bytes = longer.reduce((sum, { output }) => sum + sizeOf(output), 0);
  for (let i = 0; bytes > MAX_OUTPUTS_BYTES && i < longer.length - 1; i++) {
    const line = longer[i] as TaskEntry;
    longer[i] = withoutLarge(line, 100);
    bytes += sizeOf(longer[i]?.output) - sizeOf(line.output);
  }
  return longer;
}

function withoutLarge(entry: TaskEntry, max_bytes: number): TaskEntry {
  const bytes = sizeOf(entry.output);
  return bytes <= max_bytes ? entry : { ...entry, output: { $omitted: `${bytes} bytes` } };
}

function atMostOf(history: readonly TaskEntry[]): number {
  let bytes = 0;
  for (const { output } of history) if (output !== undefined) bytes += atMost(output);
  return bytes;
}

/** A character of a text becomes six bytes at most (`\u0000`), a number fewer than 32. */
const MAX_CHARACTER_BYTES = 6;
const MAX_SCALAR_BYTES = 32;

/** Measured once each: a line of the history does not change. */
const sizes = new WeakMap<object, number>();

/** An upper bound of the bytes of an output, cheap to compute. */
function atMost(output: Json | undefined): number {
  if (output === undefined) return 0;
  if (typeof output === "string") return MAX_CHARACTER_BYTES * output.length + 2;
  if (typeof output !== "object" || output === null) return MAX_SCALAR_BYTES;
  let bytes = sizes.get(output);
  if (bytes === undefined) {
    bytes = jsonBytes(output);
    sizes.set(output, bytes);
  }
  return bytes;
}

function sizeOf(output: Json | undefined): number {
  if (output === undefined) return 0;
  // Of an object the bound is exact, and known.
  return typeof output === "object" && output !== null ? atMost(output) : jsonBytes(output);
}
