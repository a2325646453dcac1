import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";

/** Deeper is taken for a mistake: workflows that start each other (graph reference, section 9.3). */
export const MAX_SUBFLOW_DEPTH = 8;

/**
 * The context of a subflow's task: each input is looked up in the parent's (`context.x.y`); a text that is no such path
 * is taken as it stands. A path that leads nowhere gives null.
 */
export function subflowContext(inputs: { [name: string]: string } | undefined, context: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([name, text]) => [name, inputValue(text, context)]));
}

function inputValue(text: string, context: JsonObject): Json {
  if (!/^context(\.[^.\s]+)+$/.test(text)) return text;
  let at: Json = context;
  for (const key of text.split(".").slice(1)) {
    if (Array.isArray(at)) at = at[Number(key)] ?? null;
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key] as Json;
    else return null;
  }
  return at;
}
