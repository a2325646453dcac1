import type { Field, Signature, Type } from "./parse";

/** A signature, or a part of it, in its own notation: `parseSignature` reads it back. */
export function renderSignature(signature: Signature): string {
  return `(${renderFields(signature.parameters)}) -> ${renderType(signature.output)}`;
}

export function renderType(type: Type): string {
  switch (type.kind) {
    case "primitive":
      return `:${type.name}${type.optional ? "?" : ""}`;
    case "list":
      return `[${renderType(type.of)}]`;
    case "record":
      return `{${renderFields(type.fields)}}`;
  }
}

export function renderFields(fields: readonly Field[]): string {
  return fields.map((field) => `${field.name} ${renderType(field.type)}`).join(", ");
}

/** For inventories: `query string, limit int`, without colons. */
export function renderParameterWords(fields: readonly Field[]): string {
  return renderFields(fields).replaceAll(":", "");
}
