import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { McpTool } from "../../src/mcp/context/tool";
import { KINDS } from "../../src/mcp/resources";
import { TOOLS } from "../../src/mcp/tools";

/** The page's tables are those of the registered tools. To write them again: NAVIGATOR_WRITE_DOCS=1 and this test. */
const file = path.join(__dirname, "../../docs/mcp.md");

test("the page has every tool with its arguments and errors, and every resource", () => {
  const text = readFileSync(file, "utf8");
  const begin = text.slice(0, text.indexOf("<!-- resources -->"));
  const between = text.slice(text.indexOf("## Tools"), text.indexOf("<!-- tools -->"));
  const whole = `${begin}<!-- resources -->\n\n${resources()}\n\n${between}<!-- tools -->\n\n${tools()}\n`;
  if (process.env.NAVIGATOR_WRITE_DOCS === "1") writeFileSync(file, whole);
  expect(plain(text)).toBe(plain(whole));
});

/** The formatter aligns columns; that is no difference. */
const plain = (text: string): string => text.replace(/[ -]+/g, " ").trim();

const resources = () =>
  table(
    ["uri", "what"],
    KINDS.map(({ uri, description, mimeType }) => [`\`${uri}\``, `${description} (${mimeType})`]),
  );

const tools = () => TOOLS.map(section).join("\n\n");

function section({ name, description, input, hints, errors = [] }: McpTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" }) as {
    properties?: { [name: string]: Argument };
    required?: string[];
  };
  const rows = Object.entries(properties).map(([key, argument]) => [
    `\`${key}\`${required.includes(key) ? "" : "?"}`,
    typeOf(argument),
    argument.description ?? "",
  ]);
  const kinds = [
    ...(hints.readOnlyHint ? ["read"] : []),
    ...(hints.idempotentHint && !hints.readOnlyHint ? ["again"] : []),
    ...(hints.destructiveHint ? ["replaces"] : []),
    ...(hints.openWorldHint ? ["open"] : []),
  ];
  return [
    `### \`${name}\`${kinds.length === 0 ? "" : ` _${kinds.join(", ")}_`}`,
    description,
    ...(rows.length === 0 ? ["No arguments."] : [table(["argument", "type", "meaning"], rows)]),
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

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
const cell = (text: string) => text.replaceAll("|", "\\|");
