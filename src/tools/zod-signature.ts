import { z } from "zod";
import type { Field, Type } from "../core/signature/parse";
import { renderSignature } from "../core/signature/render";

/**
 * The signature that a prompt shows for a tool with zod schemas. What signatures cannot say (unions, tuples,
 * refinements, recursion) becomes `:any` or `:map`; the schema itself still checks it when the tool is called.
 */
export function signatureOf(input: z.ZodType | undefined, output: z.ZodType | undefined): string {
  const parameters = input === undefined ? undefined : typeOf(schemaJson(input, "input"));
  return renderSignature({
    parameters: parameters?.kind === "record" ? parameters.fields : [],
    output: output === undefined ? ANY : typeOf(schemaJson(output, "output")),
  });
}

const ANY: Type = { kind: "primitive", name: "any", optional: false };
const FIELD_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;
const PRIMITIVE_OF = { string: "string", integer: "int", number: "float", boolean: "bool", object: "map" } as const;

/** The part of JSON Schema that is looked at. */
interface SchemaJson {
  type?: string | string[];
  items?: SchemaJson;
  properties?: { [name: string]: SchemaJson };
  required?: string[];
  anyOf?: SchemaJson[];
}

function schemaJson(schema: z.ZodType, io: "input" | "output"): SchemaJson {
  return z.toJSONSchema(schema, { unrepresentable: "any", io }) as SchemaJson;
}

function typeOf(schema: SchemaJson): Type {
  const alternatives = schema.anyOf?.filter((one) => one.type !== "null");
  if (alternatives !== undefined) {
    const nullable = alternatives.length < (schema.anyOf as SchemaJson[]).length;
    const type = alternatives.length === 1 ? typeOf(alternatives[0] as SchemaJson) : ANY;
    return nullable ? optional(type) : type;
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((one) => one !== "null");
    const type = types.length === 1 ? typeOf({ ...schema, type: types[0] as string }) : ANY;
    return types.length < schema.type.length ? optional(type) : type;
  }
  if (schema.type === "array") return { kind: "list", of: schema.items ? typeOf(schema.items) : ANY };
  if (
    schema.type === "object" &&
    schema.properties &&
    Object.keys(schema.properties).every((name) => FIELD_NAME.test(name))
  )
    return { kind: "record", fields: fieldsOf(schema.properties, schema.required ?? []) };
  const name = PRIMITIVE_OF[schema.type as keyof typeof PRIMITIVE_OF];
  return name === undefined ? ANY : { kind: "primitive", name, optional: false };
}

function fieldsOf(properties: { [name: string]: SchemaJson }, required: string[]): Field[] {
  return Object.entries(properties).map(([name, property]) => {
    const type = typeOf(property);
    return { name, type: required.includes(name) ? type : optional(type) };
  });
}

/** Only primitives can be optional in a signature. */
function optional(type: Type): Type {
  if (type.kind === "primitive") return { ...type, optional: true };
  return { kind: "primitive", name: type.kind === "record" ? "map" : "any", optional: true };
}
