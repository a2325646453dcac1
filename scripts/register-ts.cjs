// Lets plain Node run the TypeScript sources: `node -r ./scripts/register-ts.cjs src/cli/main.ts`.
// For tests that start real processes: what they run is always the code of today, without a build before.
const { readFileSync } = require("node:fs");
const { transformSync } = require("@swc/core");

require.extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, "utf8"), {
    filename,
    sourceMaps: "inline",
    module: { type: "commonjs" },
    jsc: { target: "es2023", parser: { syntax: "typescript" } },
  });
  module._compile(code, filename);
};
