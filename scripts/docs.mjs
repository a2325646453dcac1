// Writes the generated parts of the documents: `npm run docs`. A second run changes nothing.
// With `--check` nothing is written, and the exit code tells whether a part is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
require("./register-ts.cjs");
const { GENERATED, withGenerated } = require("./docs/index.ts");

const check = process.argv.includes("--check");
for (const part of GENERATED) {
  const file = fileURLToPath(new URL(`../${part.file}`, import.meta.url));
  const text = readFileSync(file, "utf8");
  const fresh = withGenerated(text, part);
  if (fresh === text) continue;
  console.log(`${part.file}: ${part.name} ${check ? "is stale: npm run docs" : "written"}`);
  if (check) process.exitCode = 1;
  else writeFileSync(file, fresh);
}
