import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { fromJson } from "../lisp/values/encode";
import { LispError } from "../lisp/values/errors";
import { checkValue, renderMismatches } from "../signature/check";
import { parseSignature } from "../signature/parse";

/**
 * Why a value cannot stand for the arguments of a call; null when it can.
 *
 * @param parameters as in a signature, without parentheses; "" = any object
 */
export function argumentsProblem(parameters: string, value: Json): string | null {
  if (!isObject(value)) return "expected an object of arguments";
  if (parameters === "") return null;
  try {
    const { output } = parseSignature(`{${parameters}}`);
    const mismatches = checkValue(output, fromJson(value), { keywordsAsText: true });
    return mismatches.length === 0 ? null : renderMismatches(mismatches, "");
  } catch (error) {
    if (error instanceof LispError) return error.message;
    throw error;
  }
}
