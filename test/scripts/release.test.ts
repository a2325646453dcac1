import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { temporaryFolder } from "../support/environment";

/** `npm run release:check`: its quick part on this repository, and that each kind of mistake is told, on a copy. */

const root = path.join(__dirname, "../..");
const COPIED = [
  ...["package.json", "package-lock.json", "CHANGELOG.md", "README.md", "LICENSE", ".dockerignore"],
  ...["create-navigator-agents/package.json", "create-navigator-agents/README.md", "create-navigator-agents/LICENSE"],
  ...["prove/package.json", "prove/README.md", "prove/LICENSE"],
  ...["plugins/claude-code/.claude-plugin/plugin.json", "docs/api/openapi.json", "docker", "deploy/helm"],
  ...["scripts/release", "scripts/release-check.mjs", "scripts/release-version.mjs"],
];

const copy = temporaryFolder("release");
afterAll(() => copy.remove());
const at = (file: string) => path.join(copy.path, file);
const read = (file: string) => readFileSync(at(file), "utf8");
const change = (file: string, from: string | RegExp, to: string) => {
  expect(read(file)).toMatch(from);
  writeFileSync(at(file), read(file).replace(from, to));
};
beforeEach(() => {
  for (const file of COPIED.filter((one) => existsSync(path.join(root, one))))
    cpSync(path.join(root, file), at(file), { recursive: true });
  for (const folder of ["src", "bench", "examples", "prove", "page", "catalog", "docs", "templates", "scripts"])
    mkdirSync(at(folder), { recursive: true });
  for (const file of ["tsconfig.json", "tsconfig.build.json"]) writeFileSync(at(file), "{}");
});

const node = (cwd: string, ...args: string[]) => spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
const check = (...args: string[]) => node(copy.path, "scripts/release-check.mjs", "--quick", ...args);

test("a release could be made of this repository", () => {
  const { stdout, status } = node(root, "scripts/release-check.mjs", "--quick");
  expect(stdout).not.toContain("NOT");
  expect(status).toBe(0);
});

test.each([
  ["plugins/claude-code/.claude-plugin/plugin.json", /"version": "[^"]+"/, '"version": "9.9.9"', "says version 9.9.9"],
  ["docs/api/openapi.json", /"version": "[^"]+"/, '"version": "9.9.9"', "docs/api/openapi.json says version 9.9.9"],
  ["CHANGELOG.md", /^## Unreleased\n[\s\S]*/m, "## Unreleased\n", "CHANGELOG.md has no section"],
  ["prove/package.json", '"version": "', '"version": "9', "prove/package.json says version 9"],
  ["prove/package.json", '"navigator-agents": "', '"navigator-agents": "^', "prove/package.json says version ^"],
  ["package.json", '"provenance": true', '"provenance": false', "has no publishConfig.provenance: true"],
  ["docker/Dockerfile", "COPY page ./page\n", "", "The first stage lacks page, which the build reads."],
  [
    "docker/Dockerfile",
    "COPY catalog ./catalog\n",
    "COPY catalogue ./catalog\n",
    "COPY catalogue: there is no such file.",
  ],
  ["docker/Dockerfile", "COPY --from=build", "COPY --from=bild", "COPY --from=bild: there is no such stage."],
  [
    "docker/Dockerfile",
    /@sha256:[0-9a-f]+ AS build/,
    " AS build",
    "FROM node:24-bookworm-slim: name the image by its digest.",
  ],
  [".dockerignore", "coverage", "docs", "COPY docs: .dockerignore leaves it out."],
])("a mistake in %s is told (%s)", (file, from, to, told) => {
  change(file, from, to);
  const { stdout, status } = check();
  expect(stdout).toContain(told);
  expect(status).toBe(1);
});

test("a tag is only released with its version, its section of the changelog and a repository", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(check("--tag", "v0.0.1").stdout).toContain(`The tag is v0.0.1, the version is ${version}.`);
  const untold = check("--tag", `v${version}`);
  expect(untold.stdout).toContain("has no repository.url");
  expect(untold.status).toBe(1);
});

