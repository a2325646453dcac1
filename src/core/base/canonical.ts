import { isArray, keysOf } from "./intrinsics";
import type { Json } from "./json";

/**
 * A call or value in canonical form, independent of the order of its keys: equal values have equal texts. "" for none.
 */
export function canonical(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return keysOf(value)
    .sort()
    .map((key) => [key, sorted(value[key] as Json)]);
}
