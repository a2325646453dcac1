import path from "node:path";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { contextPath } from "../../core/graph/definition/context-path";
import { parseDefinition } from "../../core/graph/definition/parse";
import { type Definition, workOf } from "../../core/graph/definition/schema";
import type { Loaded } from "../../core/graph/definition/validate";
import type { Finding } from "../../core/graph/nodes/findings";
import { parseData, readTextFile } from "../../node/data-file";
import { type Issue, mistakesText, placed } from "../../node/file-mistakes";

/** A finding with its line and column, 1-based. A finding about something missing has no place. */
export interface PlacedFinding extends Omit<Finding, "code"> {
  code: Finding["code"] | "invalid_path";
  line?: number;
  column?: number;
}

export interface ReadDefinition {
  definition: Definition;
  warnings: PlacedFinding[];
}

export const DEFINITION_ENDINGS: readonly string[] = [".json", ".yaml", ".yml"];

export interface ReadOptions {
  /** The id that it must have. */
  id?: string;
  /** The id that it has if the file names none. */
  fallbackId?: string;
  /** Loaded definitions: with them, missing subflows are reported. */
  loaded?: Loaded;
}

/**
 * A definition from a JSON or YAML file. Its default id is the name of the file.
 * @throws as `definitionIn`
 */
export function readDefinition(file: string, options: ReadOptions = {}): ReadDefinition {
  return definitionIn(readTextFile(file), file, { fallbackId: idOfFile(file), ...options });
}

/**
 * The same from a text that was read already; `file` is its name in messages.
 *
 * @throws NavigatorError that names every mistake with its line; `details` has `issues` and `warnings`.
 */
export function definitionIn(text: string, file: string, options: ReadOptions = {}): ReadDefinition {
  const raw = parseData(text, file) as Json;
  const fallback = isObject(raw) && raw.id === undefined ? options.fallbackId : undefined;
  const parsed = parseDefinition(raw, options.id ?? fallback, options.loaded);
  const at = (found: unknown) => placed(text, ((found ?? []) as PlacedFinding[]).map(issueOf)) as PlacedIssue[];
  if (!parsed.ok) {
    const { issues, warnings } = parsed.fail.details ?? {};
    const details = { path: file, issues: at(issues).map(shown), warnings: at(warnings).map(shown) };
    throw asNavigatorError({ ...parsed.fail, message: mistakesText(file, at(issues)), details });
  }
  const { definition, warnings } = parsed.value;
  const outside = at(pathsOutside(definition));
  if (outside.length > 0)
    throw new NavigatorError("invalid_input", mistakesText(file, outside), {
      details: { path: file, issues: outside.map(shown), warnings: [] },
    });
  return { definition, warnings: at(warnings).map(shown) };
}

/** `bug-fix` of `graphs/bug-fix.json` and of `graphs/bug-fix/workflow.json`. */
export function idOfFile(file: string): string {
  const name = path.basename(file, path.extname(file));
  return name === "workflow" ? path.basename(path.dirname(path.resolve(file))) : name;
}

type PlacedIssue = PlacedFinding & Issue;

function issueOf(finding: PlacedFinding): PlacedIssue {
  const { nodeId, edgeIndex, code } = finding;
  const path =
    edgeIndex !== undefined
      ? `edges[${edgeIndex}]`
      : nodeId !== undefined
        ? `nodes.${nodeId}`
        : code === "invalid_id" || code === "id_mismatch"
          ? "id"
          : "";
  // Findings name their node or edge themselves: the path only finds the line.
  return { ...finding, path, named: true };
}

const shown = ({ named: _, path: __, ...finding }: PlacedIssue): PlacedFinding => finding;

/** Files to read before a step must be in the definition's own folder (`./`) or in the project. Others are refused. */
function pathsOutside(definition: Definition): PlacedFinding[] {
  return Object.entries(definition.nodes).flatMap(([nodeId, node]) => {
    const files = workOf(node)?.context_files ?? [];
    return files.flatMap((name) => {
      const read = contextPath(name);
      const message = read.ok ? "" : `Node "${nodeId}": context_files ${read.fail.message}`;
      return read.ok ? [] : [{ code: "invalid_path" as const, nodeId, message }];
    });
  });
}
