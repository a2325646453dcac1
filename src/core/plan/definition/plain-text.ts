import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";

/** Any JSON as text: texts unchanged, everything else as compact JSON. */
export const plainText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** As `plainText`, with line breaks, for people and models. */
export const prettyText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** A list of names, or one name alone; an object with a name stands for it. */
export const textsOf = (value: Json): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => {
    if (item === null) return [];
    if (!isObject(item)) return [plainText(item)];
    return [plainText(item.id ?? item.name ?? item.task ?? item)];
  });
