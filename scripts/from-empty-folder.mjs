// What a new user does, from an empty folder and with the packed packages: the generator, types, tests, the development server,
// a first mission and its approval. Prints each command with its time. It needs a build, and a registry for what is installed.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), "navigator-from-empty-"));
const app = path.join(folder, "my-app");
const began = Date.now();

function run(command, args, cwd = app) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${command} ${args.join(" ")}`);
  if (status !== 0) throw new Error(`It ended with ${status}.\n${stdout}${stderr}`);
  return stdout;
}

/** The next event of `navigator dev --json` of this kind. */
async function next(lines, event) {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`navigator dev ended without ${event}.`);
    const told = JSON.parse(value);
    if (told.event === event) return told;
  }
}

/** A first mission, its approval, and the end of the server. */
async function firstMission() {
  const started = Date.now();
  const navigator = path.join(app, "node_modules", "navigator-agents", "dist", "cli", "main.js");
  const args = ["dev", "--json", "--page-port", "0", "--start", "refund", "--context", "@first-mission.json"];
  const dev = spawn(process.execPath, [navigator, ...args], { cwd: app, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => dev.once("exit", resolve));
  const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]();
  try {
    const { review } = await next(lines, "review_waits");
    console.log(
      `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  navigator dev: the first mission waits for a person`,
    );
    run(process.execPath, [navigator, "review", "decide", review, "approve", "--by", "anna"]);
    const { value } = await next(lines, "completed");
    if (value.receipt !== "receipt-42") throw new Error(`The mission returned ${JSON.stringify(value)}.`);
  } finally {
    dev.kill("SIGINT");
    const code = await ended;
    if (code !== 0) console.log(`navigator dev ended with ${code}.`);
  }
}

/** Every entry, as each kind of project imports it, with checked declarations. */
function checkTypes() {
  const entries = ["", "/trace", "/agent", "/graph", "/plan", "/lisp", "/workflows", "/testing"];
  const code = entries.map((entry, i) => `import * as m${i} from "navigator-agents${entry}";\nvoid m${i};\n`).join("");
  for (const name of ["consumer.mts", "consumer.cts"]) {
    mkdirSync(path.join(app, "consumer"), { recursive: true });
    writeFileSync(path.join(app, "consumer", name), code);
  }
  for (const [module, moduleResolution] of [
    ["node16", "node16"],
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2023", "--types", "node"];
    const args = [...flags, "--module", module, "--moduleResolution", moduleResolution, "consumer/consumer.mts"];
    const { stdout } = spawnSync(path.join(app, "node_modules", ".bin", "tsc"), ["--ignoreConfig", ...args], {
      cwd: app,
      encoding: "utf8",
    });
    const errors = stdout.split("\n").filter((line) => /error TS/.test(line));
    const ours = errors.filter((line) => /^node_modules\/navigator-agents\/|^consumer\/|^error/.test(line));
    console.log(
      `          types with ${moduleResolution}: ${ours.length} errors of ours, ${errors.length - ours.length} of others`,
    );
    if (ours.length > 0) throw new Error(ours.join("\n"));
  }
}

try {
  const pack = (from) => JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], from))[0].filename;
  const [library, generator] = [pack(root), pack(path.join(root, "create-navigator-agents"))];
  run("npx", ["--yes", "-p", `./${generator}`, "create-navigator-agents", "my-app"], folder);
  run("npm", ["install", "--no-audit", "--no-fund", `../${library}`]);
  run("npm", ["run", "check"]);
  run("npm", ["test"]);
  checkTypes();
  await firstMission();
  run(
    process.execPath,
    [path.join(root, "node_modules/publint/src/cli.js"), path.join(folder, library), "--strict"],
    root,
  );
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  in all`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
