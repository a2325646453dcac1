// Whether a release could be made now: `npm run release:check`. Prints each check with its time; the exit code tells.
//
//   --tag vX.Y.Z  as the release workflow asks: the tag is the version, the changelog has its section, and `repository` is set
//   --quick       only what takes no build: versions, changelog, metadata, the Dockerfile's steps as text
//   --tested      without the deep tests, which have been run
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changelogProblems } from "./release/changelog.mjs";
import { contentProblems, secretProblems } from "./release/contents.mjs";
import { imageProblems, runImageSteps } from "./release/image.mjs";
import { metadataProblems } from "./release/metadata.mjs";
import { versionOf, wrongVersions } from "./release/version-places.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { tag: { type: "string" }, quick: { type: "boolean" }, tested: { type: "boolean" } },
});
const isTagged = values.tag !== undefined;
const version = versionOf(root);
const PACKAGES = [
  { name: "navigator-agents", folder: "." },
  { name: "navigator-agents-prove", folder: "prove" },
  { name: "create-navigator-agents", folder: "create-navigator-agents" },
];

function packedFiles(folder) {
  const args = ["pack", "--dry-run", "--json"];
  const options = {
    cwd: path.join(root, folder),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  };
  const [{ files }] = JSON.parse(execFileSync("npm", args, options));
  return files.map((file) => file.path);
}

function packageProblems({ name, folder }) {
  const files = packedFiles(folder);
  return [...contentProblems(name, files), ...secretProblems(name, path.join(root, folder), files)];
}

function imageStepProblems() {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-image-"));
  try {
    runImageSteps(root, folder);
    return [];
  } catch (error) {
    return [error.message];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function siteProblems() {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-site-"));
  const args = [path.join(root, "scripts", "site.mjs"), "--out", folder];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? [] : [stderr];
}

/** Those of each change are run before a change is handed in. What they print is that of the tests. */
function deepTestProblems() {
  if (values.tested) return [];
  const args = [path.join(root, "scripts", "bootstrap.mjs"), "test:deep"];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  return status === 0 ? [] : ["A test failed: what it printed is above."];
}

const QUICK = {
  [`the version is ${version} everywhere`]: () => wrongVersions(root),
  "the tag is the version": () =>
    isTagged && values.tag !== `v${version}` ? [`The tag is ${values.tag}, the version is ${version}.`] : [],
  "the changelog has what is new": () => changelogProblems(root, version, isTagged),
  "the packages say what the registry needs": () =>
    PACKAGES.flatMap(({ folder }) => metadataProblems(root, folder, isTagged)),
  "docker/Dockerfile copies what is there, what the build reads and what the image needs": () => imageProblems(root),
};
const LONG = {
  "dist is what the sources give": async () => {
    const { isFresh } = await import("./build.mjs");
    return isFresh() ? [] : ["dist is stale: npm run build"];
  },
  ...Object.fromEntries(PACKAGES.map((one) => [`the files of ${one.name}`, () => packageProblems(one)])),
  "the documentation site has no broken link": siteProblems,
  "the steps of docker/Dockerfile build and run": imageStepProblems,
  "the deep tests pass (npm run test:deep)": deepTestProblems,
};

for (const [name, problemsOf] of Object.entries({ ...QUICK, ...(values.quick ? {} : LONG) })) {
  const since = Date.now();
  const problems = await problemsOf();
  const seconds = ((Date.now() - since) / 1000).toFixed(1).padStart(6);
  console.log(`${seconds} s  ${problems.length === 0 ? "ok  " : "NOT "}  ${name}`);
  for (const problem of problems) console.log(`               ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
