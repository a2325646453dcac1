import type { Json } from "./json";

/** Equal texts exactly for equal JSON values, whatever the order of their keys. */
export function canonical(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key] as Json)]);
}
