// npm run demo | example | test | test:deep | test:area | test:mutations | bench | soak | soak:mcp | navigator: installs and builds what is missing, then runs the command.
// Nothing but Node itself is needed for the first step, so this file imports no package. All progress goes to stderr.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const say = (text) => process.stderr.write(`${text}\n`);
const inRoot = (...parts) => path.join(root, ...parts);

/** The way it ends badly: one clear message, what to do next, an exit code (2 usage, 3 nothing to run on). */
class Stop extends Error {
  constructor(exitCode, message, hint) {
    super(message);
    Object.assign(this, { exitCode, hint });
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Stop(2, `Node ${process.versions.node} is too old.`, "Install Node 20.19 or newer: https://nodejs.org");
}

/**
 * Whether node_modules is what package-lock.json asks for. npm writes its own record at the end of an installation;
 * packages for other platforms are in the lock and not in the record.
 */
function isInstalled() {
  const record = inRoot("node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(
    ([place, { version, optional }]) =>
      place === "" || installed[place]?.version === version || (optional && !installed[place]),
  );
}

async function install() {
  if (isInstalled()) return;
  say("Installing packages with npm ci ...");
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const ticker = setInterval(() => say(`  ${seconds()} s`), 5_000);
  // npm run tells its own script; without it npm is found on PATH.
  const [command, ...before] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  // A registry that cannot be reached should be told in seconds: npm's defaults wait minutes.
  const patience = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
  const args = [...before, "ci", "--no-audit", "--no-fund", "--loglevel=notice", ...patience];
  const { code, output } = await runAndKeep(command, args).finally(() => clearInterval(ticker));
  if (code === 0) return say(`Packages installed in ${seconds()} s.`);
  say(output.trimEnd().split("\n").slice(-12).join("\n"));
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(output))
    throw new Stop(
      3,
      "The npm registry cannot be reached, so the packages cannot be installed.",
      "Check the network, HTTPS_PROXY and `npm config get registry`, then run the command again.",
    );
  throw new Stop(3, `npm ci failed with exit code ${code}.`, "What npm said is above.");
}

function runAndKeep(command, args) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", (error) => resolve({ code: 127, output: `${error.message}\n` }));
    child.once("close", (code) => resolve({ code, output }));
  });
}

async function build() {
  const { isFresh, build: buildDist } = await import("./build.mjs");
  if (isFresh()) return;
  say("Building ...");
  await buildDist();
}

/** Two commands at once on a fresh clone: the second waits. A lock whose owner is gone is taken over. */
async function withLock(work) {
  const lock = inRoot(".navigator", "bootstrap.lock");
  mkdirSync(path.dirname(lock), { recursive: true });
  for (let told = false; !tryLock(lock); told = true) {
    if (!told) say("Another command is installing or building here. Waiting for it.");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const owner = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
  if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs a program with our own streams; its exit code is ours. @param signal ends it early */
function run(args, { signal, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: "inherit", signal, env: { ...process.env, ...env } });
    // Ctrl-C reaches the child from the terminal by itself: passed on, it would count twice. We only wait for its end.
    const wait = () => {};
    const pass = () => child.kill("SIGTERM");
    process.on("SIGINT", wait).on("SIGTERM", pass);
    child.on("error", (error) => error.name !== "AbortError" && reject(error));
    child.once("close", (code, endedBy) => {
      process.off("SIGINT", wait).off("SIGTERM", pass);
      resolve(code ?? (endedBy === "SIGINT" ? 130 : 143));
    });
  });
}

const navigator = (...args) => run([inRoot("dist", "cli", "main.js"), ...args]);
const bin = (name, script) =>
  path.join(path.dirname(createRequire(inRoot("package.json")).resolve(`${name}/package.json`)), script);

/** The Temporal CLI in the cache. Where Go builds it, that takes minutes in which a core is often idle: others run beside it. */
const temporalCli = (ending) =>
  run(["-r", inRoot("scripts", "register-ts.cjs"), inRoot("scripts", "temporal-cli.ts")], { signal: ending.signal });

/** The server itself, for the test with PostgreSQL: of the CLI's packages, so it waits until Go has built those. */
const temporalServer = async (cli, ending) => {
  const code = await cli;
  const program = [inRoot("scripts", "register-ts.cjs"), inRoot("scripts", "temporal-server.ts")];
  return code === 0 ? await run(["-r", ...program], { signal: ending.signal }) : code;
};

/** Waits for what runs at once. The exit code of the first that fails, which ends what need not be finished; else 0. */
async function together(running, ending) {
  let failed = 0;
  const wait = async (one) => {
    const code = await one;
    if (code === 0 || failed !== 0) return;
    failed = code;
    ending.abort();
  };
  await Promise.all(running.map(wait));
  return failed;
}

