import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { plainText } from "./plain-text";

/** `{{results.id}}` and `{{results.id.field.sub}}` in a task's input (plan reference, section 4.1). */
interface ResultReference {
  /** As written, with its braces. */
  text: string;
  task_id: string;
  fields: string[];
}

const reference = () => /\{\{\s*results\.([^\s.{}]+)((?:\.[^\s.{}]+)*)\s*\}\}/g;

/** The references `{{results.id}}` in a text, in order (plan reference, section 4.1). */
export const referencesIn = (text: string): ResultReference[] =>
  [...text.matchAll(reference())].map(([whole, id, fields]) => readReference(whole, id as string, fields as string));

function readReference(text: string, task_id: string, fields: string): ResultReference {
  return { text, task_id, fields: fields.split(".").slice(1) };
}

/**
 * The text with the results of the tasks: texts unchanged, everything else as JSON. A missing result leaves its
 * template unexpanded.
 */
export const expandResults = (text: string, results: JsonObject): string =>
  text.replace(reference(), (whole: string, id: string, fields: string) => {
    const value = valueAt(results, readReference(whole, id, fields));
    return value === undefined ? whole : plainText(value);
  });

function valueAt(results: JsonObject, { task_id, fields }: ResultReference): Json | undefined {
  return [task_id, ...fields].reduce<Json | undefined>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    results,
  );
}

/** A task's input with the results that its templates name. An input that is not a text has no templates. */
export const expandedInput = (input: Json, results: JsonObject): Json =>
  typeof input === "string" ? expandResults(input, results) : input;
