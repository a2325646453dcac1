import type { JsonObject } from "./json";

/** Whether something is a JSON object: not a list, not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Whether something is a list of texts. */
export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/**
 * Whether something is an object with a text in each of these fields. Signals cannot be refused before they arrive, and
 * a parser that names every mistake takes a hundred times as long: a flood of such signals would stop a run.
 */
export function hasTexts(raw: unknown, fields: readonly string[]): boolean {
  if (typeof raw !== "object" || raw === null) return false;
  for (const field of fields) {
    const value = (raw as { [name: string]: unknown })[field];
    if (typeof value !== "string" || value === "") return false;
  }
  return true;
}
