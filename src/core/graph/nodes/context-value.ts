import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";

/** Whether a text names a value of the task's context, like `context.x.y`. */
export const isContextPath = (text: unknown): text is string =>
  typeof text === "string" && /^context(\.[^.\s]+)+$/.test(text);

/** The value that `context.x.y` names; null if the path leads nowhere. Any other text is returned unchanged. */
export function contextValue(text: string, context: JsonObject): Json {
  if (!isContextPath(text)) return text;
  let at: Json = context;
  for (const key of text.split(".").slice(1)) {
    if (Array.isArray(at)) at = at[Number(key)] ?? null;
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key] as Json;
    else return null;
  }
  return at;
}
