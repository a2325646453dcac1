import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { defined } from "../../core/base/defined";
import type { Reason } from "../../core/base/failure";
import { NavigatorError } from "../../core/base/navigator-error";
import { topologicalOrder } from "../../core/base/ordering";
import { type Definition, WORKFLOW_ID } from "../../core/graph/definition/schema";
import { subflowsOf } from "../../core/graph/nodes/subflow";
import { DEFINITION_ENDINGS, type PlacedFinding, readDefinition } from "./definition-file";

/** A folder of workflow definitions: `<id>.json`, `<id>.yaml` or `<id>/workflow.json` (graph reference, section 9.7). */

export interface FolderDefinition {
  id: string;
  /** Absolute. */
  file: string;
  definition: Definition;
  warnings: PlacedFinding[];
}

/** A file that could not be used, or an id that was not found. */
export interface FolderError {
  id: string;
  file?: string;
  code: Reason;
  message: string;
  details?: unknown;
}

export interface FolderContent {
  /** In the order of `ids`, else by id. */
  definitions: FolderDefinition[];
  errors: FolderError[];
}

/**
 * Reads the definitions of a folder, all or those of `ids`. A file is named like its workflow. A mistake in one file is
 * reported in `errors`, and the others are still read. No file outside the folder is opened.
 *
 * @throws NavigatorError `not_found` if the folder does not exist
 */
export function readDefinitionFolder(folder: string, ids?: readonly string[]): FolderContent {
  const files = definitionFiles(folder);
  // Subflows are checked over all files of the folder, whichever were requested.
  const loaded = new Map<string, Definition>();
  for (const { id, file } of files) {
    const read = tried(id, file, () => readDefinition(inside(folder, file), { id }));
    if (!("code" in read) && !loaded.has(id)) loaded.set(id, read.definition);
  }
  const content: FolderContent = { definitions: [], errors: [] };
  for (const id of ids ?? [...new Set(files.map((one) => one.id))]) {
    const [first, ...others] = files.filter((one) => one.id === id);
    if (first === undefined) {
      content.errors.push(WORKFLOW_ID.test(id) ? notFound(id, folder, files) : wrongId(id));
      continue;
    }
    const read = tried(id, first.file, () => readDefinition(inside(folder, first.file), { id, loaded }));
    if ("code" in read) content.errors.push(read);
    else content.definitions.push({ id, file: first.file, ...read });
    for (const { file } of others)
      content.errors.push({
        id,
        file,
        code: "already_exists",
        message: `${file}: there is "${id}" already, in ${first.file}; keep one of them.`,
        details: { path: file, kind: "workflow" },
      });
  }
  return content;
}

/** The files that may be definitions, in order of precedence: by id, files before folders. */
function definitionFiles(folder: string): { id: string; file: string }[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new NavigatorError("not_found", `There is no folder ${folder}.`, { details: { path: folder, kind: "file" } });
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries
    // A project's configuration in the same folder is not a definition.
    .filter((entry) => isDefinition(entry.name) && !entry.name.startsWith("navigator.config."))
    .map(({ name }) => ({ id: path.parse(name).name, file: path.resolve(folder, name) }));
  const folders = entries.flatMap(({ name }) => {
    const file = DEFINITION_ENDINGS.map((ending) => path.resolve(folder, name, `workflow${ending}`)).find((one) =>
      existsSync(one),
    );
    return file === undefined ? [] : [{ id: name, file }];
  });
  return [...files, ...folders].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

const isDefinition = (name: string): boolean => DEFINITION_ENDINGS.includes(path.extname(name));

/**
 * A link may point anywhere, and files outside do not belong to the project.
 * @throws NavigatorError `invalid_input`
 */
function inside(folder: string, file: string): string {
  const root = realpathSync(folder);
  let real = file;
  try {
    real = realpathSync(file);
  } catch {
    throw new NavigatorError("not_found", `${file} leads to no file.`, { details: { path: file, kind: "file" } });
  }
  if (real.startsWith(root + path.sep)) return file;
  throw new NavigatorError("invalid_input", `${file} leads out of ${folder}.`, {
    hint: "Keep the file inside the folder.",
    details: { path: file },
  });
}

function tried<T extends object>(id: string, file: string, read: () => T): T | FolderError {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const { code, message, details } = error;
    return { id, file, code, message, ...defined({ details }) };
  }
}

function notFound(id: string, folder: string, files: readonly { id: string }[]): FolderError {
  const there = files.map((one) => one.id).join(", ") || "none";
  return { id, code: "workflow_not_found", message: `There is no "${id}" in ${folder}. There are: ${there}.` };
}

const wrongId = (id: string): FolderError => ({
  id,
  code: "invalid_id",
  message: `A workflow id is lower-case kebab, e.g. bug-fix; got ${JSON.stringify(id)}.`,
});

/** The same definitions, each after those that it runs as subflows: loaded in this order none misses another. */
export function subflowsFirst(definitions: readonly Definition[]): Definition[] {
  const byId = new Map(definitions.map((one) => [one.id, one]));
  return topologicalOrder(definitions, (definition) => subflowsOf(definition).flatMap((id) => byId.get(id) ?? []));
}
