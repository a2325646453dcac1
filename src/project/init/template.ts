import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A file of a new project. */
export interface TemplateFile {
  /** Its place in the project, with `/`. */
  place: string;
  text: string;
  /** A package has its own of these: one that is there stays as it is, and does not disturb the others. */
  isShared: boolean;
}

const SHARED = ["package.json", "tsconfig.json", "README.md", "AGENTS.md", ".gitignore", ".env.example"];

/** All files of a template, by their places. npm packs no `.gitignore`, so the template has it as `_gitignore`. */
export function readTemplate(folder: string): TemplateFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath ?? entry.path, entry.name);
      const place = path.relative(folder, file).split(path.sep).join("/").replace(/^_git/, ".git");
      return { place, text: readFileSync(file, "utf8"), isShared: SHARED.includes(place) };
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** The parts of a package.json that a project needs. */
export interface Manifest {
  name?: string;
  scripts?: { [name: string]: string };
  dependencies?: { [name: string]: string };
  devDependencies?: { [name: string]: string };
}

/** The template's package.json, with the project's name and the version of this package. */
export function manifestOf(text: string, name: string, version: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  return { ...manifest, name, dependencies: { ...manifest.dependencies, "navigator-agents": version } };
}

/** A name that npm takes, from the name of a folder: `My App` gives `my-app`. */
export function packageName(folder: string): string {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return name === "" ? "my-app" : name;
}
