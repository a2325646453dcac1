// What the tests need besides Node's packages: Chromium for the page and PostgreSQL for its stream store; with --deep also promtool for the
// alert rules.
// Where they are missing on a machine with apt, and we may, they are installed from the distribution's packages; elsewhere the error
// says what to install.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const say = (text) => process.stderr.write(`${text}\n`);
const onPath = (name) => (process.env.PATH ?? "").split(path.delimiter).some((one) => existsSync(path.join(one, name)));
const POSTGRES = "/usr/lib/postgresql";

/** Debian's package -> whether what it has is here. */
const PROGRAMS = {
  chromium: () =>
    Boolean(process.env.NAVIGATOR_CHROMIUM) || ["chromium", "chromium-browser", "google-chrome"].some(onPath),
  postgresql: () => onPath("initdb") || (existsSync(POSTGRES) && readdirSync(POSTGRES).length > 0),
};

/**
 * Where the programs of Debian's package `prometheus` are unpacked. An installation would start a service and bring the packages of
 * its web page; the programs need neither.
 */
export const PROMETHEUS = path.join(
  process.env.NAVIGATOR_CACHE ?? path.join(homedir(), ".cache", "navigator"),
  "prometheus",
);
const hasPromtool = () => onPath("promtool") || existsSync(path.join(PROMETHEUS, "usr/bin/promtool"));

const missing = () => Object.keys(PROGRAMS).filter((name) => !PROGRAMS[name]());

/** @returns the exit code: 0, or 3 with what to install */
export async function ensureTestPrograms({ deep }) {
  const code = await ensurePackages();
  return code === 0 && deep ? await ensurePromtool() : code;
}

async function ensurePackages() {
  const names = missing();
  if (names.length === 0) return 0;
  if (process.getuid?.() === 0 && onPath("apt-get")) {
    say(`Installing ${names.join(" and ")} with apt-get ...`);
    const started = Date.now();
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    for (const args of [
      ["update", "-q"],
      ["install", "-y", "-q", "--no-install-recommends", ...names],
    ]) {
      const { code, output } = await run("apt-get", args, env);
      if (code === 0) continue;
      say(output.trimEnd().split("\n").slice(-8).join("\n"));
      say(`apt-get ${args[0]} failed with exit code ${code}.`);
    }
    if (missing().length === 0) {
      say(`Installed in ${Math.round((Date.now() - started) / 1_000)} s.`);
      return 0;
    }
  }
  say(`error The tests need ${missing().join(" and ")}.`);
  say(`  -> Install them: apt-get install ${missing().join(" ")} (another Chromium: NAVIGATOR_CHROMIUM=PATH)`);
  return 3;
}

async function ensurePromtool() {
  if (hasPromtool()) return 0;
  let output = "there is no apt-get";
  if (onPath("apt-get") && onPath("dpkg-deb")) {
    say("Unpacking promtool from Debian's package prometheus ...");
    mkdirSync(path.dirname(PROMETHEUS), { recursive: true });
    const work = mkdtempSync(`${PROMETHEUS}-`);
    const unpack =
      "apt-get download prometheus || { apt-get update -q && apt-get download prometheus; }; dpkg-deb -x prometheus_*.deb whole";
    ({ output } = await run("sh", ["-ec", unpack], process.env, work));
    // Two at once: the second finds what the first has put there.
    if (existsSync(path.join(work, "whole/usr/bin/promtool")) && !hasPromtool())
      renameSync(path.join(work, "whole"), PROMETHEUS);
    rmSync(work, { recursive: true, force: true });
    if (hasPromtool()) return 0;
  }
  say(`error The tests need promtool: ${output.trimEnd().split("\n").slice(-4).join("\n")}`);
  say("  -> Put the programs of Prometheus on PATH: apt-get install prometheus, or https://prometheus.io/download");
  return 3;
}

function run(command, args, env, cwd) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", (error) => resolve({ code: 127, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await ensureTestPrograms({ deep: process.argv.includes("--deep") });
