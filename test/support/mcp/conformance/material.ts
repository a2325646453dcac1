import type { CallToolResult, ElicitRequestFormParams, InputRequiredResult } from "@modelcontextprotocol/server";
import type { ServedTool, ToolCallRequest } from "../../../../src/mcp/context/served-tool";

/** What the fixtures of the conformance suite are made of. */

/** One red pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A sound without samples. */
export const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

type Answer = CallToolResult | InputRequiredResult;

/** A tool that the suite calls by its name. The suite gives right arguments, so they are not checked. */
export function fixture(
  name: string,
  call: (request: ToolCallRequest) => Answer | Promise<Answer>,
  more: Partial<Omit<ServedTool, "listed">> & { schema?: { [field: string]: unknown } } = {},
): ServedTool {
  const { schema = {}, ...rest } = more;
  return {
    listed: { name, description: `Of the conformance suite: ${name}`, inputSchema: { type: "object", ...schema } },
    parse: async (args) => ({ ok: true, args: args as { [name: string]: unknown } }),
    call: async (request) => call(request),
    ...rest,
  };
}

/** A form with one field. */
export const form = (
  message: string,
  field: string,
  type: "string" | "boolean" = "string",
): ElicitRequestFormParams => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties: { [field]: { type } as { type: "string" } }, required: [field] },
});
