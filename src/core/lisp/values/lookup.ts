import type { PMap } from "./collections";
import { Keyword, type Value } from "./values";

/**
 * Flexible access (lisp reference, section 4.5): a map is asked for the key as given, then for its other form (keyword
 * or string). A vector takes an index. Anything else has nothing.
 *
 * @returns undefined when absent (a present nil is null)
 */
export function lookup(coll: Value, key: Value): Value | undefined {
  if (typeof coll !== "object" || coll === null) return undefined;
  if (coll.tag === "map") return lookupKey(coll, key);
  return coll.tag === "vector" && typeof key === "number" ? coll.get(key) : undefined;
}

function lookupKey(map: PMap<Value>, key: Value): Value | undefined {
  const found = map.get(key);
  if (found !== undefined) return found;
  const other = otherForm(key);
  return other === undefined ? undefined : map.get(other);
}

/** The key under which a map has `key`: itself or its other form; the key itself when neither is there. */
export function presentKey(map: PMap<Value>, key: Value): Value {
  if (map.has(key)) return key;
  const other = otherForm(key);
  return other !== undefined && map.has(other) ? other : key;
}

/** Keyword of a string (undefined when no such keyword exists anywhere), string of a keyword. */
export function otherForm(key: Value): Value | undefined {
  if (typeof key === "string") return Keyword.known(key);
  return typeof key === "object" && key !== null && key.tag === "keyword" ? key.name : undefined;
}
