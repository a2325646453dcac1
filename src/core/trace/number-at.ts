import { isObject } from "../base/is-object";
import type { Json } from "../base/json";

/** A number that a map may have, e.g. a count of tokens; 0 where it has none, or there is no map. */
export function numberAt(map: Json | undefined, field: string): number {
  const found = isObject(map) ? map[field] : undefined;
  return typeof found === "number" ? found : 0;
}
