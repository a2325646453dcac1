import { isObject } from "../../base/is-object";

/** The keywords of JSON Schema that are read, with those that OpenAPI adds. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  items?: SchemaOrBoolean;
  properties?: { [name: string]: SchemaOrBoolean };
  required?: string[];
  additionalProperties?: SchemaOrBoolean;
  anyOf?: SchemaOrBoolean[];
  oneOf?: SchemaOrBoolean[];
  allOf?: SchemaOrBoolean[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  /** OpenAPI 3.0. */
  nullable?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
}

/** `true` allows everything, `false` nothing. */
export type SchemaOrBoolean = Schema | boolean;

/** A reference that leads nowhere. */
export class SchemaError extends Error {}

/** References to references, and `allOf` inside `allOf`: what goes deeper goes in a circle. */
const MAX_STEPS = 50;

/** Reads the schemas of one document: follows references inside it and merges `allOf`. */
export class SchemaReader {
  constructor(private readonly document: unknown) {}

  /** A schema without `$ref` and `allOf` at its top. @throws SchemaError */
  read(schema: SchemaOrBoolean | undefined): Schema {
    return this.merged(schema, MAX_STEPS);
  }

  /** What `#/components/schemas/Order` names, references followed; also for parts that are no schemas. @throws SchemaError */
  follow<T extends object>(part: T | { $ref: string }): T {
    let at: unknown = part;
    for (let steps = 0; isObject(at) && typeof at.$ref === "string"; steps++) {
      if (steps > MAX_STEPS) throw new SchemaError(`$ref "${at.$ref}" leads back to itself`);
      at = this.at(at.$ref);
    }
    if (!isObject(at)) throw new SchemaError("a reference leads to something that is not an object");
    return at as T;
  }

  private merged(schema: SchemaOrBoolean | undefined, steps: number): Schema {
    if (typeof schema !== "object" || schema === null) return {};
    if (steps === 0) throw new SchemaError("the schema contains itself");
    const { $ref, allOf, ...own } = schema;
    const parts = [
      ...(typeof $ref === "string" ? [this.at($ref) as SchemaOrBoolean] : []),
      ...(Array.isArray(allOf) ? allOf : []),
    ];
    return parts.reduceRight<Schema>((result, part) => both(this.merged(part, steps - 1), result), own);
  }

  /** What a JSON pointer names. */
  private at(ref: string): unknown {
    if (!ref.startsWith("#"))
      throw new SchemaError(`$ref "${ref}" leads out of the document: only "#/..." is followed`);
    let at: unknown = this.document;
    for (const part of ref.slice(1).split("/").slice(1)) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key))
        throw new SchemaError(`$ref "${ref}" leads nowhere`);
      at = (at as { [key: string]: unknown })[key];
    }
    return at;
  }
}

/** Both apply; where they define the same thing the second is nearer to its use. */
function both(first: Schema, second: Schema): Schema {
  const merged: Schema = { ...first, ...second };
  if (first.properties && second.properties) merged.properties = { ...first.properties, ...second.properties };
  if (first.required && second.required) merged.required = [...new Set([...first.required, ...second.required])];
  return merged;
}

/** The types that a schema allows, as a list: `type`, else the types of `enum` and `const`. Empty = anything. */
export function typesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat();
  const values = schema.enum ?? ("const" in schema ? [schema.const] : []);
  const types = values.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value));
  if (types.length > 0) return [...new Set(types)];
  return schema.properties === undefined ? [] : ["object"];
}

/** The alternatives of `anyOf` or `oneOf`. */
export const alternativesOf = (schema: Schema): SchemaOrBoolean[] | undefined => schema.anyOf ?? schema.oneOf;

/** Whether a schema allows null. */
export function allowsNull(schema: Schema, reader: SchemaReader): boolean {
  const alternatives = alternativesOf(schema);
  if (alternatives) return alternatives.some((one) => one === true || allowsNull(reader.read(one), reader));
  const types = typesOf(schema);
  return schema.nullable === true || types.length === 0 || types.includes("null");
}

/** The schemas of all objects in a schema that has no references and no alternatives. */
export function objectSchemas(schema: SchemaOrBoolean | undefined): Schema[] {
  if (typeof schema !== "object") return [];
  const inner = Object.values(schema.properties ?? {});
  return [...(schema.type === "object" ? [schema] : []), ...[...inner, schema.items].flatMap(objectSchemas)];
}

/** Whether a schema allows properties that it does not name. */
export const allowsOtherProperties = ({ properties, additionalProperties }: Schema): boolean =>
  properties === undefined || (additionalProperties !== false && additionalProperties !== undefined);

/** Whether an object schema requires every one of its properties. */
export const requiresAll = ({ properties, required }: Schema): boolean =>
  Object.keys(properties ?? {}).length === (required ?? []).length;
