import type { z } from "zod";
import type { Json } from "../../core/base/json";
import type { DeclaredInput } from "../../core/effects/declared-input";
import { argumentNames } from "../../core/signature/json-schema/argument-names";
import type { SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";

/** What goes deeper is not looked at: it counts as it is given. */
const MAX_DEPTH = 5;
/** Nor what comes after so many fields: schemas of servers may be huge. */
const MAX_FIELDS = 500;

/** What a tool with this schema of zod takes; undefined: nothing is dropped, and there are no defaults. */
export const zodSchemaInput = (schema: z.ZodType): DeclaredInput | undefined =>
  declared(new ZodInput().of(schema as unknown as z.core.$ZodTypes, MAX_DEPTH));

/** The same for a JSON Schema. Fields that it does not name reach the tool, or are refused when the tool is called. */
export const jsonSchemaInput = (schema: SchemaOrBoolean | undefined, reader: SchemaReader): DeclaredInput | undefined =>
  declared(new JsonInput(reader).of(schema, MAX_DEPTH));

/** zod drops what an object does not name, unless it is loose or strict, or has a catchall. */
class ZodInput {
  private left = MAX_FIELDS;

  of(schema: z.core.$ZodTypes, depth: number): DeclaredInput {
    if (depth === 0 || this.left-- <= 0) return {};
    const inside = (one: z.core.$ZodType) => this.of(one as z.core.$ZodTypes, depth);
    const { def } = schema._zod;
    switch (def.type) {
      case "object": {
        const fields = mapped(def.shape, (field) => this.of(field as z.core.$ZodTypes, depth - 1));
        return def.catchall === undefined ? { fields, drops_others: true } : { fields };
      }
      case "array":
        return { items: this.of(def.element as z.core.$ZodTypes, depth - 1) };
      case "default":
        return { ...inside(def.innerType), ...defaultOf(isKept(def.innerType) ? def.defaultValue : undefined) };
      case "prefault":
        return { ...inside(def.innerType), ...defaultOf(takesNull(def.innerType) ? undefined : def.defaultValue) };
      case "nullable":
        return { ...inside(def.innerType), default: undefined };
      case "optional":
      case "nonoptional":
      case "readonly":
      case "catch":
        return inside(def.innerType);
      case "lazy":
        return this.of(def.getter() as z.core.$ZodTypes, depth - 1);
      case "pipe":
        return inside(def.in);
      case "union":
        return either(def.options.filter((one) => !isScalar(one)).map(inside));
      case "intersection":
        return both(inside(def.left), inside(def.right));
      default:
        return {};
    }
  }
}

/** Each alternative names its own fields. What none of them names reaches none of them. */
function either(shapes: DeclaredInput[]): DeclaredInput {
  const [only] = shapes;
  if (shapes.length === 1 && only !== undefined) return only;
  if (shapes.some(({ drops_others }) => drops_others === undefined)) return {};
  const fields: { [name: string]: DeclaredInput } = {};
  for (const shape of shapes)
    for (const [name, field] of Object.entries(shape.fields ?? {})) {
      const other = Object.hasOwn(fields, name) ? fields[name] : field;
      fields[name] = JSON.stringify(other) === JSON.stringify(field) ? field : {};
    }
  return { fields, drops_others: true };
}

function both(left: DeclaredInput, right: DeclaredInput): DeclaredInput {
  const fields = { ...left.fields, ...right.fields };
  // What both name takes what either takes.
  for (const name of Object.keys(left.fields ?? {})) if (Object.hasOwn(right.fields ?? {}, name)) fields[name] = {};
  return left.drops_others && right.drops_others ? { fields, drops_others: true } : { fields };
}

const SCALARS: readonly string[] = [
  ...["string", "number", "int", "boolean", "bigint", "enum", "literal", "null", "nan"],
  ...["undefined", "void", "date", "symbol", "template_literal"],
];
const isScalar = (schema: z.core.$ZodType): boolean => SCALARS.includes(schema._zod.def.type);

const KEPT: readonly string[] = ["string", "number", "int", "boolean", "enum", "literal"];

/**
 * Whether a value that fits comes out of the schema as it is: then a default that is spelled out does the same as one
 * left out. Not where null fits, which counts as left out and reaches the tool as null; nor where parts have their own
 * defaults.
 */
function isKept(given: z.core.$ZodType): boolean {
  const { def } = (given as z.core.$ZodTypes)._zod;
  if (def.checks?.some((check) => check._zod.def.check === "overwrite")) return false;
  switch (def.type) {
    case "optional":
    case "nonoptional":
    case "readonly":
      return isKept(def.innerType);
    case "array":
      return isKept(def.element);
    case "object":
      return Object.values(def.shape).every(isKept);
    case "union":
      return def.options.every(isKept);
    default:
      return KEPT.includes(def.type);
  }
}

function takesNull(given: z.core.$ZodType): boolean {
  const { def } = (given as z.core.$ZodTypes)._zod;
  if ("innerType" in def) return def.type === "nullable" || takesNull(def.innerType);
  return def.type === "union" ? def.options.some(takesNull) : ["null", "any", "unknown"].includes(def.type);
}

class JsonInput {
  private left = MAX_FIELDS;

  constructor(private readonly reader: SchemaReader) {}

  of(raw: SchemaOrBoolean | undefined, depth: number): DeclaredInput {
    if (depth === 0 || this.left-- <= 0) return {};
    const { properties, items } = this.reader.read(raw);
    const names = argumentNames(Object.keys(properties ?? {}));
    const fields = Object.fromEntries(
      names.map(({ name, key }): [string, DeclaredInput] => {
        const property = properties?.[key];
        const given = typeof property === "object" ? property.default : undefined;
        return [name, { ...this.of(property, depth - 1), ...defaultOf(given) }];
      }),
    );
    return { ...(names.length === 0 ? {} : { fields }), ...(items ? { items: this.of(items, depth - 1) } : {}) };
  }
}

/** A default that JSON can express. */
function defaultOf(value: unknown): { default?: Json } {
  if (value === undefined) return {};
  try {
    const text = JSON.stringify(value);
    return text === undefined ? {} : { default: JSON.parse(text) as Json };
  } catch {
    // A bigint, or what contains itself: no call can spell it out.
    return {};
  }
}

const mapped = <T>(map: { readonly [name: string]: T }, of: (one: T) => DeclaredInput) =>
  Object.fromEntries(Object.entries(map).map(([name, one]) => [name, of(one)]));

function declared(shape: DeclaredInput): DeclaredInput | undefined {
  const short = shortened(shape);
  return Object.keys(short).length === 0 ? undefined : short;
}

/** Without parts that declare nothing. */
function shortened({ fields = {}, items, drops_others, default: value }: DeclaredInput): DeclaredInput {
  const known = Object.entries(fields).map(([name, field]): [string, DeclaredInput] => [name, shortened(field)]);
  const kept = known.filter(([, field]) => drops_others || Object.keys(field).length > 0);
  const each = items && shortened(items);
  return {
    ...(drops_others || kept.length > 0 ? { fields: Object.fromEntries(kept) } : {}),
    ...(drops_others ? { drops_others } : {}),
    ...(each !== undefined && Object.keys(each).length > 0 ? { items: each } : {}),
    ...(value === undefined ? {} : { default: value }),
  };
}
