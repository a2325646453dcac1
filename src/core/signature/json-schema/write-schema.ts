import type { JsonObject } from "../../base/json";
import { isOptional } from "../check";
import { type Field, type PrimitiveName, type Type, wireName } from "../parse";

/**
 * A type as JSON Schema, for providers (lisp reference, section 15.4). They want an object at the root, so
 * a list there becomes `{items: [...]}`.
 */
export function outputSchema(type: Type): JsonObject {
  const schema = schemaOf(type);
  if (type.kind !== "list") return schema;
  return { type: "object", properties: { items: schema }, required: ["items"], additionalProperties: false };
}

/** The parameters of a tool or agent as one JSON Schema of an object. */
export function parametersSchema(parameters: readonly Field[]): JsonObject {
  return recordSchema(parameters);
}

function schemaOf(type: Type): JsonObject {
  switch (type.kind) {
    case "primitive":
      return { ...PRIMITIVE_SCHEMAS[type.name] };
    case "list":
      return { type: "array", items: schemaOf(type.of) };
    case "record":
      return recordSchema(type.fields);
  }
}

function recordSchema(fields: readonly Field[]): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [wireName(field.name), schemaOf(field.type)])),
    required: fields.filter((field) => !isOptional(field.type)).map((field) => wireName(field.name)),
    additionalProperties: false,
  };
}

const PRIMITIVE_SCHEMAS: Record<PrimitiveName, JsonObject> = {
  string: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  keyword: { type: "string" },
  map: { type: "object" },
  any: { type: "object" },
};
