import type { CallToolResult, ContentBlock, Tool as ServerTool } from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ToolSpec } from "../../core/calls/tool";
import { descriptionOf } from "../../core/signature/json-schema/description";
import { type SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";
import { stopAfter, TookTooLong } from "../../node/stop-after";
import { CallShape } from "../call-shape";
import { ToolFailure, ToolRetry, unknownOutcomeText } from "../errors";
import { toolResultJson } from "../result";
import { jsonSchemaInput } from "../schema/declared-input";
import { BadSchema, jsonSchemaCheck, loadChecks, type SchemaRead } from "../schema/json-schema-check";
import type { Secrets } from "../secrets";
import { Unusable } from "../source";
import type { SourceEffect } from "../source-settings";
import { sourceEffects } from "../source-tools";
import type { Tool, ToolContext } from "../tool";
import { misfit } from "../tool-schema";
import type { McpConnection } from "./connection";
import { Trouble } from "./trouble";

export interface McpToolOptions {
  /** As programs call it. */
  name: string;
  connection: McpConnection;
  secrets: Secrets;
  /** The settings' declaration of its effects, and the place of the declaration. */
  effects: SourceEffect;
  place: string;
  timeout_ms: number;
  /** How long its schemas may take to read. */
  read_ms: number;
  /** How long the check of its arguments or its result may take; 1 s. */
  check_ms?: number;
}

/** Schemas, and the values that they check, are the server's: without a limit it could stop this process. */
const CHECK_MS = 1_000;

/** A little less than the call's own limit, so that a slow server can be distinguished from a lost worker. */
const answerWithin = (timeout_ms: number): number => timeout_ms - Math.min(500, timeout_ms / 10);

interface Checked {
  what: string;
  code: string;
}
const ARGUMENTS: Checked = { what: "argument", code: "invalid_tool_args" };
const RESULT: Checked = { what: "result", code: "invalid_result" };

/** A tool of an MCP server. @throws SchemaError for a schema whose references lead nowhere, Unusable */
export function mcpTool(tool: ServerTool, options: McpToolOptions): Tool {
  loadChecks();
  return limited(
    options.read_ms,
    () => readTool(tool, options),
    (problem) => new Unusable(`its schemas cannot be read: ${problem}`),
  );
}

function readTool(tool: ServerTool, options: McpToolOptions): Tool {
  if (tool.execution?.taskSupport === "required")
    throw new Unusable("it runs only as a task of MCP, which is not supported");
  const { name, connection, secrets, timeout_ms, check_ms = CHECK_MS } = options;
  const [input, output] = [tool.inputSchema, tool.outputSchema] as (SchemaOrBoolean | undefined)[];
  const inputReader = new SchemaReader(input);
  const schemas = { input, output, inputReader, outputReader: new SchemaReader(output) };
  const shape = new CallShape(schemas);
  const [fits, answers] = [checkOf("inputSchema", input), checkOf("outputSchema", output)];
  const effect = options.effects.effect ?? effectOf(tool);
  const description = descriptionOf(tool.description ?? tool.title, input, inputReader);
  const within = <T>(of: Checked, work: () => T): T =>
    limited(check_ms, work, (problem) =>
      misfit([{ path: "", message: `the check by the server's schema does not end: ${problem}` }], of.what, of.code),
    );
  return {
    spec: {
      name,
      effect,
      signature: shape.signature,
      ...defined({ description, takes: effect === "read" ? undefined : jsonSchemaInput(input, inputReader) }),
      timeout_ms,
      ...sourceEffects(options.effects, { effect, signature: shape.signature }, options.place),
    },
    schemas,
    run: async (args, call) => {
      const sent = within(ARGUMENTS, () => checked(fits, shape.read(args), ARGUMENTS));
      try {
        const result = await request(connection, tool.name, sent as JsonObject, call, timeout_ms);
        const value = within(RESULT, () => {
          const value = resultOf(result, output !== undefined);
          checked(answers, (result.structuredContent ?? value) as Json, RESULT);
          return value;
        });
        return secrets.hideIn(toolResultJson(value));
      } catch (error) {
        throw secrets.hideFrom(asToolError(error, effect, connection));
      }
    },
  };
}

/** @throws Unusable for a schema that nothing can be checked by */
function checkOf(name: string, schema: SchemaOrBoolean | undefined): ((value: Json) => SchemaRead) | undefined {
  try {
    return schema === undefined ? undefined : jsonSchemaCheck(schema, { own: false });
  } catch (error) {
    if (error instanceof BadSchema) throw new Unusable(`its ${name} cannot be checked: ${error.message}`);
    throw error;
  }
}

/** @throws ToolFailure with the issues */
function checked(check: ((value: Json) => SchemaRead) | undefined, value: Json, of: Checked): Json {
  const read = check?.(value);
  if (read?.ok === false) throw misfit(read.issues, of.what, of.code);
  return value;
}

/** Work that a server's schema decides about. @throws what `failure` makes of work that takes too long or goes too deep */
function limited<T>(limit_ms: number, work: () => T, failure: (problem: string) => Error): T {
  try {
    return stopAfter(limit_ms, work);
  } catch (error) {
    if (error instanceof TookTooLong) throw failure(`it takes longer than ${limit_ms} ms`);
    // Of the stack. By name: which realm's class it has depends on the code that was called last.
    if ((error as Error | null)?.name === "RangeError") throw failure("too many levels inside each other");
    throw error;
  }
}

function request(connection: McpConnection, tool: string, args: JsonObject, call: ToolContext, timeout_ms: number) {
  return connection.call(tool, args, {
    signal: call.signal,
    timeout_ms: answerWithin(timeout_ms),
    idempotencyKey: call.idempotencyKey,
    onProgress: () => call.heartbeat(),
  });
}

/**
 * Derived from the server's description of a tool. `irreversible` where it declares that a second call would not be the
 * same as one: servers know nothing of our idempotency key, so only tools that it calls idempotent, or does not
 * describe, may be called again after a crash.
 */
export function effectOf({ annotations = {} }: Pick<ServerTool, "annotations">): ToolSpec["effect"] {
  if (annotations.readOnlyHint === true) return "read";
  const { idempotentHint = annotations.destructiveHint === true ? false : undefined } = annotations;
  return idempotentHint === false ? "irreversible" : "write";
}

/** Only a call that did nothing, or only read, is repeated. */
export function asToolError(error: unknown, effect: ToolSpec["effect"], connection: McpConnection): unknown {
  if (error instanceof NavigatorError) return new ToolRetry(error.message, { after_ms: connection.pause_ms });
  if (!(error instanceof Trouble)) return error;
  switch (error.kind) {
    case "answered":
      return new Error(error.message);
    case "timeout":
    case "lost":
      if (effect !== "read") return new ToolFailure(unknownOutcomeText(error.message), { code: "unknown_outcome" });
      return error.kind === "lost"
        ? new ToolRetry(error.message)
        : new ToolFailure(`the server gave no answer in time: ${error.message}`, { code: "timeout" });
    default:
      return new ToolRetry(error.message, { after_ms: connection.pause_ms });
  }
}

/**
 * The result of a call for a program: the structured content; else its text, parsed if the tool declares its output;
 * else its parts. Images, audio and binary files are described by type and size, because they must not go into a
 * history.
 *
 * @throws Error with the server's message if the tool failed
 */
function resultOf(result: CallToolResult, declared: boolean): Json {
  const content = result.content ?? [];
  if (result.isError) throw new Error(texts(content) || "the tool failed and gave no reason");
  if (result.structuredContent !== undefined) return slim(result.structuredContent as Json);
  if (content.length === 0) return null;
  if (!content.every((part) => part.type === "text")) return content.map(partOf);
  const text = texts(content);
  return declared ? parsed(text) : text;
}

const texts = (content: ContentBlock[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text; // it declared JSON and sent something else: the text is better than nothing
  }
}

function partOf(part: ContentBlock): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
      return { type: part.type, mimeType: part.mimeType, bytes: bytesOf(part.data) };
    case "resource_link":
      return definedFields({
        type: "resource_link",
        uri: part.uri,
        name: part.name,
        mimeType: part.mimeType,
        description: part.description,
        bytes: part.size,
      });
    case "resource": {
      const { resource } = part;
      const payload = "text" in resource ? { text: resource.text } : { bytes: bytesOf(resource.blob) };
      return definedFields({ type: "resource", uri: resource.uri, mimeType: resource.mimeType, ...payload });
    }
  }
}

/** Some servers repeat their parts in the structured content, pictures included. */
function slim(value: Json): Json {
  if (Array.isArray(value)) return value.map(slim);
  if (!isObject(value)) return value;
  const payload = ["image", "audio"].includes(value.type as string) ? "data" : "uri" in value ? "blob" : undefined;
  const entries = Object.entries(value).map(([key, item]): [string, Json] =>
    key === payload && typeof item === "string" ? ["bytes", bytesOf(item)] : [key, slim(item)],
  );
  return Object.fromEntries(entries);
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, "base64");

const definedFields = (fields: { [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
