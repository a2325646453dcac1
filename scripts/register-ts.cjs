// Lets plain Node run the TypeScript sources: `node -r ./scripts/register-ts.cjs src/cli/main.ts`.
// For tests that start real processes: what they run is always the code of today, without a build before. What was compiled once is kept.
const { createHash } = require("node:crypto");
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { version } = require("@swc/core/package.json");

const cache = path.join(__dirname, "..", "node_modules", ".cache", "navigator-ts", version);

function compile(source, filename) {
  const { transformSync } = require("@swc/core");
  return transformSync(source, {
    filename,
    sourceMaps: "inline",
    module: { type: "commonjs" },
    jsc: { target: "es2023", parser: { syntax: "typescript" } },
  }).code;
}

function compiled(source, filename) {
  const kept = path.join(cache, `${createHash("sha1").update(filename).update("\0").update(source).digest("hex")}.js`);
  if (existsSync(kept)) return readFileSync(kept, "utf8");
  const code = compile(source, filename);
  mkdirSync(cache, { recursive: true });
  // By a rename: another process reads all of it, or nothing.
  const made = `${kept}.${process.pid}`;
  writeFileSync(made, code);
  renameSync(made, kept);
  return code;
}

require.extensions[".ts"] = (module, filename) =>
  module._compile(compiled(readFileSync(filename, "utf8"), filename), filename);
