import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { WorkflowBundleWithSourceMapAndFilename } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";

export type WorkflowBundle = WorkflowBundleWithSourceMapAndFilename;

/** The workflows as the build has bundled them. */
export const BUNDLE_FILE = path.join(__dirname, "..", "workflow-bundle.js");

const MAP = "//# sourceMappingURL=data:application/json;base64,";

/** The code of a bundle with its map; undefined when the map is not at the end of the code. */
export function parseBundle(code: string): WorkflowBundle | undefined {
  const at = code.lastIndexOf(MAP);
  if (at < 0) return undefined;
  const sourceMap = JSON.parse(Buffer.from(code.slice(at + MAP.length), "base64").toString());
  return { code, sourceMap, filename: path.resolve(sourceMap.file) };
}

/** The bundle in a file; undefined where there is none. */
export const readBundle = (file: string): WorkflowBundle | undefined =>
  existsSync(file) ? parseBundle(readFileSync(file, "utf8")) : undefined;
