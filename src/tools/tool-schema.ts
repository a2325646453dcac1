import { z } from "zod";
import type { Json, JsonObject } from "../core/base/json";
import type { DeclaredInput } from "../core/effects/declared-input";
import { schemaSignature } from "../core/signature/json-schema/read-signature";
import { SchemaError, type SchemaOrBoolean, SchemaReader } from "../core/signature/json-schema/schema-reader";
import { CallShape } from "./call-shape";
import { ToolFailure } from "./errors";
import { toolResultJson } from "./result";
import { jsonSchemaInput, zodSchemaInput } from "./schema/declared-input";
import type { FromJsonSchema, JsonSchema } from "./schema/json-schema";
import { BadSchema, jsonSchemaCheck, type SchemaIssue } from "./schema/json-schema-check";

/** What `jsonSchema()` and `zodSchema()` of the AI SDK give. */
export interface AiSdkSchema<T = unknown> {
  readonly _type: T;
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/** What a tool takes or gives: a schema of zod 4, a JSON Schema, or `jsonSchema()` of the AI SDK. */
export type ToolSchema = z.ZodType | AiSdkSchema | JsonSchema;

/** The type of a value after it was read by a schema. */
export type ReadBy<S> = S extends z.ZodType ? z.output<S> : S extends AiSdkSchema<infer T> ? T : FromJsonSchema<S>;

/** The type of a value that a schema can read. */
export type GivenTo<S> = S extends z.ZodType ? z.input<S> : ReadBy<S>;

/** The arguments that a schema reads: always an object. */
export type ArgumentsOf<S> = S extends z.ZodType ? z.output<S> : ReadBy<S> extends infer T ? Extract<T, object> : never;

/** The schemas of a tool, ready to read calls and answers. */
export interface SchemaReaders {
  /** undefined = there is no schema. */
  signature: string | undefined;
  /** See ToolSpec. */
  takes: DeclaredInput | undefined;
  /** @throws ToolFailure `invalid_tool_args` with `issues` */
  readArguments(args: JsonObject): Promise<unknown>;
  /** @throws ToolFailure `invalid_result` with `issues`, or what `toolResultJson` refuses */
  readResult(result: unknown): Promise<Json>;
}

/** @param wrong makes the error of the tool. It is thrown for what is no schema, or cannot be checked. */
export function schemaReaders(
  given: { input?: unknown; output?: unknown },
  wrong: (problem: string) => Error,
): SchemaReaders {
  const input = given.input === undefined ? undefined : readSchema(given.input, "input", wrong);
  const output = given.output === undefined ? undefined : readSchema(given.output, "output", wrong);
  try {
    const shape = input?.json === undefined || input.isZod ? undefined : shapeOf(input, output);
    return {
      signature:
        input === undefined && output === undefined ? undefined : (shape?.signature ?? signatureOf(input, output)),
      takes: input?.takes,
      readArguments: async (args) => {
        if (input === undefined) return args;
        return parsed(input, shape === undefined ? args : shape.read(args), "argument", "invalid_tool_args");
      },
      readResult: async (result) => {
        if (output === undefined) return toolResultJson(result);
        return toolResultJson(
          await parsed(output, output.isZod ? result : toolResultJson(result), "result", "invalid_result"),
        );
      },
    };
  } catch (error) {
    if (error instanceof SchemaError) throw wrong(`its schema cannot be read: ${error.message}.`);
    throw error;
  }
}

interface ReadableSchema {
  json: SchemaOrBoolean;
  takes: DeclaredInput | undefined;
  isZod: boolean;
  read(value: unknown): Promise<{ ok: true; value: unknown } | { ok: false; issues: SchemaIssue[] }>;
}

const WHAT = "a schema of zod 4, a JSON Schema, or jsonSchema() of the AI SDK";

function readSchema(raw: unknown, side: "input" | "output", wrong: (problem: string) => Error): ReadableSchema {
  const schema = isLazy(raw) ? raw() : raw;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw wrong(`\`${side}\` must be ${WHAT}.`);
  if ("_zod" in schema) return zodSchema(schema as z.ZodType, side);
  if ("_def" in schema) throw wrong(`\`${side}\` is a schema of zod 3. It must be ${WHAT}.`);
  if ("~standard" in schema) throw wrong(`\`${side}\` is a schema of another library. It must be ${WHAT}.`);
  if (isAiSdkSchema(schema)) return aiSdkSchema(schema, side, wrong);
  return jsonSchema(schema as SchemaOrBoolean, side, wrong);
}

/** `lazySchema()` of the AI SDK. Schemas of some libraries are functions, too. */
const isLazy = (raw: unknown): raw is () => unknown => typeof raw === "function" && !("~standard" in raw);

const isAiSdkSchema = (schema: object): schema is AiSdkSchema => Symbol.for("vercel.ai.schema") in schema;

function zodSchema(schema: z.ZodType, side: "input" | "output"): ReadableSchema {
  return {
    json: zodJson(schema, side),
    takes: side === "input" ? zodSchemaInput(schema) : undefined,
    isZod: true,
    read: async (value) => {
      const read = await schema.safeParseAsync(value);
      if (read.success) return { ok: true, value: read.data };
      return {
        ok: false,
        issues: read.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message })),
      };
    },
  };
}

