import { isArray, isFiniteNumber, keysOf } from "../base/intrinsics";
import type { Json } from "../base/json";
import { NavigatorError } from "../base/navigator-error";

/**
 * A value as RFC 8785 canonical JSON: without blanks, keys in the order of their UTF-16 code units, numbers as
 * ECMAScript writes them (-0 is 0). Equal values have equal texts, in any program that follows the RFC.
 *
 * The RFC refuses half of a surrogate pair. Arguments that a model wrote may contain one, so it is written as its
 * escape, `\ud800`, which no other text has: every value has a text, and different values have different ones.
 *
 * @throws NavigatorError `invalid_decision` for a number that JSON does not have: infinite, or not a number
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number" && !isFiniteNumber(value))
    throw new NavigatorError("invalid_input", `JSON has no number ${value}.`, { details: { path: "value" } });
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let fields = "";
  for (const key of keysOf(value).sort())
    fields += `${fields === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`;
  return `{${fields}}`;
}
