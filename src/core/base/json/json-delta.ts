import { isObject } from "../is-object";
import type { Json, JsonObject } from "../json";

/**
 * What makes one JSON value of another one that is mostly the same: a state that a turn changes little, and whose lists grow at
 * their ends. The order of keys is kept.
 *
 * No library: those that exist describe edits in the middle of lists, or lose the order of keys.
 */
export type JsonDelta =
  /** Another value. */
  | { is: Json }
  /** An object: some keys are gone, and others have other values or are new, at the end. */
  | { in: { [key: string]: JsonDelta }; gone?: string[] }
  /** A list: the first `keep` items stay, and what follows is this. */
  | { keep: number; add: Json[] };

/** @returns undefined if the values are the same */
export function jsonDelta(before: Json | undefined, after: Json): JsonDelta | undefined {
  if (before === after) return undefined;
  if (Array.isArray(before) && Array.isArray(after)) return listDelta(before, after);
  if (isObject(before) && isObject(after)) return objectDelta(before as JsonObject, after as JsonObject);
  return { is: after };
}

function listDelta(before: readonly Json[], after: readonly Json[]): JsonDelta | undefined {
  let keep = 0;
  while (keep < before.length && keep < after.length && isSame(before[keep], after[keep] as Json)) keep += 1;
  if (keep === before.length && keep === after.length) return undefined;
  return keep === 0 ? { is: [...after] } : { keep, add: after.slice(keep) };
}

function objectDelta(before: JsonObject, after: JsonObject): JsonDelta | undefined {
  // As JSON has it: a key without a value is none.
  const keys = Object.keys(after).filter((key) => after[key] !== undefined);
  const has = new Set(keys);
  const stay = Object.keys(before).filter((key) => has.has(key));
  const gone = Object.keys(before).filter((key) => !has.has(key));
  if (stay.some((key, place) => keys[place] !== key)) return { is: after };
  const changed = keys.flatMap((key) => {
    const value = after[key] as Json;
    const delta = Object.hasOwn(before, key) ? jsonDelta(before[key], value) : { is: value };
    return delta === undefined ? [] : [[key, delta] as const];
  });
  if (changed.length === 0 && gone.length === 0) return undefined;
  return { in: Object.fromEntries(changed), ...(gone.length === 0 ? {} : { gone }) };
}

const isSame = (before: Json | undefined, after: Json): boolean => jsonDelta(before, after) === undefined;

/** `applyJsonDelta(before, jsonDelta(before, after))` is `after`. */
export function applyJsonDelta(before: Json, delta: JsonDelta | undefined): Json {
  if (delta === undefined) return before;
  if ("is" in delta) return delta.is;
  if ("keep" in delta) return [...(before as Json[]).slice(0, delta.keep), ...delta.add];
  const { in: changed, gone = [] } = delta;
  const stay = Object.entries(before as JsonObject).filter(([key]) => !gone.includes(key));
  const added = Object.keys(changed).filter((key) => !Object.hasOwn(before as JsonObject, key));
  const kept = stay.map(([key, value]) => [
    key,
    Object.hasOwn(changed, key) ? applyJsonDelta(value, changed[key]) : value,
  ]);
  // Entries, and not assignments: a key may be `__proto__`.
  return Object.fromEntries([...kept, ...added.map((key) => [key, applyJsonDelta(null, changed[key])])]);
}
