import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import { CONFIG_NAMES } from "../config-names";
import { stepsForNew, stepsForPackage } from "./next-steps";
import { manifestOf, packageName, readTemplate, type TemplateFile } from "./template";

/** What `navigator init` and `npm create navigator-agents` made. */
export interface InitializedProject {
  /** Absolute. */
  folder: string;
  /** Whether it was added to a package that was there. */
  isAdded: boolean;
  /** Places of files in the folder. */
  created: string[];
  /** Files that were there and are as they were. */
  kept: string[];
  /** What the user does next: commands, and changes of files that were there. */
  next: string[];
}

/** Where the files come from, and who asked for them. */
export interface InitSettings {
  /** The folder of the template. */
  template: string;
  /** The version of this package, which the project depends on. */
  version: string;
  /** `npm_config_user_agent`: the package manager that ran the command, for the next steps. */
  userAgent?: string | undefined;
}

/**
 * Makes a project in a folder, or adds what is missing to a package (docs: getting-started). No file that is there is changed.
 *
 * @throws NavigatorError `already_exists` if it is a project already, `already_exists` if a file of the project would replace
 *   another one; nothing is written then. `file_error`.
 */
export function initProject(target: string, settings: InitSettings): InitializedProject {
  const folder = path.resolve(target);
  const template = readTemplate(settings.template);
  const isAdded = existsSync(path.join(folder, "package.json"));
  refuse(folder, template);
  const text = template.find(({ place }) => place === "package.json")?.text ?? "{}";
  const manifest = manifestOf(text, packageName(folder), settings.version);
  const created: string[] = [];
  const kept: string[] = [];
  for (const file of template) {
    // The README is about the project alone: a package has something else to say.
    if (isAdded && file.place === "README.md") continue;
    const content = file.place === "package.json" ? `${JSON.stringify(manifest, null, 2)}\n` : file.text;
    (write(path.join(folder, file.place), content) ? created : kept).push(file.place);
  }
  const next = isAdded
    ? stepsForPackage({ folder, manifest, created }, settings.userAgent)
    : stepsForNew(folder, settings.userAgent);
  return { folder, isAdded, created, kept, next };
}

function refuse(folder: string, template: readonly TemplateFile[]): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    throw new NavigatorError("already_exists", `${folder} is a file, not a folder.`, {
      hint: OTHER_FOLDER,
      details: { path: folder, kind: "file" },
    });
  const config = CONFIG_NAMES.find((name) => existsSync(path.join(folder, name)));
  if (config !== undefined)
    throw new NavigatorError("already_exists", `${folder} is a project already: it has ${config}.`, {
      hint: OTHER_FOLDER,
      details: { path: folder, kind: "project" },
    });
  const inTheWay = template.filter(({ place, isShared }) => !isShared && existsSync(path.join(folder, place)));
  if (inTheWay.length > 0)
    throw new NavigatorError(
      "already_exists",
      `${folder} has ${inTheWay.map(({ place }) => place).join(", ")}, which would be replaced. Nothing was written.`,
      { hint: OTHER_FOLDER, details: { path: folder, kind: "file" } },
    );
}

const OTHER_FOLDER = "Name another folder: navigator init my-app";

/** @returns false: there is such a file, and it stays as it is */
function write(file: string, text: string): boolean {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(file, { throwIfNoEntry: false })?.isFile() === true) return false;
    throw new NavigatorError("file_error", `${file} cannot be written: ${message}`, { details: { path: file } });
  }
}
