import { statSync } from "node:fs";
import path from "node:path";
import { defined } from "../../core/base/defined";
import type { Reason } from "../../core/base/failure";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Definition } from "../../core/graph/definition/schema";
import {
  definitionIn,
  type FolderError,
  idOfFile,
  type PlacedFinding,
  type ReadDefinition,
  type ReadOptions,
  readDefinitionFolder,
} from "../../project/catalog";
import { STDIN, textInput } from "./text-input";

/**
 * Reads a workflow definition from a JSON or YAML file, or from standard input (`-`). Its default id is the file's
 * name. Every mistake is reported with its line.
 * @throws NavigatorError
 */
export function readDefinitionArgument(file: string, options: ReadOptions = {}): ReadDefinition {
  return inText(file, textInput(file), options);
}

/** The definition in a file, or its mistakes. */
export interface CheckedFile {
  file: string;
  definition: Definition | null;
  errors: (PlacedFinding | { code: string; message: string; details?: unknown })[];
  warnings: PlacedFinding[];
  /** For a file that cannot be used: a short name of the problem, and all errors as text. */
  code?: Reason;
  mistakes?: string;
}

/**
 * Reads files and folders of definitions and checks each as if the others, and those in its folder, were loaded.
 *
 * @param id of the only file that is given
 */
export function checkDefinitions(places: readonly string[], id?: string): CheckedFile[] {
  const texts = new Map<string, string>();
  // Standard input can be read only once.
  const textOf = (place: string) => texts.get(place) ?? texts.set(place, textInput(place)).get(place) ?? "";
  const check = (options: ReadOptions) =>
    places.flatMap((place) =>
      isFolder(place) ? ofFolder(place) : [tried(place, () => inText(place, textOf(place), options))],
    );
  const named = defined({ id });
  const loaded = new Map<string, Definition>();
  const add = ({ definition }: { definition: Definition | null }) => {
    if (definition) loaded.set(definition.id, definition);
  };
  for (const folder of new Set(places.filter(isFile).map(folderAround)))
    readDefinitionFolder(folder).definitions.forEach(add);
  check(named).forEach(add);
  return check({ ...named, loaded });
}

function inText(file: string, text: string, options: ReadOptions): ReadDefinition {
  return file === "-"
    ? definitionIn(text, STDIN, options)
    : definitionIn(text, file, { fallbackId: idOfFile(file), ...options });
}

function ofFolder(folder: string): CheckedFile[] {
  const { definitions, errors } = readDefinitionFolder(folder);
  const below = (file: string) => path.join(folder, path.relative(path.resolve(folder), file));
  return [
    ...definitions.map(({ file, definition, warnings }) => ({ file: below(file), definition, errors: [], warnings })),
    ...errors.map((error) => refused(below(error.file ?? folder), error)),
  ].sort((a, b) => (a.file < b.file ? -1 : 1));
}

function tried(file: string, read: () => ReadDefinition): CheckedFile {
  try {
    return { file, errors: [], ...read() };
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    return refused(file, error);
  }
}

function refused(
  file: string,
  { code, message, details }: Pick<FolderError, "code" | "message" | "details">,
): CheckedFile {
  const { issues, warnings } = (details ?? {}) as { issues?: PlacedFinding[]; warnings?: PlacedFinding[] };
  return {
    file,
    definition: null,
    errors: issues ?? [{ code, message, ...defined({ details }) }],
    warnings: warnings ?? [],
    code,
    mistakes: message,
  };
}

/** Gives the folder of the other workflows: `bug-fix/workflow.json` is in the same folder as `release.json`. */
function folderAround(file: string): string {
  const folder = path.dirname(path.resolve(file));
  return path.parse(file).name === "workflow" ? path.dirname(folder) : folder;
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
const isFile = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isFile() === true;
