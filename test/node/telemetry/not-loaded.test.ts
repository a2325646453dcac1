import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A process without telemetry loads nothing of OpenTelemetry (docs/observability.md). */

const SRC = path.join(__dirname, "../../../src");
const STATIC = /^(?:import|export)\s+(?!type\b)[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"/gm;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => file.endsWith(".ts"));
const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(SRC, file), "utf8").matchAll(STATIC)].map(([, from, bare]) => (from ?? bare) as string);

/** The files that a file loads at once, whatever is done with it. */
function loadedBy(start: string): string[] {
  const found = [start];
  for (const file of found)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith(".")) continue;
      const target = path.posix.join(path.posix.dirname(file), specifier);
      const known = [`${target}.ts`, `${target}/index.ts`].find((one) => files.includes(one));
      if (known !== undefined && !found.includes(known)) found.push(known);
    }
  return found;
}

test.each([
  "index.ts",
  "cli/main.ts",
  "client/client.ts",
  "worker/create-worker.ts",
  "worker/plugin/navigator-plugin.ts",
])("%s reaches OpenTelemetry only by an import that is made when it is wanted", (entry) => {
  const loaded = loadedBy(entry);
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((file) => importsOf(file).some((one) => one.startsWith("@opentelemetry/")))).toEqual([]);
});
