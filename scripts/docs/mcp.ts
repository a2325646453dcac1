import * as z from "zod";
import type { McpTool } from "../../src/mcp/context/tool";
import { KINDS } from "../../src/mcp/resources";
import { TOOLS } from "../../src/mcp/tools";
import { markdownTable } from "./markdown-table";

/** The kinds of resources. */
export const mcpResources = () =>
  markdownTable(
    ["uri", "what"],
    KINDS.map(({ uri, description, mimeType }) => [`\`${uri}\``, `${description} (${mimeType})`]),
  );

/** Every tool with its arguments and errors. */
export const mcpTools = () => TOOLS.map(section).join("\n\n");

function section({ name, description, input, hints, errors = [] }: McpTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" }) as {
    properties?: { [name: string]: Argument };
    required?: string[];
  };
  const rows = Object.entries(properties).map(
    ([key, argument]) =>
      `- \`${key}${required.includes(key) ? "" : "?"}\` (${typeOf(argument)}): ${argument.description ?? ""}`,
  );
  const kinds = [
    ...(hints.readOnlyHint ? ["read"] : []),
    ...(hints.idempotentHint && !hints.readOnlyHint ? ["again"] : []),
    ...(hints.destructiveHint ? ["replaces"] : []),
    ...(hints.openWorldHint ? ["open"] : []),
  ];
  return [
    `### \`${name}\`${kinds.length === 0 ? "" : ` _${kinds.join(", ")}_`}`,
    description,
    rows.length === 0 ? "No arguments." : rows.join("\n"),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.map((code) => `\`${code}\``).join(", ")}.`]),
  ].join("\n\n");
}

interface Argument {
  type?: string;
  description?: string;
  enum?: string[];
  default?: unknown;
  items?: Argument;
}

function typeOf({ type = "any JSON", enum: values, default: preset, items }: Argument): string {
  const kind = values?.join(", ") ?? (type === "array" ? `list of ${items?.type ?? "any JSON"}` : type);
  return preset === undefined || typeof preset === "object" ? kind : `${kind}; default ${preset}`;
}
