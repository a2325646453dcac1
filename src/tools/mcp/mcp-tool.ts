import type { Tool as ServerTool } from "@modelcontextprotocol/sdk/types.js";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ToolSpec } from "../../core/calls/tool";
import { descriptionOf } from "../../core/signature/json-schema/description";
import { type SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";
import { CallShape } from "../call-shape";
import { ToolFailure, ToolRetry, unknownOutcomeText } from "../errors";
import { toolResultJson } from "../result";
import type { Secrets } from "../secrets";
import { Unusable } from "../source";
import type { SourceEffect } from "../source-settings";
import { sourceEffects } from "../source-tools";
import type { Tool, ToolContext } from "../tool";
import type { McpConnection } from "./connection";
import { resultOf } from "./results";
import { Trouble } from "./trouble";

export interface McpToolOptions {
  /** As programs call it. */
  name: string;
  connection: McpConnection;
  secrets: Secrets;
  /** What the settings say of its effects, and where they say it. */
  effects: SourceEffect;
  place: string;
  timeout_ms: number;
}

/** A little less than the call's own limit, so that a slow server can be distinguished from a lost worker. */
const answerWithin = (timeout_ms: number): number => timeout_ms - Math.min(500, timeout_ms / 10);

/** A tool of an MCP server. @throws SchemaError for a schema whose references lead nowhere, Unusable */
export function mcpTool(tool: ServerTool, options: McpToolOptions): Tool {
  if (tool.execution?.taskSupport === "required")
    throw new Unusable("it runs only as a task of MCP, which is not supported");
  const { name, connection, secrets, timeout_ms } = options;
  const [input, output] = [tool.inputSchema, tool.outputSchema] as (SchemaOrBoolean | undefined)[];
  const inputReader = new SchemaReader(input);
  const shape = new CallShape({ input, output, inputReader, outputReader: new SchemaReader(output) });
  const effect = options.effects.effect ?? effectOf(tool);
  const description = descriptionOf(tool.description ?? tool.title, input, inputReader);
  return {
    spec: {
      name,
      effect,
      signature: shape.signature,
      ...defined({ description }),
      timeout_ms,
      ...sourceEffects(options.effects, shape.signature, options.place),
    },
    run: async (args, call) => {
      const sent = shape.read(args);
      try {
        const result = await request(connection, tool.name, sent, call, timeout_ms);
        return secrets.hideIn(toolResultJson(resultOf(result, output !== undefined)));
      } catch (error) {
        throw secrets.hideFrom(asToolError(error, effect, connection));
      }
    },
  };
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
 * From what the server says about a tool. `irreversible` where it says that a second call would not be the same as one:
 * servers know nothing of our idempotency key, so only what it calls idempotent, or says nothing about, may be called
 * again after a crash.
 */
export function effectOf({ annotations = {} }: Pick<ServerTool, "annotations">): ToolSpec["effect"] {
  if (annotations.readOnlyHint === true) return "read";
  const { idempotentHint = annotations.destructiveHint === true ? false : undefined } = annotations;
  return idempotentHint === false ? "irreversible" : "write";
}

/** Only a call that did nothing, or only read, is repeated. */
function asToolError(error: unknown, effect: ToolSpec["effect"], connection: McpConnection): unknown {
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
