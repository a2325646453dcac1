import { descriptionOf } from "../../src/core/signature/json-schema/description";
import { schemaSignature } from "../../src/core/signature/json-schema/read-signature";
import { SchemaReader } from "../../src/core/signature/json-schema/schema-reader";
import { defineTool, ToolRegistry } from "../../src/tools";
import type { SentCall } from "./outside-world";
import type { SuiteTool } from "./suite";

/** Sends a call to the world outside and gives its answer. */
export type SendCall = (call: Omit<SentCall, "worker">, signal: AbortSignal) => Promise<unknown>;

/**
 * The suite's tools as tools of Navigator, with the text that those of an MCP server get. Every call is meant, so that a program may
 * do the same twice: `repeatable`.
 */
export function turnTools(tools: Iterable<SuiteTool>, send: SendCall): ToolRegistry {
  return new ToolRegistry([...tools].map((tool) => turnTool(tool, send)));
}

/** Its schemas are read as a signature, whose check is enough here: 128 schemas compiled by ajv would make each start of a worker seconds longer. */
function turnTool({ name, description, input, output, isRead }: SuiteTool, send: SendCall) {
  const reader = new SchemaReader(input);
  const described = descriptionOf(description, input, reader);
  const outputReader = new SchemaReader(output);
  return defineTool({
    name,
    ...(described === undefined ? {} : { description: described }),
    ...(isRead ? { effect: "read" as const } : { repeatable: true }),
    signature: schemaSignature({ input, output, inputReader: reader, outputReader, rename: false }),
    run: (args, { idempotencyKey: key, attempt, agent, signal }) =>
      send({ agent: agent ?? "", tool: name, args, key, attempt }, signal),
  });
}
