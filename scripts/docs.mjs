// Writes the generated parts of the documents: `npm run docs`. A second run changes nothing.
// With `--check` nothing is written, and the exit code tells whether a part is stale.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
require("./register-ts.cjs");
const { GENERATED, GENERATED_FILES, withGenerated } = require("./docs/index.ts");

const root = fileURLToPath(new URL("..", import.meta.url));
const biome = path.join(path.dirname(require.resolve("@biomejs/biome/package.json")), "bin/biome");

/** The text as the formatter of the project leaves it. */
const formatted = (file, input) =>
  execFileSync(process.execPath, [biome, "format", `--stdin-file-path=${file}`], {
    cwd: root,
    input,
    encoding: "utf8",
  });

const check = process.argv.includes("--check");
const textOf = (file) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : "");
const settle = (file, fresh) => {
  if (fresh === textOf(file)) return;
  console.log(`${file}: ${check ? "is stale: npm run docs" : "written"}`);
  if (check) process.exitCode = 1;
  else writeFileSync(path.join(root, file), fresh);
};

for (const file of new Set(GENERATED.map((part) => part.file))) {
  const parts = GENERATED.filter((part) => part.file === file);
  settle(file, formatted(file, parts.reduce(withGenerated, textOf(file))));
}
for (const { file, text } of GENERATED_FILES) settle(file, formatted(file, text()));
