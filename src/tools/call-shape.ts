import { isObject } from "../core/base/is-object";
import type { Json, JsonObject } from "../core/base/json";
import { fromJson } from "../core/lisp/values/encode";
import { checkValue, renderMismatches } from "../core/signature/check";
import { type ArgumentName, argumentNames } from "../core/signature/json-schema/argument-names";
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
 * the tool wants them. Programs write `-` for `_` and cannot write every name, so each key gets its own name back. A key
 * that the tool itself has means that one.
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

  /** @throws ToolFailure `invalid_tool_args`: unknown, missing or mistyped arguments, and two that mean the same one. */
  read(args: JsonObject): JsonObject {
    const sent = restored(args, this.input, this.reader, "key") as JsonObject;
    const isOpen = this.input.properties === undefined || this.input.additionalProperties;
    const unknown = isOpen ? [] : this.unknown(args);
    if (unknown.length > 0) {
      const known = this.parsed.parameters.map((field) => field.name).join(", ");
      throw refused(`there is no ${unknown.join(", ")}; ${known === "" ? "it takes none" : `there are ${known}`}`);
    }
    const shown = restored(args, this.input, this.reader, "name");
    const unfit = checkValue({ kind: "record", fields: this.parsed.parameters }, fromJson(shown));
    if (unfit.length > 0) throw refused(renderMismatches(unfit, ""));
    return sent;
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
 * A value with the keys of its schema, or with the names that the signature has for them. Programs pass nil for a missing
 * value: it is not sent if null is not allowed.
 */
function restored(value: Json, raw: SchemaOrBoolean | undefined, reader: SchemaReader, as: "key" | "name"): Json {
  const schema = reader.read(raw);
  if (Array.isArray(value)) {
    const items = [schema, ...variants(schema, reader)].find((one) => one.items !== undefined)?.items;
    return items === undefined ? value : value.map((item) => restored(item, items, reader, as));
  }
  if (!isObject(value)) return value;
  const written = new Map<string, string>();
  const entries = Object.entries(value).flatMap(([given, item]): [string, Json][] => {
    const property = propertyNamed(given, schema, reader);
    const key = property?.key ?? given;
    const other = written.get(key);
    if (other !== undefined) throw refused(`${other} and ${given} are the same argument; give one of them`);
    written.set(key, given);
    if (property === undefined) return [[given, item]];
    const { schema: inner, required, name } = property;
    if (as === "key" && item === null && !required && !allowsNull(reader.read(inner), reader)) return [];
    return [[as === "key" ? key : wireName(name), restored(item, inner, reader, as)]];
  });
  return Object.fromEntries(entries);
}

interface Property {
  key: string;
  /** As the signature has it. */
  name: string;
  schema: SchemaOrBoolean;
  required: boolean;
}

function propertyNamed(given: string, schema: Schema, reader: SchemaReader): Property | undefined {
  const sets = [schema, ...variants(schema, reader)].map(({ properties = {}, required = [] }) => ({
    properties,
    required,
    names: argumentNames(Object.keys(properties)),
  }));
  const means = [
    ({ key }: ArgumentName) => key === given,
    ({ name }: ArgumentName) => wireName(name) === wireName(given),
  ];
  for (const isMatched of means)
    for (const { properties, required, names } of sets) {
      const found = names.find(isMatched);
      if (found === undefined) continue;
      const { key, name } = found;
      return { key, name, schema: properties[key] as SchemaOrBoolean, required: required.includes(key) };
    }
  return undefined;
}

const variants = (schema: Schema, reader: SchemaReader): Schema[] =>
  (alternativesOf(schema) ?? []).map((one) => reader.read(one));
