import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../../node/shell-word";
import type { Manifest } from "./template";

const LOCK_FILES = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun" } as const;

/** How the user's package manager says it: that of the lock file, which may be in a folder above, else the one that runs this. */
function managerOf(folder: string, userAgent: string | undefined) {
  const asked = /^(pnpm|yarn|bun)\//.exec(userAgent ?? "")?.[1] ?? "npm";
  const name = lockedManager(folder) ?? asked;
  return {
    install: `${name} install`,
    add: name === "npm" ? "npm install" : `${name} add`,
    // Yarn and older Bun have no such command; npm comes with Node.
    set: name === "pnpm" ? "pnpm pkg set" : "npm pkg set",
    // `bun test` is a test runner of its own.
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

export function stepsForNew(folder: string, userAgent: string | undefined): string[] {
  const manager = managerOf(folder, userAgent);
  return [
    ...goTo(folder),
    manager.install,
    `${manager.run("dev")}   # server, worker, page, and a first mission with a scripted model`,
    `${manager.run("test")}      # the same mission in memory`,
  ];
}

/** What a package that was there still needs. Nothing of it is done for the user: the files are theirs. */
export function stepsForPackage(
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

/** Whether a range is of an older major version. What is no number, such as `latest` or `workspace:*`, is taken to fit. */
function isOlder(range: string | undefined, wanted: string): boolean {
  if (range === undefined || !/^[\^~>=v\s]*\d/.test(range)) return false;
  return (majorOf(range) ?? 0) < (majorOf(wanted) ?? 0);
}

function readManifest(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    return {}; // Whatever is in it, npm says it better: all is listed as missing.
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
