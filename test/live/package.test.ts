import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { examplesOf } from "../support/doc-examples";
import { temporaryFolder, testAddress } from "../support/environment";

/** The package as others get it: packed, installed into an empty project, compiled strictly and run, as ESM and CommonJS. */
const root = path.join(__dirname, "../..");
const project = temporaryFolder("package");
const here = (...parts: string[]) => path.join(project.path, ...parts);
const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");

async function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const options = { cwd: project.path, env: { ...process.env, ...env }, timeout: 500_000 };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { message, stdout, stderr } = error as { message: string; stdout: string; stderr: string };
    throw new Error([message, stdout, stderr].join("\n"));
  }
}

beforeAll(async () => {
  await run("npm", ["pack", root, "--pack-destination", project.path, "--ignore-scripts", "--silent"]);
  const tarball = readdirSync(project.path).find((name) => name.endsWith(".tgz")) as string;
  writeFileSync(here("package.json"), JSON.stringify({ name: "plain", version: "1.0.0", private: true }));
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
  await run("npm", [...install, `./${tarball}`, "zod@4", "@types/node@20"]);
  mkdirSync(here("src"));
  for (const file of readdirSync(path.join(__dirname, "package")))
    for (const ending of ["mts", "cts"])
      cpSync(path.join(__dirname, "package", file), here("src", `${path.parse(file).name}.${ending}`));
  const declared = "declare function test(name: string, run: () => unknown): void;\n";
  const examples = ["testing.md", "library.md"].flatMap((page) => examplesOf(page));
  for (const [i, code] of examples.entries()) writeFileSync(here("src", `example-${i}.mts`), declared + code);
});
afterAll(() => project.remove());

const STRICT = ["--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2023", "--types", "node"];

test.each([
  ["nodenext", "nodenext"],
  ["node16", "node16"],
  ["esnext", "bundler"],
])("compiles strictly with module %s, resolution %s", async (module, resolution) => {
  const emit = module === "nodenext" ? ["--outDir", here("out")] : ["--noEmit"];
  const files = readdirSync(here("src")).filter((file) => resolution !== "bundler" || file.endsWith(".mts"));
  const args = [tsc, ...STRICT, "--module", module, "--moduleResolution", resolution, ...emit];
  expect(await run(process.execPath, [...args, ...files.map((file) => here("src", file))])).toBe("");
});

test.each(["mjs", "cjs"])("a mission runs from %s", async (ending) => {
  const said = await run(process.execPath, [here("out", `mission.${ending}`)], { TEMPORAL_ADDRESS: testAddress() });
  expect(JSON.parse(said)).toEqual({
    worker: { paid: "tx_42" },
    in_memory: { paid: "tx_42" },
    crashed: { paid: "tx_42" },
    attempts: 2,
  });
});

test("import and require give the same classes", async () => {
  const script = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    for (const name of ["navigator-agents", "navigator-agents/testing"]) {
      const [esm, cjs] = [await import(name), require(name)];
      const { default: _, ...named } = esm;
      const differs = Object.keys(cjs).filter((key) => key !== "__esModule" && named[key] !== cjs[key]);
      console.log(name, Object.keys(named).length > 5, JSON.stringify(differs));
    }`;
  writeFileSync(here("same.mjs"), script);
  expect(await run(process.execPath, [here("same.mjs")])).toBe(
    "navigator-agents true []\nnavigator-agents/testing true []\n",
  );
});

test("the catalog is in the package", async () => {
  const said = await run(process.execPath, [
    here("node_modules/.bin/navigator"),
    "workflow",
    "init",
    "release",
    "--json",
  ]);
  expect(JSON.parse(said).copied).toMatchObject([
    { id: "release", files: [{ action: "created" }, { action: "created" }] },
  ]);
});

test("a project that requires the package by its old name gets an error with the new one", async () => {
  mkdirSync(here("old"));
  writeFileSync(here("old", "navigator.config.cjs"), 'require("navigator/testing");');
  const command = run(process.execPath, [here("node_modules/.bin/navigator"), "tools", "--config", here("old")]);
  await expect(command).rejects.toThrow(
    'There is no package "navigator/testing". It is called "navigator-agents/testing" now.',
  );
});

test("npx finds the command by the name of the package", async () =>
  expect(await run("npx", ["--no", "--", "navigator-agents", "--help"])).toContain("Usage: navigator"));

test("the command is installed", async () =>
  expect(await run(process.execPath, [here("node_modules/.bin/navigator"), "--help"])).toContain("Usage: navigator"));
