import type { Json } from "../../base/json";

/** A value as a reader of a conversation sees it: a text as it is, all else as JSON. */
export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
