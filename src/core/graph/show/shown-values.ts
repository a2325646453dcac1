import type { Json, JsonObject } from "../../base/json";
import { cutText } from "../../base/whole-characters";

/** What a task was given and gave, short enough for an answer. */

/** Of one value. */
const MAX_CHARS = 2_000;
/** Of all values together: beyond it the less important ones are cut shorter. */
const MAX_ALL_CHARS = 8_000;
const SHORT_CHARS = 200;
/** With more of them the others are only counted. */
const MAX_VALUES = 60;

const WHERE = "... (get_task has all of it)";

/**
 * The values by name, in their order. A long one is its beginning as text.
 *
 * @param matters which ones stay whole if not all can
 */
export function shownValues(values: JsonObject, matters: "first" | "last"): JsonObject {
  const all = Object.entries(values);
  if (matters === "last") all.reverse();
  let chars = 0;
  const shown = all.slice(0, MAX_VALUES).map(([name, value]): [string, Json] => {
    const cut = cutTo(value, chars > MAX_ALL_CHARS ? SHORT_CHARS : MAX_CHARS);
    chars += textOf(cut).length;
    return [name, cut];
  });
  const left = all.length - shown.length;
  if (left > 0) shown.push(["...", `${left} more${WHERE.slice(3)}`]);
  return Object.fromEntries(matters === "last" ? shown.reverse() : shown);
}

function cutTo(value: Json, limit: number): Json {
  const text = textOf(value);
  return text.length > limit ? `${cutText(text, limit)}${WHERE}` : value;
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
