import type { JsonObject } from "./json";

/** A JSON object: no list, not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