function aiSdkSchema(schema: AiSdkSchema, side: "input" | "output", wrong: (problem: string) => Error): ReadableSchema {
  const json = schema.jsonSchema;
  if (typeof json !== "object" || json === null || "then" in json)
    throw wrong(`\`${side}\` gives its JSON Schema later. It must be there when the tool is defined.`);
  const readable = jsonSchema(json as SchemaOrBoolean, side, wrong);
  const { validate } = schema;
  if (validate === undefined) return readable;
  return {
    ...readable,
    read: async (value) => {
      const read = (await validate(value)) as { success: true; value: unknown } | { success: false; error: Error };
      return read.success
        ? { ok: true, value: read.value }
        : { ok: false, issues: [{ path: "", message: read.error.message }] };
    },
  };
}

function jsonSchema(
  json: SchemaOrBoolean,
  side: "input" | "output",
  wrong: (problem: string) => Error,
): ReadableSchema {
  const type = typeof json === "object" ? json.type : undefined;
  if (side === "input" && type !== undefined && type !== "object")
    throw wrong(`\`input\` must be the schema of an object, got type ${JSON.stringify(type)}.`);
  try {
    const check = jsonSchemaCheck(json, { own: true });
    return {
      json,
      takes: jsonSchemaInput(json, new SchemaReader(json)),
      isZod: false,
      read: async (value) => check(value as Json),
    };
  } catch (error) {
    if (error instanceof BadSchema) throw wrong(`\`${side}\` is no JSON Schema that can be checked: ${error.message}.`);
    throw error;
  }
}

const signatureOf = (input: ReadableSchema | undefined, output: ReadableSchema | undefined): string =>
  schemaSignature({ ...sides(input, output), rename: false });

const shapeOf = (input: ReadableSchema, output: ReadableSchema | undefined): CallShape =>
  new CallShape(sides(input, output));

const sides = (input: ReadableSchema | undefined, output: ReadableSchema | undefined) => ({
  input: input?.json,
  output: output?.json,
  inputReader: new SchemaReader(input?.json),
  outputReader: new SchemaReader(output?.json),
});

const zodJson = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { unrepresentable: "any", io }) as SchemaOrBoolean;

async function parsed(schema: ReadableSchema, value: unknown, what: string, code: string): Promise<unknown> {
  const read = await schema.read(value);
  if (read.ok) return read.value;
  throw misfit(read.issues, what, code);
}

/** The error of a call whose arguments or result do not fit a schema. */
export function misfit(issues: SchemaIssue[], what: string, code: string): ToolFailure {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  return new ToolFailure(`invalid ${what}s: ${list}`, { code, issues: issues as never });
}
