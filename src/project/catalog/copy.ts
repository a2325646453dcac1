import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import { reachedFrom } from "../../core/base/ordering";
import { subflowsOf } from "../../core/graph/nodes/subflow";
import { AGENTS, agentFile, agentsOf, CATALOG_FOLDER, catalogFiles, catalogWorkflows } from "./catalog";
import { DEFINITION_ENDINGS } from "./definition-file";
import type { FolderDefinition } from "./folder";

/** `kept`: a different file exists and is not changed. */
export type CopyAction = "created" | "unchanged" | "overwritten" | "kept";

export interface CopiedFile {
  /** Absolute. */
  file: string;
  action: CopyAction;
}

export interface CopiedWorkflow {
  id: string;
  name: string;
  /** The workflow that runs this one as a subflow, if it was not requested by name. */
  neededBy?: string;
  files: CopiedFile[];
}

export interface Copied {
  copied: CopiedWorkflow[];
  agents: (CopiedFile & { name: string })[];
  errors: { id: string; code: "workflow_not_found"; message: string }[];
}

export interface CopyOptions {
  /** The folder of the agents; default: `agents` in the folder of the workflows. */
  agentsFolder?: string;
  /** Files that differ from the catalog's are replaced; otherwise they are kept. */
  force?: boolean;
}

/**
 * Copies workflows of the catalog into a project: their definitions, those of their subflows, and the agents that
 * their steps name. An unknown id is an entry in `errors`, and the others are copied.
 *
 * @throws NavigatorError `file_error`
 */
export function copyWorkflows(ids: readonly string[], folder: string, options: CopyOptions = {}): Copied {
  const all = new Map(catalogWorkflows().map((one) => [one.id, one]));
  const errors = ids
    .filter((id) => !all.has(id))
    .map((id) => ({
      id,
      code: "workflow_not_found" as const,
      message: `The catalog has no "${id}". It has: ${[...all.keys()].join(", ")}.`,
    }));
  const wanted = withSubflows(
    ids.filter((id) => all.has(id)),
    all,
  );
  const force = options.force === true;
  const copied = [...wanted].map(([id, neededBy]): CopiedWorkflow => {
    const workflow = all.get(id) as FolderDefinition;
    return {
      id,
      name: workflow.definition.name,
      ...(neededBy === null ? {} : { neededBy }),
      files: copyDefinition(workflow, path.resolve(folder), force),
    };
  });
  const names = [...new Set(copied.flatMap(({ id }) => agentsOf((all.get(id) as FolderDefinition).definition)))].sort();
  const agentsFolder = path.resolve(options.agentsFolder ?? path.join(folder, AGENTS));
  return { copied, agents: names.flatMap((name) => copyAgent(name, agentsFolder, force)), errors };
}

/** id -> the workflow that needs it, null for requested ones. */
function withSubflows(ids: readonly string[], all: ReadonlyMap<string, FolderDefinition>): Map<string, string | null> {
  return reachedFrom(ids, (id) => subflowsOf((all.get(id) as FolderDefinition).definition));
}

function copyDefinition(workflow: FolderDefinition, folder: string, force: boolean): CopiedFile[] {
  const files = catalogFiles(workflow);
  // The same workflow in another format would be a second one with its id.
  const other = otherForm(workflow.id, folder, files);
  if (other !== undefined) return [{ file: other, action: "kept" }];
  return files.map((name) => copyFile(path.join(CATALOG_FOLDER, name), path.join(folder, name), force));
}

function otherForm(id: string, folder: string, ours: readonly string[]): string | undefined {
  return DEFINITION_ENDINGS.flatMap((ending) => [`${id}${ending}`, path.join(id, `workflow${ending}`)])
    .filter((name) => !ours.includes(name))
    .map((name) => path.join(folder, name))
    .find((file) => existsSync(file));
}

function copyAgent(name: string, folder: string, force: boolean): Copied["agents"] {
  const from = agentFile(name);
  if (from === undefined) return [];
  const others = DEFINITION_ENDINGS.map((ending) => path.join(folder, `${name}${ending}`));
  const target = path.join(folder, path.basename(from));
  const other = others.find((file) => file !== target && existsSync(file));
  if (other !== undefined) return [{ name, file: other, action: "kept" }];
  return [{ name, ...copyFile(path.join(CATALOG_FOLDER, from), target, force) }];
}

function copyFile(from: string, file: string, force: boolean): CopiedFile {
  const text = readFileSync(from, "utf8");
  try {
    if (existsSync(file)) {
      if (readFileSync(file, "utf8") === text) return { file, action: "unchanged" };
      if (!force) return { file, action: "kept" };
      writeFileSync(file, text);
      return { file, action: "overwritten" };
    }
    makeFolder(path.dirname(file));
    // A file that was written at this very moment is kept.
    writeFileSync(file, text, { flag: "wx" });
    return { file, action: "created" };
  } catch (error) {
    throw new NavigatorError("file_error", `${file} cannot be written: ${(error as Error).message}`, {
      details: { path: file },
    });
  }
}

/**
 * Creates the folders level by level: Node's own `recursive` never ends where a file system (/proc) reports an existing
 * parent as missing.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}
