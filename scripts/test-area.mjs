// npm run test:area -- agent plan    the tests of these areas (test/areas.cjs), and the ring that always runs
// npm run test:area                  those of what git says has changed: in the working tree, and in commits that origin/main lacks
// npm run test:area -- agent --deep  the deep tests of these areas as well. Other options go to jest: agent -t "a title"
import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { AREAS, areasOf, testsOf } = createRequire(import.meta.url)("../test/areas.cjs");
const say = (text) => process.stderr.write(`${text}\n`);

const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter((line) => line !== "");

function hasBranch(name) {
  try {
    return git("rev-parse", "--verify", "--quiet", name).length > 0;
  } catch {
    return false;
  }
}

function changedFiles() {
  const since = hasBranch("origin/main") ? git("merge-base", "HEAD", "origin/main")[0] : "HEAD";
  return [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")];
}

/** What is asked for: the areas by name, else those of the changed files, and changed tests themselves. */
function asked(names) {
  const unknown = names.filter((name) => !(name in AREAS));
  if (unknown.length > 0)
    throw new Error(`There is no area "${unknown.join('", "')}". There are: ${Object.keys(AREAS).sort().join(", ")}.`);
  if (names.length > 0) return { areas: names, tests: [] };
  const changed = changedFiles();
  const below = changed.filter((file) => file.startsWith("test/")).map((file) => file.slice("test/".length));
  const tests = below.filter((file) => file.endsWith(".test.ts"));
  // What several tests share is named after none of them: all tests of its folder.
  const shared = below.filter((file) => !file.endsWith(".test.ts")).map((file) => `${path.posix.dirname(file)}/`);
  return {
    areas: areasOf(changed),
    tests: [...tests, ...shared.filter((folder) => !/^(support|histories|\.)\b/.test(folder))],
  };
}

function run(files, more, env) {
  const jest = path.join(root, "node_modules", "jest", "bin", "jest.js");
  const own = { ...process.env, ...env, NAVIGATOR_TEST_FILES: files.map((file) => `test/${file}`).join("\n") };
  const args = [
    jest,
    "--rootDir",
    root,
    "--passWithNoTests",
    ...more.map((word) => (word === "--watch" ? "--watchAll" : word)),
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: own });
  // The terminal sends Ctrl-C to the tests as well. SIGTERM reaches this process alone, which passes it on.
  const [wait, pass] = [() => {}, () => child.kill("SIGTERM")];
  process.on("SIGINT", wait).on("SIGTERM", pass);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGINT", wait).off("SIGTERM", pass);
      resolve(code ?? 1);
    });
  });
}

async function main(args) {
  const isDeep = args.includes("--deep");
  const words = args.filter((word) => word !== "--deep");
  const end = words.findIndex((word) => word.startsWith("-"));
  const [names, more] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const { areas, tests } = asked(names);
  const all = readdirSync(path.join(root, "test"), { recursive: true })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".test.ts"));
  const chosen = [
    ...new Set([...testsOf(areas, all), ...all.filter((file) => tests.some((one) => file.startsWith(one)))]),
  ];
  say(
    `Areas: ${areas.length === 0 ? "none; only the tests that always run" : areas.join(", ")}. ${chosen.length} test files.`,
  );
  const code = await run(chosen, more, {});
  if (code !== 0 || !isDeep) return code;
  return run(chosen, more, { NAVIGATOR_DEEP: "1" });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`error ${error.message}`);
  process.exitCode = 2;
}
