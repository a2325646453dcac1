import type { Json, JsonObject } from "../../core/base/json";
import { callable } from "../../core/signature/json-schema/argument-names";
import {
  alternativesOf,
  type Schema,
  type SchemaOrBoolean,
  type SchemaReader,
  typesOf,
} from "../../core/signature/json-schema/schema-reader";
import { wireName } from "../../core/signature/parse";
import type { Operation, Parameter } from "./operation";

/** Where an argument of the tool goes in the request. */
type Target = { parameter: Parameter } | { field: string } | "body";

/** An operation's parameters and body as one set of named arguments. */
export interface OperationArguments {
  /** Of all arguments together. */
  input: Schema;
  /** @param args as `input` has them */
  sort(args: JsonObject): SortedArguments;
}

export interface SortedArguments {
  parameters: { parameter: Parameter; value: Json }[];
  /** Undefined = none is sent. */
  body: Json | undefined;
}

/**
 * The names are those of the document. Where a parameter and a field of the body share one, the later is called by its
 * place too: `body_id`.
 */
export function argumentsOf(operation: Operation, reader: SchemaReader): OperationArguments {
  const targets = new Map<string, Target>();
  const properties: { [name: string]: SchemaOrBoolean } = {};
  const required: string[] = [];
  const add = (name: string, place: string, target: Target, schema: SchemaOrBoolean, isRequired: boolean) => {
    const key = free(name, place, targets);
    targets.set(key, target);
    properties[key] = schema;
    if (isRequired) required.push(key);
  };
  for (const parameter of operation.parameters)
    add(parameter.name, parameter.in, { parameter }, withDescription(parameter), parameter.required);
  const { body } = operation;
  const fields = body === undefined ? undefined : fieldsOf(body.schema, reader);
  if (body !== undefined && fields === undefined) add("body", "request", "body", body.schema, body.required);
  for (const [field, schema] of Object.entries(fields?.properties ?? {})) {
    const isRequired = body?.required === true && fields?.required?.includes(field) === true;
    add(field, "body", { field }, schema, isRequired);
  }
  const others = fields?.additionalProperties;
  const input: Schema = { type: "object", properties, required, ...(others ? { additionalProperties: others } : {}) };
  return { input, sort: (args) => sorted(args, targets, body?.required === true && fields !== undefined) };
}

function free(name: string, place: string, taken: ReadonlyMap<string, Target>): string {
  const isTaken = (one: string) =>
    [...taken.keys()].some((other) => wireName(callable(other)) === wireName(callable(one)));
  if (!isTaken(name)) return name;
  let other = `${place}_${name}`;
  for (let n = 2; isTaken(other); n++) other = `${place}_${name}_${n}`;
  return other;
}

function withDescription({ schema, description }: Parameter): SchemaOrBoolean {
  return description === undefined || typeof schema === "boolean" ? schema : { ...schema, description };
}

/** The body's fields become separate arguments; a body that is no plain object is one argument. */
function fieldsOf(schema: SchemaOrBoolean, reader: SchemaReader): Schema | undefined {
  const read = reader.read(schema);
  const isPlain = alternativesOf(read) === undefined && typesOf(read).includes("object");
  return isPlain && Object.keys(read.properties ?? {}).length > 0 ? read : undefined;
}

function sorted(args: JsonObject, targets: ReadonlyMap<string, Target>, always: boolean): SortedArguments {
  const parameters: SortedArguments["parameters"] = [];
  const fields: JsonObject = {};
  let whole: Json | undefined;
  for (const [name, value] of Object.entries(args)) {
    const target = targets.get(name);
    if (target === "body") whole = value;
    else if (target !== undefined && "parameter" in target) parameters.push({ parameter: target.parameter, value });
    // A name that nothing declares is one of the fields that the body allows besides.
    else fields[target === undefined ? name : target.field] = value;
  }
  const hasFields = always || Object.keys(fields).length > 0;
  return { parameters, body: whole ?? (hasFields ? fields : undefined) };
}
