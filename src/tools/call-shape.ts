import { isObject } from "../core/base/is-object";
import type { Json, JsonObject } from "../core/base/json";
import { fromJson } from "../core/lisp/values/encode";
import { checkValue, renderMismatches } from "../core/signature/check";
import { argumentNames } from "../core/signature/json-schema/argument-names";
import { schemaSignature, type ToolSchemas } from "../core/signature/json-schema/read-signature";
import {
  allowsNull,
  alternativesOf,
  type Schema,
  type SchemaOrBoolean,
  type SchemaReader,
} from "../core/signature/json-schema/schema-reader";
import { parseSignature, type Signature, wireName } from "../core/signature/parse";
import { ToolFailure } from "./errors";

/**
 * Converts calls between a program and a tool with JSON Schemas: the signature that the prompt shows, and arguments as
 * the tool wants them. Programs write `-` for `_` and cannot write every name, so each key gets its own name back.
 */
export class CallShape {
  readonly signature: string;
  private readonly parsed: Signature;
  private readonly reader: SchemaReader;
  private readonly input: Schema;

  /** @throws SchemaError for a reference that leads nowhere */
  constructor(schemas: Omit<ToolSchemas, "rename">) {
    this.reader = schemas.inputReader;
    this.input = asOne(this.reader.read(schemas.input), this.reader);
    this.signature = schemaSignature({ ...schemas, input: this.input, rename: true });
    this.parsed = parseSignature(this.signature);
  }

  /** @throws ToolFailure `invalid_tool_args`: unknown, missing or mistyped arguments. */
  read(args: JsonObject): JsonObject {
    const isOpen = this.input.properties === undefined || this.input.additionalProperties;
    const unknown = isOpen ? [] : this.unknown(args);
    if (unknown.length > 0) {
      const known = this.parsed.parameters.map((field) => field.name).join(", ");
      throw refused(`there is no ${unknown.join(", ")}; ${known === "" ? "it takes none" : `there are ${known}`}`);
    }
    const unfit = checkValue({ kind: "record", fields: this.parsed.parameters }, fromJson(args));
    if (unfit.length > 0) throw refused(renderMismatches(unfit, ""));
    return restored(args, this.input, this.reader) as JsonObject;
  }

  private unknown(args: JsonObject): string[] {
    const known = new Set(this.parsed.parameters.map((field) => wireName(field.name)));
    return Object.keys(args).filter((name) => !known.has(wireName(name)));
  }
}

/** Alternative sets of arguments: all names of any of them. The tool itself checks which go together. */
function asOne(schema: Schema, reader: SchemaReader): Schema {
  const { anyOf: _, oneOf: __, ...own } = schema;
  const alternatives = variants(schema, reader);
  if (alternatives.length === 0) return schema;
  const all = Object.assign({}, ...alternatives.map((one) => one.properties), own.properties) as Schema["properties"];
  return { ...own, type: "object", properties: all ?? {} };
}

function refused(problem: string): ToolFailure {
  return new ToolFailure(`invalid arguments: ${problem}`, { code: "invalid_tool_args" });
}

/**
 * A value with the keys of its schema. Programs pass nil for a missing value: it is left out if null is not allowed.
 */
function restored(value: Json, raw: SchemaOrBoolean | undefined, reader: SchemaReader): Json {
  const schema = reader.read(raw);
  if (Array.isArray(value)) {
    const items = [schema, ...variants(schema, reader)].find((one) => one.items !== undefined)?.items;
    return items === undefined ? value : value.map((item) => restored(item, items, reader));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const property = propertyNamed(name, schema, reader);
    if (property === undefined) return [[name, item]];
    const { key, schema: inner, required } = property;
    if (item === null && !required && !allowsNull(reader.read(inner), reader)) return [];
    return [[key, restored(item, inner, reader)]];
  });
  return Object.fromEntries(entries);
}

interface Property {
  key: string;
  schema: SchemaOrBoolean;
  required: boolean;
}

function propertyNamed(name: string, schema: Schema, reader: SchemaReader): Property | undefined {
  for (const { properties = {}, required = [] } of [schema, ...variants(schema, reader)]) {
    const key = argumentNames(Object.keys(properties)).find((one) => wireName(one.name) === wireName(name))?.key;
    if (key !== undefined) return { key, schema: properties[key] as SchemaOrBoolean, required: required.includes(key) };
  }
  return undefined;
}

const variants = (schema: Schema, reader: SchemaReader): Schema[] =>
  (alternativesOf(schema) ?? []).map((one) => reader.read(one));
