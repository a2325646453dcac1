// npm run test:area -- agent plan    the tests of these areas (test/areas.cjs), and the ring that always runs
// npm run test:area                  those of what git says has changed: in the working tree, and in commits that origin/main lacks
// npm run test:area -- agent --deep  the deep tests of these areas as well. Other options go to jest: agent -t "a title"
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { AREAS, areasOf, testsOf } = createRequire(import.meta.url)("../test/areas.cjs");

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
    throw Object.assign(
      new Error(`There is no area "${unknown.join('", "')}". There are: ${Object.keys(AREAS).sort().join(", ")}.`),
      { exitCode: 2 },
    );
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

/**
 * The test files that the words of the command ask for.
 *
 * @returns the files below test/, and the words for jest
 */
export function testsOfAreas(words) {
  const end = words.findIndex((word) => word.startsWith("-"));
  const [names, more] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const { areas, tests } = asked(names);
  const all = readdirSync(path.join(root, "test"), { recursive: true })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".test.ts"));
  const chosen = [
    ...new Set([...testsOf(areas, all), ...all.filter((file) => tests.some((one) => file.startsWith(one)))]),
  ];
  process.stderr.write(
    `Areas: ${areas.length === 0 ? "none; only the tests that always run" : areas.join(", ")}. ${chosen.length} test files.\n`,
  );
  return { files: chosen, more: more.map((word) => (word === "--watch" ? "--watchAll" : word)) };
}
