import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/client";
import type { Json } from "../../core/base/json";
import { ToolFailure } from "../errors";
import { toolResultJson } from "../result";
import type { Tool, ToolContext } from "../tool";
import { asToolError, type McpToolOptions } from "./mcp-tool";

/** The resources of an MCP server as data: one tool lists them, one reads them. Both only read. */

/** Bytes of a text that a call gives, unless it asks for more. */
const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

type ResourceToolOptions = Pick<McpToolOptions, "connection" | "secrets" | "timeout_ms">;

/** @param names under which programs call them */
export function resourceTools(names: { list: string; read: string }, options: ResourceToolOptions): Tool[] {
  const { connection, secrets, timeout_ms } = options;
  const tool = (
    spec: Pick<Tool["spec"], "name" | "signature" | "description">,
    answer: (args: { [name: string]: Json }, call: ToolContext) => Promise<unknown>,
  ): Tool => ({
    spec: { ...spec, effect: "read", timeout_ms },
    run: async (args, call) => {
      try {
        return secrets.hideIn(toolResultJson(await answer(args, call)));
      } catch (error) {
        throw secrets.hideFrom(asToolError(error, "read", connection));
      }
    },
  });
  const within = ({ signal }: ToolContext): Within => ({ signal, timeout_ms });
  return [
    tool(
      {
        name: names.list,
        signature: "(cursor :string?) -> {resources [:map], templates [:map], next_cursor :string?}",
        description: "Lists what the server has to read; the next page with next_cursor",
      },
      ({ cursor }, call) => listed(connection, cursor, within(call)),
    ),
    tool(
      {
        name: names.read,
        signature:
          "(uri :string, max_bytes :int?) -> [{uri :string, mimeType :string?, text :string?, bytes :int, cut :bool}]",
        description: `Reads a resource; of a text at most max_bytes (default ${DEFAULT_BYTES}); of other data its size`,
      },
      (args, call) => contentOf(connection, args, within(call)),
    ),
  ];
}

type Within = { signal: AbortSignal; timeout_ms: ResourceToolOptions["timeout_ms"] };

async function listed(connection: ResourceToolOptions["connection"], cursor: Json | undefined, within: Within) {
  const page = await connection.listResources(typeof cursor === "string" ? cursor : undefined, within);
  return {
    resources: page.resources.map(shownResource),
    templates: page.templates.map(shownTemplate),
    next_cursor: page.next_cursor ?? null,
  };
}

async function contentOf(
  connection: ResourceToolOptions["connection"],
  { uri, max_bytes }: { [name: string]: Json },
  within: Within,
) {
  if (typeof uri !== "string" || uri === "")
    throw new ToolFailure("invalid arguments: uri: must be a text", { code: "invalid_tool_args" });
  const limit = max_bytes ?? DEFAULT_BYTES;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > MAX_BYTES)
    throw new ToolFailure(`invalid arguments: max_bytes: must be a whole number from 1 to ${MAX_BYTES}`, {
      code: "invalid_tool_args",
    });
  const { contents } = await connection.readResource(uri, within);
  return contents.map((part) => ({ uri: part.uri, mimeType: part.mimeType ?? null, ...partOf(part, limit) }));
}

function partOf(
  part: { text: string } | { blob: string },
  limit: number,
): { text: string | null; bytes: number; cut: boolean } {
  if ("blob" in part) return { text: null, bytes: Buffer.byteLength(part.blob, "base64"), cut: true };
  const whole = Buffer.from(part.text);
  if (whole.length <= limit) return { text: part.text, bytes: whole.length, cut: false };
  // The decoder keeps the bytes of a character that was cut.
  const text = new TextDecoder().decode(whole.subarray(0, limit), { stream: true });
  return { text, bytes: whole.length, cut: true };
}

const shownResource = ({ uri, name, title, description, mimeType, size }: Resource) => ({
  uri,
  name: title ?? name,
  description,
  mimeType,
  bytes: size,
});

const shownTemplate = ({ uriTemplate, name, title, description, mimeType }: ResourceTemplateType) => ({
  uri_template: uriTemplate,
  name: title ?? name,
  description,
  mimeType,
});
