import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { WorkflowBundleWithSourceMapAndFilename } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";

export type WorkflowBundle = WorkflowBundleWithSourceMapAndFilename;

/** The bundle of the workflows that the build makes. */
export const BUNDLE_FILE = path.join(__dirname, "../..", "workflow-bundle.js");

const MAP = "//# sourceMappingURL=data:application/json;base64,";

/** A bundle as the workflow thread loads it; undefined if its code does not end with its source map. */
export function parseBundle(code: string): WorkflowBundle | undefined {
  const at = code.lastIndexOf(MAP);
  if (at < 0) return undefined;
  const sourceMap = JSON.parse(Buffer.from(code.slice(at + MAP.length), "base64").toString());
  return { code, sourceMap, filename: path.resolve(sourceMap.file) };
}

/** The bundle in a file; undefined where there is none. */
export const readBundle = (file: string): WorkflowBundle | undefined =>
  existsSync(file) ? parseBundle(readFileSync(file, "utf8")) : undefined;
