// What a new user does, from an empty folder and with the packed packages: the generator, the development server, a first mission
// and its approval, a typed agent with a model object, types and tests. Prints each command with its time, and fails if the first
// mission or all of it takes twice as long as is promised. It needs a build, and a registry for what is installed.
//
//   --folder FOLDER    works there, and leaves what it made (default: a temporary folder, removed at the end)
//   --consumer FOLDER  TypeScript files that are compiled as well, with the package installed
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run, toldInAll } from "./from-empty-folder/commands.mjs";
import { walkWithDevServer } from "./from-empty-folder/dev-server.mjs";
import { checkEntries, checkPackages, checkTypes, entriesOf } from "./from-empty-folder/package-checks.mjs";
import { contentProblems, secretProblems } from "./release/contents.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { freePortPair } = createRequire(import.meta.url)("../dist/prove/rig/free-port-pair.js");
const { values } = parseArgs({ options: { folder: { type: "string" }, consumer: { type: "string" } } });
const folder = values.folder ?? mkdtempSync(path.join(tmpdir(), "navigator-from-empty-"));
const app = path.join(folder, "my-app");

/** The environment of somebody who has set nothing; only the Temporal CLI may be there already. */
async function freshEnvironment() {
  const own = Object.entries(process.env).filter(
    // With NODE_ENV=production npm would leave out what only development needs.
    ([name]) => !/^((NAVIGATOR|TEMPORAL)_|NODE_ENV$)/.test(name) || /^NAVIGATOR_(CACHE|DOWNLOAD_BASE)$/.test(name),
  );
  const port = String(await freePortPair());
  return { ...Object.fromEntries(own), NAVIGATOR_PORT: port, NAVIGATOR_IDENTITY: path.join(folder, "identity") };
}

function pack(from) {
  const args = ["pack", "--json", "--pack-destination", folder];
  const packed = run("npm", args, { cwd: from, name: `npm pack ${path.basename(from)}` });
  const [{ name, filename, files }] = JSON.parse(packed);
  const paths = files.map((file) => file.path);
  const problems = [...contentProblems(name, paths), ...secretProblems(name, from, paths)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return path.join(folder, filename);
}

/** The package at the version that this repository is tested with. */
function pinned(name) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  return `${name}@${{ ...dependencies, ...devDependencies }[name]}`;
}

try {
  const env = await freshEnvironment();
  const inApp = { cwd: app, env };
  const [library, proofs, generator] = [".", "prove", "create-navigator-agents"].map((one) =>
    pack(path.join(root, one)),
  );
  // What `npm create navigator-agents my-app` runs.
  const create = ["--yes", "-p", generator, "create-navigator-agents", "my-app"];
  run("npx", create, { cwd: folder, env, name: "npm create navigator-agents my-app" });
  const packages = [pinned("@ai-sdk/groq"), pinned("@temporalio/client")];
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", library, ...packages];
  run("npm", install, { ...inApp, name: `npm install navigator-agents ${packages.join(" ")}` });
  await walkWithDevServer(app, env);
  run("npm", ["run", "check"], inApp);
  run("npm", ["test"], inApp);
  toldInAll();
  const entries = entriesOf(root);
  checkTypes(app, entries, values.consumer);
  checkEntries(app, entries);
  checkPackages(root, [library, proofs, generator]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
