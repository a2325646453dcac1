import type { JsonObject } from "./json";

/** Whether something is a JSON object: not a list, not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
