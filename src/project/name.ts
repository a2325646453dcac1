import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { PROJECT_NAME, type ProjectName } from "../core/base/ids";
import { checkedProject } from "../core/base/input/project";
import { NavigatorError } from "../core/base/navigator-error";
import { readTextFile } from "../node/data-file";
import { findConfig, readConfig } from "./config-file";
import { CONFIG_NAMES } from "./config-names";

/** In NAVIGATOR_PROJECT: work without a project. */
const NO_PROJECT = "none";

/**
 * The name of the project of a folder: NAVIGATOR_PROJECT, else `project` in its navigator.config, else the name in the
 * nearest package.json, else the folder's own. All commands in one folder give the same.
 *
 * @param folderOrFile the folder, or the configuration file
 * @returns null for NAVIGATOR_PROJECT=none
 * @throws NavigatorError `bad_project` for a name that is set and cannot be one
 */
export async function projectName(
  env: NodeJS.ProcessEnv = process.env,
  folderOrFile: string = process.cwd(),
): Promise<ProjectName> {
  const set = env.NAVIGATOR_PROJECT?.trim();
  if (set === NO_PROJECT) return null;
  if (set) return checkedProject(set);
  const configFile = configOf(path.resolve(folderOrFile));
  const folder = projectFolder(folderOrFile);
  // A configuration may take a second to load: one that does not have the word sets no name.
  const named =
    configFile !== null && /\bproject\b/.test(readTextFile(configFile))
      ? (await readConfig(configFile)).project
      : undefined;
  return named ?? defaultName(folder);
}

/** The folder of a project: where its configuration is, or this one. @param folderOrFile the folder, or the configuration file */
export function projectFolder(folderOrFile: string = process.cwd()): string {
  const configFile = configOf(path.resolve(folderOrFile));
  return configFile === null ? path.resolve(folderOrFile) : path.dirname(configFile);
}

/**
 * The real folder of a project, and one text for all ways to name it: a link, the folder, its configuration. That is the folder, or
 * the configuration if the folder alone does not lead to it.
 */
export function placeOfProject(folderOrFile: string): { folder: string; project: string } {
  const configFile = configOf(path.resolve(folderOrFile));
  const named = projectFolder(folderOrFile);
  const folder = existsSync(named) ? realpathSync(named) : named;
  const isUsual = configFile === null || CONFIG_NAMES.includes(path.basename(configFile));
  const isOnly = isUsual && CONFIG_NAMES.filter((name) => existsSync(path.join(folder, name))).length < 2;
  return { folder, project: isOnly ? folder : path.join(folder, path.basename(configFile ?? "")) };
}

/** The name of a folder whose configuration sets none. */
export function defaultName(folder: string): string {
  return normalised(packageName(folder) ?? path.basename(folder)) || "project";
}

function configOf(place: string): string | null {
  try {
    return findConfig(place);
  } catch (error) {
    // The command that needs the configuration reports mistakes in the folder.
    if (error instanceof NavigatorError) return null;
    throw error;
  }
}

/** The name in the nearest package.json, up to the root of the repository. */
function packageName(folder: string): string | undefined {
  if (folder === homedir() || folder === path.dirname(folder)) return undefined;
  const name = nameIn(path.join(folder, "package.json"));
  if (name !== undefined || existsSync(path.join(folder, ".git"))) return name;
  return packageName(path.dirname(folder));
}

function nameIn(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    const { name } = JSON.parse(readFileSync(file, "utf8")) as { name?: unknown };
    return typeof name === "string" && normalised(name) !== "" ? name : undefined;
  } catch {
    return undefined; // no JSON: another tool's matter
  }
}

/** `@acme/My Shop` is `acme-my-shop`. */
function normalised(name: string): string {
  const text = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  // The two words that the settings use for something else.
  const taken = text === NO_PROJECT || text === "all";
  return taken ? `${text}-project` : PROJECT_NAME.test(text) ? text : "";
}
