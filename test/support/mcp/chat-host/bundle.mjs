// The chat of the tests as one script: node bundle.mjs FILE
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = path.dirname(fileURLToPath(import.meta.url));
const built = await build({
  configFile: false,
  root: here,
  publicDir: false,
  logLevel: "error",
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    write: false,
    target: "es2022",
    rolldownOptions: { input: path.join(here, "host.mjs"), output: { format: "iife" } },
  },
});
const [chunk] = [built].flat().flatMap(({ output }) => output);
writeFileSync(process.argv[2], chunk.code);
