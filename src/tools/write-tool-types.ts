import { TypeScriptWriter, typeScriptOfSignature } from "../core/signature/json-schema/write-typescript";
import type { Tool } from "./tool";

const NAME = "Tools";

/**
 * A TypeScript module with the types of these tools: `Tools["shop_getOrder"]["input"]`. Those with JSON Schemas have types
 * by them, the others by their signatures. The same tools give the same text.
 */
export function toolTypes(tools: readonly Tool[]): string {
  const writer = new TypeScriptWriter([NAME]);
  const fields = tools.map(({ spec, schemas }) => {
    const type = schemas === undefined ? typeScriptOfSignature(spec.signature) : writer.ofSchemas(schemas);
    return `${comment(spec.description)}  ${JSON.stringify(spec.name)}: ${type};`;
  });
  return [
    "// Written by `navigator tools types`: what the tools of MCP servers and OpenAPI documents take and give.",
    `export interface ${NAME} {\n${fields.join("\n")}\n}`,
    ...writer.declarations,
    "",
  ].join("\n\n");
}

/** The first line of a description. */
function comment(description: string | undefined): string {
  const line = description?.trim().split("\n")[0]?.replaceAll("*/", "* /") ?? "";
  return line === "" ? "" : `  /** ${line} */\n`;
}