async function firstFailing(steps) {
  for (const step of steps) {
    const code = await step();
    if (code !== 0) return code;
  }
  return 0;
}

const script = (name, ...args) => run([inRoot("scripts", name), ...args]);

/** Types and lint: they take seconds and name the place. */
function checks() {
  const types = firstFailing(
    [root, inRoot("page")].map((project) => () => run([bin("typescript", "bin/tsc"), "--noEmit", "-p", project])),
  );
  return [types, run([bin("@biomejs/biome", "bin/biome"), "check", "--error-on-warnings", root])];
}

/** Seconds of CPU that ended children of this process used, with their own: what the tests' summary counts besides them. */
function cpuOfChildren() {
  if (!existsSync("/proc/self/stat")) return 0;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * @param cli while it is not there, tests that need no server run first
 */
async function jest(args, cli, env = {}) {
  const hasCli = await Promise.race([
    cli.then(() => true),
    new Promise((resolve) => setTimeout(resolve, 3_000, false)),
  ]);
  const own = {
    NAVIGATOR_CPU_BEFORE: String(cpuOfChildren()),
    ...(hasCli ? {} : { NAVIGATOR_CORE_FIRST: "1" }),
    ...env,
  };
  return run([bin("jest", "bin/jest.js"), "--rootDir", root, ...args], { env: own });
}

/** Commands that start a Temporal server of their own. The CLI is looked for, or built, from the moment that packages are there. */
const SERVER_COMMANDS = {
  bench: (args, cli) => firstFailing([() => cli, () => run([inRoot("dist", "bench", "index.js"), ...args])]),
  "bench:blocked": (args, cli) =>
    firstFailing([() => cli, () => run([inRoot("dist", "bench", "blocked.js"), ...args])]),
  "bench:long": (args, cli) => firstFailing([() => cli, () => run([inRoot("dist", "bench", "long.js"), ...args])]),
  "bench:turns": (args, cli) => firstFailing([() => cli, () => run([inRoot("dist", "bench", "turns.js"), ...args])]),
  "bench:web": (args, cli) => firstFailing([() => cli, () => run([inRoot("dist", "bench", "web-load.js"), ...args])]),
  soak: (args, cli) =>
    firstFailing([
      () => cli,
      () => script("test-programs.mjs", "--deep"),
      () => run([inRoot("dist", "bench", "soak.js"), ...args]),
    ]),
  "soak:mcp": (args, cli) => firstFailing([() => cli, () => run([inRoot("dist", "bench", "crowd.js"), ...args])]),
  // The CLI is not waited for: where Go has to build it, that takes minutes, and many tests need no server.
  test: (args, cli, ending) =>
    firstFailing([() => together([...checks(), script("test-programs.mjs")], ending), () => jest(args, cli)]),
  "test:area": async (args, cli) => {
    const { testsOfAreas } = await import("./test-area.mjs");
    const { files, more } = testsOfAreas(args.filter((word) => word !== "--deep"));
    const chosen = { NAVIGATOR_TEST_FILES: files.map((file) => `test/${file}`).join("\n") };
    const tests = (env) => () => jest(["--passWithNoTests", ...more], cli, { ...chosen, ...env });
    return firstFailing([() => cli, tests({}), ...(args.includes("--deep") ? [tests({ NAVIGATOR_DEEP: "1" })] : [])]);
  },
  "test:deep": (args, cli, ending) =>
    firstFailing([
      () =>
        together(
          [temporalServer(cli, ending), script("test-programs.mjs", "--deep"), script("kubernetes-programs.mjs")],
          ending,
        ),
      () => jest(args, cli, { NAVIGATOR_DEEP: "1" }),
    ]),
};

const COMMANDS = {
  demo: (args) => navigator("demo", ...args),
  example: (args) => run([inRoot("dist", "examples", "runner", "main.js"), ...args]),
  navigator: (args) => navigator(...args),
  ...SERVER_COMMANDS,
  "test:mutations": () => run(["-r", inRoot("scripts", "register-ts.cjs"), inRoot("test", "mutations", "main.ts")]),
};

async function main([name, ...args]) {
  checkNode();
  const command = COMMANDS[name];
  if (!command) throw new Stop(2, `Unknown command "${name ?? ""}".`, `Known: ${Object.keys(COMMANDS).join(", ")}.`);
  const ending = new AbortController();
  const cli = await withLock(async () => {
    await install();
    const started = SERVER_COMMANDS[name] && { code: temporalCli(ending) };
    await build().catch((error) => {
      ending.abort();
      throw error;
    });
    return started;
  });
  return command(args, cli?.code, ending);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`error ${error.message}`);
  for (const line of (error.hint ?? "").split("\n").filter(Boolean)) say(`  -> ${line}`);
  process.exitCode = error.exitCode ?? 1;
}