test("`npm version` writes one version everywhere and makes its section of the changelog", () => {
  change("package.json", /"version": "[^"]+"/, '"version": "7.8.9"');
  expect(node(copy.path, "scripts/release-version.mjs")).toMatchObject({ status: 0, stderr: "" });
  expect(read("CHANGELOG.md")).toMatch(/^## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n### /m);
  expect(JSON.parse(read("prove/package.json"))).toMatchObject({
    version: "7.8.9",
    peerDependencies: { "navigator-agents": "7.8.9" },
  });
  for (const file of ["package.json", "prove/package.json", "create-navigator-agents/package.json"])
    change(file, '"license"', '"repository": { "url": "git+https://github.com/a/b.git" },\n  "license"');
  const { stdout, status } = check("--tag", "v7.8.9");
  expect({ stdout, status }).toMatchObject({ stdout: expect.not.stringContaining("NOT"), status: 0 });
});

test("files of a package that are missing, unexpected, forbidden or like a secret are told", () => {
  const files = ["package.json", "README.md", "LICENSE", "dist/main.js", ".env", "notes.txt", "templates/project/a.ts"];
  mkdirSync(at("dist"));
  writeFileSync(at("dist/main.js"), `const token = "npm_${"a".repeat(36)}";`);
  const script = `import { contentProblems, secretProblems } from "./scripts/release/contents.mjs";
    const name = "create-navigator-agents";
    console.log(JSON.stringify([...contentProblems(name, ${JSON.stringify(files)}), ...secretProblems(name, ".", ["dist/main.js"])]));`;
  expect(JSON.parse(node(copy.path, "--input-type=module", "-e", script).stdout)).toEqual([
    expect.stringContaining(".env must never be published"),
    expect.stringContaining("notes.txt is not expected"),
    expect.stringContaining("no file matches ^templates\\/project\\/(_gitignore"),
    expect.stringContaining("dist/main.js has something of the form of a secret"),
  ]);
});

test("the release workflow publishes with provenance, only after all tests, and only its own job may sign", () => {
  const workflow = parse(readFileSync(path.join(root, ".github/workflows/release.yml"), "utf8"));
  expect(workflow.permissions).toEqual({ contents: "read" });
  const { check: tests, deep, npm, image } = workflow.jobs;
  expect([tests.permissions, deep.permissions]).toEqual([undefined, undefined]);
  expect(npm).toMatchObject({ needs: ["check", "deep"], permissions: { contents: "read", "id-token": "write" } });
  expect(image).toMatchObject({ needs: ["check", "deep"], permissions: { contents: "read", packages: "write" } });
  const pushed = image.steps.find(({ id }: { id?: string }) => id === "push");
  expect(pushed.run).toMatch(/--platform linux\/amd64,linux\/arm64 --sbom=true --provenance=mode=max/);
  expect(image.steps.at(-1)).toMatchObject({
    uses: expect.stringContaining("actions/attest-build-provenance@"),
    with: { "subject-digest": expect.stringContaining("steps.push.outputs.digest"), "push-to-registry": true },
  });
  const runs = (npm.steps as { run?: string }[]).flatMap(({ run }) => run ?? []);
  const published = runs.flatMap((run) => run.split("\n")).filter((line) => line.startsWith("npm publish"));
  expect(published).toEqual([
    'npm publish --provenance --access public --tag "$tag"',
    'npm publish --provenance --access public --tag "$tag" ./prove',
    'npm publish --provenance --access public --tag "$tag" ./create-navigator-agents',
  ]);
  expect(runs.findIndex((run) => run.includes("release-check.mjs --tested --tag"))).toBeLessThan(runs.length - 1);
});

test("a push is tested on each supported version of Node, and each night runs the deep tests in parts", () => {
  const { on, permissions, jobs } = parse(readFileSync(path.join(root, ".github/workflows/tests.yml"), "utf8"));
  expect(Object.keys(on)).toEqual(expect.arrayContaining(["push", "pull_request", "schedule"]));
  expect(permissions).toEqual({ contents: "read" });
  const commands = ({ steps }: { steps: { run?: string }[] }) => steps.flatMap(({ run }) => run ?? []);
  expect(jobs.test.strategy.matrix.node).toEqual([20, 22, 24]);
  expect(commands(jobs.test)).toEqual(["npm test"]);
  const parts = jobs.deep.strategy.matrix.shard;
  expect(commands(jobs.deep)).toEqual([`npm run test:deep -- --shard=\${{ matrix.shard }}/${parts.length}`]);
});

test("each action of a workflow is fixed to a commit, with the version beside it", () => {
  const folder = path.join(root, ".github/workflows");
  const used = readdirSync(folder).flatMap(
    (file) => readFileSync(path.join(folder, file), "utf8").match(/uses: .*/g) ?? [],
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  // One action has one version.
  const versions = [...new Set(used)].map((line) => line.split("@")[0]);
  expect(versions).toEqual([...new Set(versions)]);
});
