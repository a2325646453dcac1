import type { Json, JsonObject } from "../../core/base/json";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { parseJson, readTextFile } from "../../node/data-file";

const INLINE = "TEXT";

/** A JSON argument, given as text or as `@FILE`. Errors name the option, the file and the place. */
export function jsonArgument(option: string, text: string): Json {
  const file = text.startsWith("@") ? text.slice(1) : undefined;
  try {
    return parseJson(file === undefined ? text : readTextFile(file), file ?? INLINE) as Json;
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const inline = new RegExp(`^${INLINE}:(\\d+:\\d+): (.+)\\.$`).exec(error.message);
    const message = inline ? `${option} is not JSON: ${inline[2]} at ${inline[1]}.` : `${option}: ${error.message}`;
    const details = { ...error.details, path: file === undefined ? option : error.details?.path };
    throw asNavigatorError({ reason: error.code, message, details }, { hint: howToGive(option) });
  }
}

/** The same, when it must be an object. */
export function jsonObjectArgument(option: string, text: string): JsonObject {
  const value = jsonArgument(option, text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  const from = text.startsWith("@") ? `${text.slice(1)}: ` : "";
  throw new NavigatorError("invalid_input", `${option}: ${from}must be a JSON object, got ${kindOf(value)}.`, {
    hint: howToGive(option),
    details: { path: option },
  });
}

/** A shell removes quotes, so the message shows a correct example. */
function howToGive(option: string): string {
  const name = option.replace(/^-+/, "").toLowerCase();
  const example = name === "journal" ? '{"charge_order_42": {"tx": "tx_1"}}' : '{"order_id": 42}';
  return option.startsWith("-")
    ? `As text, quoted for the shell: ${option} '${example}'\nAs a file: ${option} @${name}.json`
    : `As text, quoted for the shell: '"yes"', 'true', '{"amount": 12}'\nAs a file: @value.json`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : typeof value === "string" ? "a text" : `the ${typeof value} ${value}`;
}
