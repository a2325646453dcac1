// The package create-navigator-agents: the code of `navigator init` as one file, and the template. It needs no other package, so
// that `npm create navigator-agents` writes a project in a second, before anything big is installed.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const to = path.join(root, "create-navigator-agents");
const versionOf = (folder) => JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).version;
if (versionOf(root) !== versionOf(to))
  throw new Error("Both packages have the same version: the project depends on it.");

const built = await build({
  configFile: false,
  root,
  publicDir: false,
  logLevel: "error",
  ssr: { noExternal: true },
  build: {
    ssr: path.join(root, "src", "project", "init", "create.ts"),
    write: false,
    target: "node20",
    minify: false,
    rolldownOptions: { output: { format: "cjs" } },
  },
});
const [chunk, ...more] = [built].flat().flatMap(({ output }) => output);
if (more.length > 0) throw new Error("The generator must be one file.");
for (const folder of ["dist", "templates"]) rmSync(path.join(to, folder), { recursive: true, force: true });
mkdirSync(path.join(to, "dist"));
writeFileSync(path.join(to, "dist", "main.js"), `#!/usr/bin/env node\n${chunk.code}`);
chmodSync(path.join(to, "dist", "main.js"), 0o755);
cpSync(path.join(root, "templates"), path.join(to, "templates"), { recursive: true });
