import { onFirstUse } from "../on-first-use";

/** The largest and the number of the inputs whose reading is kept. */
const MAX_CHARS = 64_000;
const MAX_KEPT = 200;

/**
 * Reads inputs that are the same for many workflows of a worker, such as a project's agents, only once. The answer is that
 * of `read`, so it does not matter for replay which worker has read the input before.
 *
 * @param read a pure function; its answer is shared and must not be changed
 */
export function readOnce<T>(read: (raw: unknown) => T): (raw: unknown) => T {
  const kept = onFirstUse(() => new Map<string, T>());
  return (raw) => {
    const key = JSON.stringify(raw);
    if (key === undefined || key.length > MAX_CHARS) return read(raw);
    const known = kept().get(key);
    if (known !== undefined) return known;
    const value = read(raw);
    if (kept().size >= MAX_KEPT) kept().clear();
    kept().set(key, value);
    return value;
  };
}
