import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { version } from "../../package.json";
import { examplesOf } from "../support/doc-examples";
import { temporaryFolder, testAddress } from "../support/environment";

/** The package as others get it: packed, installed into a new project (scripts/from-empty-folder.mjs), compiled strictly and run, as ESM and CommonJS. */
const root = path.join(__dirname, "../..");
const folder = temporaryFolder("package");
const sources = path.join(folder.path, "sources");
const here = (...parts: string[]) => path.join(folder.path, "my-app", "consumer", ...parts);
const navigator = path.join(folder.path, "my-app", "node_modules", ".bin", "navigator");

/** Ends what hangs. How long it takes depends on how busy the machine is. */
const LIMIT_MS = 1_800_000;

async function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}, cwd = here()): Promise<string> {
  try {
    const options = { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { message, stdout, stderr } = error as { message: string; stdout: string; stderr: string };
    throw new Error([message, stdout, stderr].join("\n"));
  }
}

let walk: string[];
beforeAll(async () => {
  mkdirSync(sources);
  for (const file of readdirSync(path.join(__dirname, "package")))
    for (const ending of ["mts", "cts"])
      cpSync(path.join(__dirname, "package", file), path.join(sources, `${path.parse(file).name}.${ending}`));
  const declared = "declare function test(name: string, run: () => unknown): void;\n";
  const examples = ["testing.md", "library.md"].flatMap((page) => examplesOf(page));
  for (const [i, code] of examples.entries()) writeFileSync(path.join(sources, `example-${i}.mts`), declared + code);
  const script = path.join(root, "scripts", "from-empty-folder.mjs");
  const said = await run(process.execPath, [script, "--folder", folder.path, "--consumer", sources], {}, folder.path);
  walk = said
    .trimEnd()
    .split("\n")
    .map((line) => line.slice("  12.3 s  ".length));
}, LIMIT_MS);
afterAll(() => folder.remove());

test("from an empty folder to an approved mission of a typed agent, with types, entries and checkers of packages", () =>
  expect(walk).toEqual([
    ...[`npm pack ${path.basename(root)}`, "npm pack prove", "npm pack create-navigator-agents"],
    "npm create navigator-agents my-app",
    expect.stringMatching(/^npm install navigator-agents @ai-sdk\/groq@/),
    "navigator dev: ready",
    "navigator dev: the first mission waits for a person",
    "navigator review decide my-app:agent/first-refund/refund_card/1 approve --by anna",
    "navigator dev: the first mission is over",
    "navigator dev: a typed agent and its model object are loaded",
    "navigator review decide my-app:agent/assess-7/refund_card/1 approve --by anna",
    "node --import tsx start.ts",
    ...["navigator dev: stopped", "npm run check", "npm test", "all commands of a user"],
    ...["nodenext", "node16", "bundler"].map((kind) => `tsc --moduleResolution ${kind}: 0 errors`),
    expect.stringMatching(/^import and require navigator-agents, navigator-agents\/trace, /),
    ...["navigator-agents", "navigator-agents-prove", "create-navigator-agents"].flatMap((name) => [
      expect.stringMatching(`^publint --strict ${name}-\\d`),
      expect.stringMatching(`^attw ${name}-\\d`),
    ]),
  ]));

test.each(["mjs", "cjs"])("a mission runs from %s", async (ending) => {
  const said = await run(process.execPath, [here("out", `mission.${ending}`)], { TEMPORAL_ADDRESS: testAddress() });
  expect(JSON.parse(said)).toEqual({
    worker: { paid: "tx_42" },
    in_memory: { paid: "tx_42" },
    crashed: { paid: "tx_42" },
    attempts: 2,
  });
});

test("the catalog is in the package", async () => {
  const said = await run(process.execPath, [navigator, "workflow", "init", "release", "--json"]);
  expect(JSON.parse(said).copied).toMatchObject([
    { id: "release", files: [{ action: "created" }, { action: "created" }] },
  ]);
});

test("a project that requires the package by its old name gets an error with the new one", async () => {
  mkdirSync(here("old"));
  writeFileSync(here("old", "navigator.config.cjs"), 'require("navigator/testing");');
  const command = run(process.execPath, [navigator, "tools", "--config", here("old")]);
  await expect(command).rejects.toThrow(
    'There is no package "navigator/testing". It is called "navigator-agents/testing" now.',
  );
});

test("npx finds the command by the name of the package", async () =>
  expect(await run("npx", ["--no", "--", "navigator-agents", "--help"])).toContain("Usage: navigator"));

test("the command is installed", async () =>
  expect(await run(process.execPath, [navigator, "--help"])).toContain("Usage: navigator"));

describe("navigator prove", () => {
  const app = path.join(folder.path, "my-app");
  const npm = (...args: string[]) => run("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund"], {}, app);
  const prove = (...args: string[]) => run("npx", ["--no", "--", "navigator", "prove", ...args], {}, app);
  const tarball = (packed: string) => path.join(folder.path, `navigator-agents-prove-${packed}.tgz`);
  const install = `npm install --save-dev navigator-agents-prove@${version}`;
  const missing = `error [bad_project] navigator prove needs the package navigator-agents-prove: ${install}\n`;

  test("says how to install its package", () => expect(prove("--help")).rejects.toThrow(missing));

  test("runs a proof of the installed package", async () => {
    await npm("install", "--save-dev", tarball(version));
    expect(await prove("sandbox", "--quick")).toContain("The promise is kept.");
  });

  test("starts the processes of a proof from the installed packages", async () => {
    const end = await prove("crash", "--victims", "worker,mcp", "--every", "60", "--json");
    expect(JSON.parse(end)).toMatchObject({ ok: true, violations: [] });
  });

  test("says how to install its package after that was removed", async () => {
    cpSync(path.join(app, "node_modules", "navigator-agents-prove"), path.join(folder.path, "other"), {
      recursive: true,
    });
    await npm("uninstall", "navigator-agents-prove");
    await expect(prove("sandbox", "--quick")).rejects.toThrow(missing);
  });

  test("refuses a package of another version", async () => {
    const other = path.join(folder.path, "other");
    await run("npm", ["version", "0.0.1", "--no-git-tag-version", "--ignore-scripts"], {}, other);
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder.path], {}, other);
    await npm("install", "--save-dev", tarball("0.0.1"));
    await expect(prove("sandbox", "--quick")).rejects.toThrow(
      `has version 0.0.1, and navigator-agents has version ${version}. The two packages need the same version.\n  → ${install}\n`,
    );
  });
});
