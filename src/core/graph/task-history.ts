import { jsonBytes } from "../bytes";
import type { Json } from "../json";
import { MAX_OUTPUT_BYTES, MAX_OUTPUTS_BYTES } from "../limits";
import type { TaskEntry } from "./task-schema";

/**
 * A history with one line more. A task travels whole in one payload, so an output that is too large for it is left
 * out, and when all of them together are, the oldest: the line says so in its place.
 */
export function withEntry(history: readonly TaskEntry[], entry: TaskEntry): TaskEntry[] {
  const longer = [...history, withoutLarge(entry, MAX_OUTPUT_BYTES)];
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

const sizeOf = (output: Json | undefined): number => (output === undefined ? 0 : jsonBytes(output));
