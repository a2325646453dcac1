import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import { shellWord } from "../../node/shell-word";
import { CONFIG_NAMES } from "../config-names";

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
    // The README is about the project alone: a package has another README.
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

const LOCK_FILES = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun" } as const;

/**
 * The command in the words of the user's package manager: that of the lock file, which may be in a folder above, else
 * the one that runs this.
 */
function managerOf(folder: string, userAgent: string | undefined) {
  const asked = /^(pnpm|yarn|bun)\//.exec(userAgent ?? "")?.[1] ?? "npm";
  const name = lockedManager(folder) ?? asked;
  return {
    install: `${name} install`,
    add: name === "npm" ? "npm install" : `${name} add`,
    // Yarn and older Bun have no such command; npm comes with Node.
    set: name === "pnpm" ? "pnpm pkg set" : "npm pkg set",
    // `bun test` is a separate test runner.
    run: (script: string) => (script === "test" && name !== "bun" ? `${name} test` : `${name} run ${script}`),
  };
}

function lockedManager(folder: string): string | null {
  const found = Object.entries(LOCK_FILES).find(([file]) => existsSync(path.join(folder, file)));
  if (found !== undefined) return found[1];
  if (existsSync(path.join(folder, "package-lock.json"))) return "npm";
  const above = path.dirname(folder);
  return existsSync(path.join(folder, ".git")) || above === folder ? null : lockedManager(above);
}

function goTo(folder: string): string[] {
  const place = path.relative(process.cwd(), folder);
  return place === "" ? [] : [`cd ${shellWord(place)}`];
}

function stepsForNew(folder: string, userAgent: string | undefined): string[] {
  const manager = managerOf(folder, userAgent);
  return [
    ...goTo(folder),
    manager.install,
    `${manager.run("dev")}   # server, worker, page, and a first mission with a scripted model`,
    `${manager.run("test")}      # the same mission in memory`,
  ];
}

/** What a package that was there still needs. Nothing of it is done for the user: the files are theirs. */
function stepsForPackage(
  { folder, manifest, created }: { folder: string; manifest: Manifest; created: readonly string[] },
  userAgent: string | undefined,
): string[] {
  const manager = managerOf(folder, userAgent);
  const own = readManifest(path.join(folder, "package.json"));
  const has = { ...own.dependencies, ...own.devDependencies };
  const missing = (wanted: Manifest["dependencies"]) =>
    Object.entries(wanted ?? {}).flatMap(([name, version]) => (name in has ? [] : [`${name}@${version}`]));
  const old = Object.entries(manifest.dependencies ?? {}).filter(([name, version]) => isOlder(has[name], version));
  const [runtime, tools] = [missing(manifest.dependencies), missing(manifest.devDependencies)];
  const scripts = Object.entries(manifest.scripts ?? {})
    .filter(([, command]) => !Object.values(own.scripts ?? {}).includes(command))
    .map(([name, command]) => [name in (own.scripts ?? {}) ? `${name}:agents` : name, command] as const);
  const dev = scripts.find(([, command]) => command.startsWith("navigator dev"))?.[0] ?? "dev";
  return [
    ...goTo(folder),
    ...(runtime.length === 0 ? [] : [`${manager.add} ${runtime.join(" ")}`]),
    ...(tools.length === 0 ? [] : [`${manager.add} -D ${tools.join(" ")}`]),
    ...old.map(
      ([name, version]) =>
        `${manager.add} ${name}@${version}   # the new files need ${name} ${majorOf(version)}, and package.json asks for ${has[name]}`,
    ),
    ...scripts.map(([name, command]) => `${manager.set} ${shellWord(`scripts.${name}=${command}`)}`),
    ...(created.includes(".gitignore") ? [] : notIgnored(folder)),
    ...(created.includes("tsconfig.json") ? [] : importsOfTypeScript(folder)),
    manager.run(dev),
  ];
}

const majorOf = (range: string): number | null => {
  const [major] = /\d+/.exec(range) ?? [];
  return major === undefined ? null : Number(major);
};

/** Whether a range is of an older major version. A range without a number, such as `latest` or `workspace:*`, is taken to fit. */
function isOlder(range: string | undefined, wanted: string): boolean {
  if (range === undefined || !/^[\^~>=v\s]*\d/.test(range)) return false;
  return (majorOf(range) ?? 0) < (majorOf(wanted) ?? 0);
}

function readManifest(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    return {}; // Whatever is in it, npm reports it better: all is listed as missing.
  }
}

function notIgnored(folder: string): string[] {
  const file = path.join(folder, ".gitignore");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const missing = [".env", ".navigator/"].filter(
    (name) => ![name, `/${name}`, name.replace("/", "")].some((one) => lines.includes(one)),
  );
  // Without a line end they would be a part of the last line.
  const begin = text === "" || text.endsWith("\n") ? "" : "\\n";
  return missing.length === 0 ? [] : [`printf '${begin}${missing.map((name) => `${name}\\n`).join("")}' >> .gitignore`];
}

function importsOfTypeScript(folder: string): string[] {
  const text = readFileSync(path.join(folder, "tsconfig.json"), "utf8");
  if (/"allowImportingTsExtensions"\s*:\s*true/.test(text)) return [];
  return [
    '# tsconfig.json: set "allowImportingTsExtensions": true and "noEmit": true, or change the imports that end in .ts',
  ];
}

/** A file of a new project. */
interface TemplateFile {
  /** Its place in the project, with `/`. */
  place: string;
  text: string;
  /** A package has its own of these: one that is there stays as it is, and does not disturb the others. */
  isShared: boolean;
}

const SHARED = ["package.json", "tsconfig.json", "README.md", "AGENTS.md", ".gitignore", ".env.example"];

/** All files of a template, by their places. npm packs no `.gitignore`, so the template has it as `_gitignore`. */
function readTemplate(folder: string): TemplateFile[] {
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
interface Manifest {
  name?: string;
  scripts?: { [name: string]: string };
  dependencies?: { [name: string]: string };
  devDependencies?: { [name: string]: string };
}

/** The template's package.json, with the project's name and the version of this package. */
function manifestOf(text: string, name: string, version: string): Manifest {
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
