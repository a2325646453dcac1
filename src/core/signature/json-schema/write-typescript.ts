import { isOptional } from "../check";
import { type Field, type PrimitiveName, parseSignature, type Type, wireName } from "../parse";
import { argumentNames } from "./argument-names";
import type { ToolSchemas } from "./read-signature";
import {
  allowsOtherProperties,
  alternativesOf,
  type Schema,
  SchemaError,
  type SchemaOrBoolean,
  type SchemaReader,
  typesOf,
} from "./schema-reader";

/** Arguments have the names that programs write; results have the tool's own. Fields that one side does not see are left out. */
type Side = "input" | "output";

/** The TypeScript of what tools take and give. Each `$ref` becomes a separate type, so that documents may refer in circles. */
export class TypeScriptWriter {
  /** Declarations of what the types refer to, in the order of their first use. */
  readonly declarations: string[] = [];
  private readonly names = new Map<SchemaReader, Map<string, string>>();
  private readonly taken: Set<string>;

  /** @param taken names that no declaration may have */
  constructor(taken: readonly string[]) {
    this.taken = new Set(taken);
  }

  /** `{ input: ...; output: ... }` of a tool with these schemas. */
  ofSchemas({ input, output, inputReader, outputReader }: Omit<ToolSchemas, "rename">): string {
    const takes = takesNone(input) ? mapOf("never") : this.typeOf(input, inputReader, "input");
    return pair(takes, this.typeOf(output, outputReader, "output"));
  }

  private typeOf(raw: SchemaOrBoolean | undefined, reader: SchemaReader, side: Side): string {
    if (typeof raw === "object" && raw.$ref !== undefined) return this.named(raw, raw.$ref, reader, side);
    return this.followed(raw, reader, side);
  }

  private named(raw: Schema, ref: string, reader: SchemaReader, side: Side): string {
    const names = this.names.get(reader) ?? new Map<string, string>();
    this.names.set(reader, names);
    // The other keywords next to a reference belong to this place.
    const { $ref: _, description: __, ...siblings } = raw;
    const key = JSON.stringify([side, ref, siblings]);
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = this.free(pascal(ref.split("/").at(-1) ?? ""), side);
    names.set(key, name);
    const at = this.declarations.push("") - 1;
    this.declarations[at] = `export type ${name} = ${this.followed(raw, reader, side)};`;
    return name;
  }

  private followed(raw: SchemaOrBoolean | undefined, reader: SchemaReader, side: Side): string {
    try {
      const schema = reader.read(raw);
      const type = this.plain(schema, reader, side);
      return schema.nullable === true ? union([type, "null"]) : type;
    } catch (error) {
      // The signature did not look as deep as this.
      if (error instanceof SchemaError) return "unknown";
      throw error;
    }
  }

  private free(name: string, side: Side): string {
    const wanted = side === "input" ? `${name}Input` : name;
    let free = wanted;
    for (let n = 2; this.taken.has(free); n++) free = `${wanted}${n}`;
    this.taken.add(free);
    return free;
  }

  private plain(schema: Schema, reader: SchemaReader, side: Side): string {
    const { anyOf: _, oneOf: __, ...own } = schema;
    const alternatives = alternativesOf(schema);
    if (alternatives === undefined) return this.ofTypes(own, reader, side);
    const others = union(alternatives.map((one) => this.typeOf(one, reader, side)));
    return own.properties === undefined ? others : `${this.ofTypes(own, reader, side)} & (${others})`;
  }

  private ofTypes(schema: Schema, reader: SchemaReader, side: Side): string {
    const values = schema.enum ?? ("const" in schema ? [schema.const] : undefined);
    if (values?.every((value) => typeof value !== "object" || value === null))
      return union(values.map((value) => JSON.stringify(value)));
    return union(typesOf(schema).map((name) => this.ofType(name, schema, reader, side)));
  }

  private ofType(name: string, schema: Schema, reader: SchemaReader, side: Side): string {
    if (name === "array") return listOf(this.typeOf(schema.items, reader, side));
    if (name === "object") return this.ofObject(schema, reader, side);
    return name === "string" || name === "boolean" || name === "null" ? name : "number";
  }

  private ofObject(schema: Schema, reader: SchemaReader, side: Side): string {
    const { properties, required = [], additionalProperties: others } = schema;
    const fields = argumentNames(Object.keys(properties ?? {})).flatMap(({ name, key }) => {
      const raw = properties?.[key];
      const property = reader.read(raw);
      if (side === "input" ? property.readOnly : property.writeOnly) return [];
      const given = required.includes(key) && !(side === "input" && property.default !== undefined);
      return [field(side === "input" ? wireName(name) : key, given, this.typeOf(raw, reader, side))];
    });
    if (fields.length === 0 && others !== false) return mapOf(this.typeOf(others, reader, side));
    return allowsOtherProperties(schema) ? recordOf([...fields, "[name: string]: unknown"]) : recordOf(fields);
  }
}

/** `{ input: ...; output: ... }` of a tool that has a signature alone; none means anything. */
export function typeScriptOfSignature(signature: string | undefined): string {
  if (signature === undefined) return pair(mapOf("unknown"), "unknown");
  const { parameters, output } = parseSignature(signature);
  return pair(ofFields(parameters), ofType(output));
}

function ofType(type: Type): string {
  if (type.kind === "list") return listOf(ofType(type.of));
  if (type.kind === "record") return ofFields(type.fields);
  return type.optional ? union([TYPE_OF[type.name], "null"]) : TYPE_OF[type.name];
}

const ofFields = (fields: readonly Field[]): string =>
  recordOf(fields.map(({ name, type }) => field(wireName(name), !isOptional(type), ofType(type))));

const TYPE_OF: Record<PrimitiveName, string> = {
  string: "string",
  int: "number",
  float: "number",
  bool: "boolean",
  keyword: "string",
  map: "{ [name: string]: unknown }",
  any: "unknown",
};

/** Arguments that the schema does not name are refused, though JSON Schema would allow them. */
const takesNone = (schema: SchemaOrBoolean | undefined): boolean =>
  typeof schema === "object" &&
  [schema.$ref, schema.allOf, alternativesOf(schema)].every((part) => part === undefined) &&
  Object.keys(schema.properties ?? { any: {} }).length === 0 &&
  !schema.additionalProperties;

const pair = (input: string, output: string): string => `{ input: ${input}; output: ${output} }`;
const mapOf = (values: string): string => `{ [name: string]: ${values} }`;
const recordOf = (fields: readonly string[]): string =>
  fields.length === 0 ? mapOf("never") : `{ ${fields.join("; ")} }`;
const field = (name: string, given: boolean, type: string): string =>
  `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${given ? "" : "?"}: ${type}`;
const listOf = (of: string): string => (/^\w+$/.test(of) ? `${of}[]` : `(${of})[]`);

/** Without a schema any value is allowed. */
function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 0 || all.includes("unknown") ? "unknown" : all.join(" | ");
}

function pascal(text: string): string {
  const words = decodeURIComponent(text)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(name) ? name : `Type${name}`;
}
