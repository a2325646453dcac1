// Runs the official conformance suite of MCP against the MCP server, in both eras: `npm run conformance`. The server has the suite's own
// tools, resources and prompts besides (test/support/mcp/conformance). `--write` keeps the figures for the documents; without it they
// are compared with what is kept, and exit code 1 says that they differ or that something failed.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const suite = path.join(root, "node_modules/@modelcontextprotocol/conformance");
const FIGURES = path.join(root, "test/support/mcp/conformance/figures.json");
const ERAS = ["2025-11-25", "2026-07-28"];
/** The suite needs a newer Node than Navigator. */
const NODE_MAJOR = 22;
const NODE_VERSION = "22.23.3";

/** Checks that the suite leaves out for this server. Any other that it leaves out is a failure. */
const NOT_APPLICABLE = {
  "sep-2575-server-sends-prompts-list-changed-on-subscription":
    "The prompts are always the same, so the server does not declare `prompts.listChanged`.",
  "sep-2575-server-sends-tools-list-changed-on-subscription":
    "The tools are always the same, so the server does not declare `tools.listChanged`.",
  "tasks-status-notifications":
    "The suite itself leaves it out. The notifications are optional, and the server sends none: clients poll `tasks/get`.",
};

const say = (text) => process.stderr.write(`${text}\n`);

/** A Node that runs the suite: this one, or one from npm in Navigator's cache. */
function suitesNode() {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath;
  const cache = process.env.NAVIGATOR_CACHE ?? path.join(homedir(), ".cache", "navigator");
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const place = path.join(cache, `node-${NODE_VERSION}`);
  const program = (folder) =>
    path.join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(program(place))) return program(place);
  say(
    `Node ${process.versions.node} is too old for the suite: npm gets ${NODE_VERSION} (package ${name}) into ${cache} ...`,
  );
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${place}-`);
  writeFileSync(path.join(work, "package.json"), "{}");
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", `${name}@${NODE_VERSION}`];
  const { status, stderr } = spawnSync("npm", args, {
    cwd: work,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new Error(`npm cannot install ${name}@${NODE_VERSION}. Run this with Node ${NODE_MAJOR}.\n${stderr}`);
  // Two at once: the second finds what the first has put there.
  if (existsSync(program(place))) rmSync(work, { recursive: true, force: true });
  else renameSync(work, place);
  return program(place);
}

/** The server with the fixtures, and its address. */
async function startServer() {
  const args = ["-r", "./scripts/register-ts.cjs", "test/support/mcp/conformance/serve.ts"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: child.stdout })) return { url, child };
  throw new Error("The server has not started.");
}

/** Runs every scenario of an era. */
async function runEra(node, era, url) {
  const results = mkdtempSync(path.join(tmpdir(), "navigator-conformance-"));
  const args = [path.join(suite, "dist/index.js"), "server", "--url", url, "--requirements", era, "-o", results];
  const child = spawn(node, args, { cwd: results, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  await new Promise((resolve) => child.once("close", resolve));
  const { server: required, not_scored } = parse(readFileSync(path.join(suite, "requirements", `${era}.yaml`), "utf8"));
  const more = not_scored.filter(({ leg }) => leg === "server").map(({ scenario }) => scenario);
  const found = readdirSync(results);
  const checksOf = (scenario) => {
    const folder = found.find((name) => new RegExp(`^server-${scenario}-\\d{4}-`).test(name));
    if (folder === undefined) throw new Error(`The suite has not run ${scenario}.\n${output}`);
    return JSON.parse(readFileSync(path.join(results, folder, "checks.json"), "utf8"));
  };
  const figures = { required: outcome(required, checksOf), more: outcome(more, checksOf), not_applicable: [] };
  for (const scenario of [...required, ...more])
    for (const { id, status, errorMessage } of checksOf(scenario)) {
      if (status === "SUCCESS" || status === "INFO") continue;
      const why = status === "SKIPPED" ? NOT_APPLICABLE[id] : undefined;
      if (why === undefined) say(`${era} ${scenario}: ${id} ${status} ${errorMessage ?? ""}`);
      else figures.not_applicable.push({ scenario, check: id, why });
    }
  rmSync(results, { recursive: true, force: true });
  return figures;
}

/** A scenario passes if none of its checks fails. */
function outcome(scenarios, checksOf) {
  const isLeftOut = ({ status, id }) => status === "SKIPPED" && id in NOT_APPLICABLE;
  const checks = scenarios.map(checksOf).filter((all) => !all.every(isLeftOut));
  const isBad = ({ status, id }) =>
    status === "FAILURE" || status === "WARNING" || (status === "SKIPPED" && !(id in NOT_APPLICABLE));
  const passed = checks.filter((all) => !all.some(isBad));
  return {
    scenarios: checks.length,
    scenarios_passed: passed.length,
    checks_passed: checks.flat().filter(({ status }) => status === "SUCCESS").length,
    checks_failed: checks.flat().filter(isBad).length,
  };
}

const node = suitesNode();
const { url, child } = await startServer();
const figures = { suite: require(path.join(suite, "package.json")).version };
try {
  for (const era of ERAS) figures[era] = await runEra(node, era, url);
} finally {
  child.kill("SIGTERM");
}
for (const era of ERAS) {
  const { required, more, not_applicable } = figures[era];
  console.log(
    `${era}  required: ${required.scenarios_passed} of ${required.scenarios} scenarios, ${required.checks_passed} checks passed, ${required.checks_failed} failed`,
  );
  console.log(
    `            more:     ${more.scenarios_passed} of ${more.scenarios} scenarios, ${more.checks_passed} checks passed, ${more.checks_failed} failed`,
  );
  for (const { check, why } of not_applicable) console.log(`            does not apply: ${check}. ${why}`);
}
const text = `${JSON.stringify(figures, null, 2)}\n`;
const failed = ERAS.some((era) => figures[era].required.checks_failed + figures[era].more.checks_failed > 0);
if (process.argv.includes("--write")) writeFileSync(FIGURES, text);
else if (text !== readFileSync(FIGURES, "utf8")) {
  say("The figures are not those of the documents: npm run conformance -- --write, then npm run docs.");
  process.exitCode = 1;
}
if (failed) process.exitCode = 1;
