// What users of every kind see of the packages: their types, their entries in ESM and CommonJS, and what checkers of packages say.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { run, told } from "./commands.mjs";

const STRICT = ["--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "false", "--target", "es2023"];
/** TypeScript's `module` and `moduleResolution`; without an `emit` folder, nothing is written. */
const KINDS = [
  { module: "nodenext", resolution: "nodenext", emit: "out" },
  { module: "node16", resolution: "node16" },
  { module: "esnext", resolution: "bundler", isOnlyEsm: true },
];

/**
 * Compiles a consumer of every entry as each kind of project does, with the packages' declarations checked.
 *
 * @param more a folder with more files to compile; they are in `consumer/` afterwards, and as JavaScript in `consumer/out/`
 */
export function checkTypes(app, entries, more) {
  const folder = path.join(app, "consumer");
  mkdirSync(folder);
  if (more !== undefined) cpSync(more, folder, { recursive: true });
  const code = entries.map((entry, i) => `import * as m${i} from "${entry}";\nvoid m${i};\n`).join("");
  for (const ending of ["mts", "cts"]) writeFileSync(path.join(folder, `entries.${ending}`), code);
  const sources = readdirSync(folder).filter((file) => /\.[mc]ts$/.test(file));
  for (const { module, resolution, emit, isOnlyEsm } of KINDS) {
    const since = Date.now();
    const files = sources.filter((file) => !isOnlyEsm || file.endsWith(".mts"));
    const to = emit === undefined ? ["--noEmit"] : ["--outDir", emit];
    const kind = ["--module", module, "--moduleResolution", resolution, "--types", "node", "--ignoreConfig"];
    const tsc = path.join(app, "node_modules", ".bin", "tsc");
    const { status, stdout, stderr } = spawnSync(tsc, [...STRICT, ...kind, ...to, ...files], {
      cwd: folder,
      encoding: "utf8",
    });
    const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
    // Declarations of other packages may have errors of their own.
    const ours = errors.filter((line) => !/node_modules\/(?!navigator-agents\/)/.test(line.split("(")[0]));
    told(`tsc --moduleResolution ${resolution}: ${ours.length} errors`, since);
    if (ours.length > 0 || (status !== 0 && errors.length === 0)) throw new Error(`${ours.join("\n")}${stderr}`);
  }
}

/** Imports and requires each entry: both must give the same. */
export function checkEntries(app, entries) {
  const script = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    for (const name of ${JSON.stringify(entries)}) {
      const [{ default: all, ...named }, required] = [await import(name), require(name)];
      const keys = Object.keys(required).filter((key) => key !== "__esModule");
      const differing = keys.filter((key) => named[key] !== required[key]);
      if (keys.length === 0 || keys.length !== Object.keys(named).length || differing.length > 0)
        throw new Error(name + " differs: " + JSON.stringify({ import: Object.keys(named), require: keys, differing }));
    }`;
  writeFileSync(path.join(app, "consumer", "entries-run.mjs"), script);
  run(process.execPath, ["consumer/entries-run.mjs"], { cwd: app, name: `import and require ${entries.join(", ")}` });
}

/** publint and are-the-types-wrong, which say nothing. */
export function checkPackages(root, tarballs) {
  const cli = (name, file) => path.join(root, "node_modules", name, file);
  for (const tarball of tarballs) {
    const name = path.basename(tarball);
    const lint = run(process.execPath, [cli("publint", "src/cli.js"), tarball, "--strict"], {
      name: `publint --strict ${name}`,
    });
    if (!lint.includes("All good!")) throw new Error(lint);
    run(process.execPath, [cli("@arethetypeswrong/cli", "dist/index.js"), tarball], { name: `attw ${name}` });
  }
}

/** The names under which a package's entries are imported. */
export function entriesOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => target?.require !== undefined)
    .map(([entry]) => name + entry.slice(1));
}
