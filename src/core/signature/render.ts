import type { Field, Signature, Type } from "./parse";

/** A signature, or a part of it, in its own notation: `parseSignature` reads it back. */
export function renderSignature(signature: Signature): string {
  return `(${renderFields(signature.parameters)}) -> ${renderType(signature.output)}`;
}

/** A type as signatures write it, such as `{tx :string}`. */
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

/** Fields as signatures write them, such as `order_id :int, amount :int`. */
export function renderFields(fields: readonly Field[]): string {
  return fields.map((field) => `${field.name} ${renderType(field.type)}`).join(", ");
}

/** Parameters as inventories show them: `query string, limit int`, without colons. */
export function renderParameterWords(fields: readonly Field[]): string {
  return renderFields(fields).replaceAll(":", "");
}
