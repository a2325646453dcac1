import { readFileSync } from "node:fs";
import type { Json } from "../core/json";
import { CliError } from "./exit";

/** A JSON argument, given as text or as `@FILE`. Errors name the option, the file and the place. */
export function jsonArgument(option: string, text: string): Json {
  const fromFile = text.startsWith("@");
  const source = fromFile ? readFileSync(text.slice(1), "utf8") : text;
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    throw new CliError(
      "invalid_json",
      `${option}: ${fromFile ? `${text.slice(1)} is` : "that is"} no JSON: ${(error as Error).message}`,
      {
        hint: `Quote it for your shell, as in ${option} '{"order_id": 42}', or name a file: ${option} @context.json`,
      },
    );
  }
}

/** The same, when it must be an object. */
export function jsonObjectArgument(option: string, text: string): { [key: string]: Json } {
  const value = jsonArgument(option, text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CliError(
      "invalid_json",
      `${option} must be a JSON object, got ${Array.isArray(value) ? "an array" : JSON.stringify(value)}.`,
      {
        hint: `For example ${option} '{"order_id": 42}'`,
      },
    );
  return value;
}
