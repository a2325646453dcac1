import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";

/** A number in a map, e.g. a count of tokens; 0 if there is none. */
export function numberAt(map: Json | undefined, field: string): number {
  const found = isObject(map) ? map[field] : undefined;
  return typeof found === "number" ? found : 0;
}
