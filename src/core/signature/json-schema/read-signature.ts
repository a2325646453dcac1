import type { Field, Type } from "../parse";
import { renderSignature, renderType } from "../render";
import { argumentNames } from "./argument-names";
import { alternativesOf, type Schema, type SchemaOrBoolean, type SchemaReader, typesOf } from "./schema-reader";

/** The JSON Schemas of what a tool takes and gives; undefined = anything. */
export interface ToolSchemas {
  input?: SchemaOrBoolean | undefined;
  output?: SchemaOrBoolean | undefined;
  /** Of each, because references are looked up in it. */
  inputReader: SchemaReader;
  outputReader: SchemaReader;
  /** Whether arguments whose names no program can write get others (see argumentNames), or are left out. */
  rename: boolean;
}

/** A prompt shows the signature of every tool: what nests deeper than fits is `:map`. */
const MAX_CHARS = 2_000;
const MAX_DEPTH = 20;

/**
 * The signature of a tool from its JSON Schemas. What signatures cannot express (unions, tuples, refinements, recursion)
 * becomes `:any` or `:map`.
 *
 * @throws SchemaError for a reference that leads nowhere
 */
export function schemaSignature(schemas: ToolSchemas): string {
  // Expanded deeper and deeper while it fits: large documents refer to so much that the whole is never expanded.
  let signature = signatureTo(schemas, 1);
  for (let depth = 2; depth <= MAX_DEPTH; depth++) {
    const next = signatureTo(schemas, depth);
    if (next === signature || next.length > MAX_CHARS) break;
    signature = next;
  }
  return signature;
}

function signatureTo({ input, output, inputReader, outputReader, rename }: ToolSchemas, depth: number): string {
  const seen = new Set<string>();
  const parameters = typeOf(input, { reader: inputReader, io: "input", rename, depth: depth + 1, seen });
  return renderSignature({
    parameters: parameters.kind === "record" ? parameters.fields : [],
    output: typeOf(output, { reader: outputReader, io: "output", rename: false, depth, seen }),
  });
}

interface TypeOptions {
  reader: SchemaReader;
  /** Fields that only a reader (`readOnly`) or only a writer (`writeOnly`) sees are left out on the other side. */
  io: "input" | "output";
  rename: boolean;
  /** How much deeper fields and items are looked at. */
  depth: number;
  /** The references that led here: a second time is a recursion. */
  seen: ReadonlySet<string>;
}

const ANY: Type = { kind: "primitive", name: "any", optional: false };
const PRIMITIVE_OF = { string: "string", integer: "int", number: "float", boolean: "bool", object: "map" } as const;

function typeOf(raw: SchemaOrBoolean | undefined, options: TypeOptions): Type {
  const ref = typeof raw === "object" ? raw.$ref : undefined;
  const inside = ref === undefined ? options : { ...options, seen: new Set([...options.seen, ref]) };
  const schema = options.reader.read(raw);
  const type = plainType(schema, ref !== undefined && options.seen.has(ref) ? { ...options, depth: 0 } : inside);
  return schema.nullable === true ? optional(type) : type;
}

function plainType(schema: Schema, options: TypeOptions): Type {
  const { reader, depth } = options;
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined) {
    const others = alternatives.filter((one) => reader.read(one).type !== "null");
    const type = common(others.map((one) => (depth <= 0 ? shallow(reader.read(one)) : typeOf(one, options))));
    return others.length < alternatives.length ? optional(type) : type;
  }
  const types = typesOf(schema);
  const others = types.filter((one) => one !== "null");
  const type = others.length === 1 ? typeNamed(others[0] as string, schema, options) : ANY;
  return others.length < types.length ? optional(type) : type;
}

/** The one type that all have. */
function common([first, ...others]: Type[]): Type {
  if (first === undefined) return ANY;
  return others.every((one) => renderType(one) === renderType(first)) ? first : ANY;
}

function typeNamed(name: string, schema: Schema, options: TypeOptions): Type {
  if (name === "array") {
    const of = schema.items === undefined || options.depth <= 0 ? ANY : typeOf(schema.items, deeper(options));
    return { kind: "list", of };
  }
  const fields = name === "object" && options.depth > 0 ? fieldsOf(schema, options) : [];
  if (fields.length > 0) return { kind: "record", fields };
  return shallow({ type: name });
}

function shallow(schema: Schema): Type {
  const [name] = typesOf(schema);
  const primitive = PRIMITIVE_OF[name as keyof typeof PRIMITIVE_OF];
  return primitive === undefined ? ANY : { kind: "primitive", name: primitive, optional: false };
}

function fieldsOf(schema: Schema, options: TypeOptions): Field[] {
  const names = argumentNames(Object.keys(schema.properties ?? {}));
  return names.flatMap(({ name, key }) => {
    const raw = schema.properties?.[key];
    const property = options.reader.read(raw);
    if (options.io === "input" ? property.readOnly : property.writeOnly) return [];
    if (!options.rename && name !== key) return [];
    const type = typeOf(raw, deeper(options));
    const given = schema.required?.includes(key) && !(options.io === "input" && property.default !== undefined);
    return [{ name, type: given ? type : optional(type) }];
  });
}

const deeper = (options: TypeOptions): TypeOptions => ({ ...options, depth: options.depth - 1 });

/** Only primitives can be optional in a signature. */
function optional(type: Type): Type {
  if (type.kind === "primitive") return { ...type, optional: true };
  return { kind: "primitive", name: type.kind === "record" ? "map" : "any", optional: true };
}
