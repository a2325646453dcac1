import type { Json, JsonObject } from "../../../src/core/base/json";
import { type Field, parseSignature, type Type } from "../../../src/core/signature/parse";

/** What is filled in for the arguments of a call: texts, and what they make by the signature. */

/** The texts of the fields, by name, and what they make. */
export interface ArgumentsDraft {
  texts: { [name: string]: string };
  value: JsonObject;
  /** What is wrong, by the name of the field. */
  problems: { [name: string]: string };
}

/** The parameters of a signature; none if there is no signature, or it cannot be read. */
export function parametersOf(signature: string | undefined): Field[] {
  try {
    return signature === undefined ? [] : parseSignature(signature).parameters;
  } catch {
    return [];
  }
}

const isOptional = (type: Type): boolean => type.kind === "primitive" && type.optional;

const textOf = (type: Type, value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (type.kind === "primitive" && ["string", "keyword"].includes(type.name) && typeof value === "string") return value;
  return JSON.stringify(value, null, type.kind === "primitive" && type.name !== "map" ? undefined : 2);
};

/** @throws Error with what would be right */
function typedValue(type: Type, text: string): Json {
  if (type.kind === "primitive") {
    if (type.name === "string" || type.name === "keyword") return text;
    if (type.name === "int" || type.name === "float") {
      const n = Number(text);
      if (text.trim() === "" || Number.isNaN(n)) throw new Error("a number is needed");
      if (type.name === "int" && !Number.isSafeInteger(n)) throw new Error("a whole number is needed");
      return n;
    }
    if (type.name === "bool") return text === "true";
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (type.kind === "primitive" && type.name === "any") return text;
    throw new Error(type.kind === "list" ? "a list as JSON is needed: [1, 2]" : 'a map as JSON is needed: {"a": 1}');
  }
}

/** What the texts make of the fields. */
export function draftOf(fields: readonly Field[], texts: { [name: string]: string }): ArgumentsDraft {
  const value: JsonObject = {};
  const problems: { [name: string]: string } = {};
  for (const { name, type } of fields) {
    const text = texts[name] ?? "";
    if (text === "" && !(type.kind === "primitive" && type.name === "bool")) {
      if (!isOptional(type) && !(type.kind === "primitive" && type.name === "string")) problems[name] = "it is missing";
      else if (!isOptional(type)) value[name] = "";
      continue;
    }
    try {
      value[name] = typedValue(type, text);
    } catch (error) {
      problems[name] = (error as Error).message;
    }
  }
  return { texts, value, problems };
}

/** The texts that a form begins with. */
export const textsOf = (fields: readonly Field[], given: JsonObject): { [name: string]: string } =>
  Object.fromEntries(fields.map(({ name, type }) => [name, textOf(type, given[name])]));

/** Whether what is filled in is another value. Of an argument that was not given, a text has "", and a truth value false. */
export function isChanged(before: Json | undefined, now: Json | undefined): boolean {
  if ((before ?? null) === null && (now === "" || now === false)) return false;
  return JSON.stringify(before ?? null) !== JSON.stringify(now ?? null);
}
