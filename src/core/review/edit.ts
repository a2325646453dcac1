import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { fromJson } from "../lisp/values/encode";
import { LispError } from "../lisp/values/errors";
import { checkValue, renderMismatches } from "../signature/check";
import { parseSignature } from "../signature/parse";

/**
 * An edit in a decision names only the arguments that change: the others stay as they were asked. `null` takes an
 * argument away. The value of an argument is replaced whole, also where it is a map.
 */
export function editedArgs(args: JsonObject, edit: Json | undefined): JsonObject {
  if (!isObject(edit)) return args;
  const edited = Object.entries({ ...args, ...edit }).filter(([name, value]) => !isRemoval(edit, name, value));
  return Object.fromEntries(edited) as JsonObject;
}

const isRemoval = (edit: JsonObject, name: string, value: Json | undefined): boolean =>
  value === null && Object.hasOwn(edit, name);

/** Why a value is not what a tool with this signature answers; null if it is. */
export function answerProblem(signature: string, value: Json | undefined): string | null {
  if (value === undefined) return "it is missing";
  try {
    const mismatches = checkValue(parseSignature(signature).output, fromJson(value), { keywordsAsText: true });
    return mismatches.length === 0 ? null : renderMismatches(mismatches, "");
  } catch (error) {
    if (error instanceof LispError) return error.message;
    throw error;
  }
}

/**
 * Why an edit cannot be applied to the arguments of a call; null if it can.
 *
 * @param parameters as in a signature, without parentheses; "" = any object
 */
export function editProblem(parameters: string, args: JsonObject, edit: Json): string | null {
  if (!isObject(edit)) return "expected an object with the arguments that change";
  if (parameters === "") return null;
  try {
    const { output } = parseSignature(`{${parameters}}`);
    const known = output.kind === "record" ? output.fields.map(({ name }) => name) : [];
    const unknown = Object.keys(edit).filter((name) => !known.includes(name));
    if (unknown.length > 0) return `there is no argument ${unknown.map((name) => `"${name}"`).join(", ")}`;
    const mismatches = checkValue(output, fromJson(editedArgs(args, edit)), { keywordsAsText: true });
    return mismatches.length === 0 ? null : renderMismatches(mismatches, "");
  } catch (error) {
    if (error instanceof LispError) return error.message;
    throw error;
  }
}
