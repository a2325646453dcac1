import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../node/shell-word";
import type { Manifest } from "./template";

/** How the user's package manager says it. */
function managerOf(userAgent: string | undefined) {
  const name = /^(pnpm|yarn|bun)\//.exec(userAgent ?? "")?.[1] ?? "npm";
  return {
    install: `${name} install`,
    add: name === "npm" ? "npm install" : `${name} add`,
    run: (script: string) => (script === "test" ? `${name} test` : `${name} run ${script}`),
  };
}

export function stepsForNew(folder: string, userAgent: string | undefined): string[] {
  const manager = managerOf(userAgent);
  const place = path.relative(process.cwd(), folder);
  return [
    ...(place === "" ? [] : [`cd ${shellWord(place)}`]),
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
  const manager = managerOf(userAgent);
  const own = readManifest(path.join(folder, "package.json"));
  const has = { ...own.dependencies, ...own.devDependencies };
  const missing = (wanted: Manifest["dependencies"]) =>
    Object.entries(wanted ?? {}).flatMap(([name, version]) => (name in has ? [] : [`${name}@${version}`]));
  const [runtime, tools] = [missing(manifest.dependencies), missing(manifest.devDependencies)];
  const scripts = Object.entries(manifest.scripts ?? {})
    .filter(([, command]) => !Object.values(own.scripts ?? {}).includes(command))
    .map(([name, command]) => [name in (own.scripts ?? {}) ? `${name}:agents` : name, command] as const);
  const dev = scripts.find(([, command]) => command.startsWith("navigator dev"))?.[0] ?? "dev";
  return [
    ...(runtime.length === 0 ? [] : [`${manager.add} ${runtime.join(" ")}`]),
    ...(tools.length === 0 ? [] : [`${manager.add} -D ${tools.join(" ")}`]),
    ...scripts.map(([name, command]) => `npm pkg set ${shellWord(`scripts.${name}=${command}`)}`),
    ...(created.includes(".gitignore") ? [] : notIgnored(folder)),
    ...(created.includes("tsconfig.json") ? [] : importsOfTypeScript(folder)),
    manager.run(dev),
  ];
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
  const lines = existsSync(file)
    ? readFileSync(file, "utf8")
        .split(/\r?\n/)
        .map((line) => line.trim())
    : [];
  const missing = [".env", ".navigator/"].filter(
    (name) => ![name, `/${name}`, name.replace("/", "")].some((one) => lines.includes(one)),
  );
  return missing.length === 0 ? [] : [`printf '${missing.map((name) => `${name}\\n`).join("")}' >> .gitignore`];
}

function importsOfTypeScript(folder: string): string[] {
  const text = readFileSync(path.join(folder, "tsconfig.json"), "utf8");
  if (/"allowImportingTsExtensions"\s*:\s*true/.test(text)) return [];
  return [
    '# tsconfig.json: set "allowImportingTsExtensions": true and "noEmit": true, or change the imports that end in .ts',
  ];
}
