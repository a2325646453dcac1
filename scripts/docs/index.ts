import { entryLists, entryNames, reportFile, reportOf } from "./api";
import { catalog } from "./catalog";
import { mcpConformance } from "./conformance";
import { errorCodes } from "./errors";
import { lispFunctions } from "./lisp-functions";
import { mcpResources, mcpTools } from "./mcp";
import { openApiText, webOperations } from "./web";

/** A part of a document that is written from the code. It stands between `<!-- generated: NAME -->` and `<!-- end -->`. */
export interface GeneratedPart {
  /** From the root of the repository. */
  file: string;
  name: string;
  /** The Markdown between the two marks, in the formatter's form: see `markdownTable`. */
  text: () => string;
}

/** A document that is written from the code as a whole. */
export interface GeneratedFile {
  /** From the root of the repository. */
  file: string;
  text: () => string;
}

export const GENERATED_FILES: readonly GeneratedFile[] = [{ file: "docs/api/openapi.json", text: openApiText }];

export const GENERATED: readonly GeneratedPart[] = [
  { file: "docs/ptc-lisp.md", name: "lisp functions", text: lispFunctions },
  { file: "docs/errors.md", name: "error codes", text: errorCodes },
  { file: "docs/mcp.md", name: "resources", text: mcpResources },
  { file: "docs/mcp.md", name: "tools", text: mcpTools },
  { file: "docs/reference/mcp.md", name: "conformance", text: mcpConformance },
  { file: "docs/reference/web.md", name: "operations", text: webOperations },
  { file: "docs/catalog.md", name: "catalog", text: catalog },
  { file: "docs/exports.md", name: "entries", text: entryLists },
  ...entryNames().map((name) => ({ file: reportFile(name), name: "api", text: () => reportOf(name) })),
];

/** The document with the part as the code says it now. @throws when the document has no place for it */
export function withGenerated(document: string, part: GeneratedPart): string {
  const begin = `<!-- generated: ${part.name} -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`${part.file} lacks ${begin} ... <!-- end -->`);
  return `${document.slice(0, from)}${begin}\n\n${part.text().trim()}\n\n${document.slice(to)}`;
}
