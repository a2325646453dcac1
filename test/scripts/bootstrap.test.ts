import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** What `npm run ...` does before anything else, on a small copy of the repository. */

const root = path.join(__dirname, "../..");
/** Of a package that npm has not kept. */
const INTEGRITY = `sha512-${Buffer.alloc(64, 1).toString("base64")}`;
const MAIN = "import { name } from '../name';\nconsole.log(name, process.argv.slice(2).join(' '));\n";

let copy: string;
beforeEach(() => {
  // Beside the packages, as in a clone: files are moved into place by renames, which do not cross disks.
  mkdirSync(path.join(root, "node_modules", ".cache"), { recursive: true });
  copy = mkdtempSync(path.join(root, "node_modules", ".cache", "clone-"));
  for (const file of ["scripts", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(path.join(root, file), path.join(copy, file), { recursive: true });
  write("src/cli/main.ts", MAIN);
  write("src/name.ts", "export const name = 'first';\n");
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
  writeFileSync(path.join(copy, file), text);
}

const usePackages = () => symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));

function bootstrap(args: string[], env: NodeJS.ProcessEnv = {}) {
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(copy, "scripts/bootstrap.mjs"), ...args], {
    cwd: copy,
    // Packages that do not fit the lock must fail the test, never be installed anew through the link.
    env: { PATH, HOME, npm_execpath: path.join(copy, "no-npm-here.js"), ...env },
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

test("an unreachable registry is reported in one clear message, exit code 3", () => {
  // One package is enough: npm tries each of them again.
  const place = "node_modules/left-out";
  const resolved = "https://registry.npmjs.org/left-out/-/left-out-1.0.0.tgz";
  const own = { name: "copy", version: "1.0.0", dependencies: { "left-out": "1.0.0" } };
  write("package.json", JSON.stringify(own));
  const packages = { "": own, [place]: { version: "1.0.0", resolved, integrity: INTEGRITY } };
  write("package-lock.json", JSON.stringify({ ...own, lockfileVersion: 3, requires: true, packages }));
  const offline = {
    npm_execpath: undefined,
    npm_config_registry: "http://127.0.0.1:65533",
    npm_config_cache: path.join(copy, "npm-cache"),
    npm_config_fetch_retries: "0",
  };
  const end = bootstrap(["navigator", "--help"], offline);
  expect(end).toMatchObject({ code: 3, stdout: "" });
  expect(end.stderr).toContain("Installing packages with npm ci ...");
  expect(end.stderr).toContain("error The npm registry cannot be reached");
  expect(end.stderr).toContain("-> Check the network, HTTPS_PROXY");
});

test("an unknown command is refused with the known ones, exit code 2", () => {
  usePackages();
  expect(bootstrap(["dmeo"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(
      "Known: demo, example, navigator, bench, bench:blocked, bench:long, bench:turns, bench:web, soak, soak:mcp, test, test:area, test:deep, test:mutations.",
    ),
  });
});

test("the first run builds and says so on stderr, the second only runs, a changed source is rebuilt", () => {
  usePackages();
  const first = bootstrap(["navigator", "a", "b"]);
  expect(first).toMatchObject({ code: 0, stdout: "first a b\n", stderr: expect.stringMatching(/Built dist in/) });
  expect(bootstrap(["navigator"])).toMatchObject({ code: 0, stdout: "first \n", stderr: "" });
  write("src/name.ts", "export const name = 'second';\n");
  expect(bootstrap(["navigator"])).toMatchObject({
    code: 0,
    stdout: "second \n",
    stderr: expect.stringMatching(/Built/),
  });
});

test("a build leaves unchanged files alone and removes those whose source is gone", () => {
  usePackages();
  write("src/old.ts", "export const old = 1;\n");
  bootstrap(["navigator"]);
  const before = statSync(path.join(copy, "dist/cli/main.js")).ino;
  rmSync(path.join(copy, "src/old.ts"));
  bootstrap(["navigator"]);
  expect(existsSync(path.join(copy, "dist/old.js"))).toBe(false);
  expect(statSync(path.join(copy, "dist/cli/main.js")).ino).toBe(before);
});

test("files in bench import the built sources", () => {
  usePackages();
  write("bench/deep/index.ts", "import { name } from '../../src/name';\nconsole.log(name);\n");
  bootstrap(["navigator"]);
  expect(readFileSync(path.join(copy, "dist/bench/deep/index.js"), "utf8")).toContain('"../../name"');
  const run = spawnSync(process.execPath, [path.join(copy, "dist/bench/deep/index.js")], { encoding: "utf8" });
  expect(run).toMatchObject({ status: 0, stdout: "first\n" });
});

test("sources that do not compile stop the command before anything runs, exit code 1", () => {
  usePackages();
  write("src/name.ts", "export const name: number = 'no';\n");
  const end = bootstrap(["navigator"]);
  expect(end).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("src/name.ts(1,14): error TS2322"),
  });
  expect(existsSync(path.join(copy, "dist"))).toBe(false);
});

test("the command's own exit code is returned", () => {
  usePackages();
  write("src/cli/main.ts", "process.exitCode = 4;\n");
  expect(bootstrap(["navigator"])).toMatchObject({ code: 4 });
});

describe("the Temporal CLI is looked for while the sources are built", () => {
  beforeEach(usePackages);

  test("what cannot be built does not wait for it", () => {
    write("src/name.ts", "export const name: number = 'no';\n");
    write("scripts/temporal-cli.ts", "setInterval(() => {}, 1_000);\n");
    expect(bootstrap(["bench"])).toMatchObject({ code: 1, stderr: expect.stringContaining("error TS2322") });
  });

  test("a command that needs it begins when it is there", () => {
    write("bench/index.ts", "console.log('measured');\n");
    write("scripts/temporal-cli.ts", "setTimeout(() => console.error('it is there'), 500);\n");
    expect(bootstrap(["bench"])).toMatchObject({
      code: 0,
      stdout: "measured\n",
      stderr: expect.stringContaining("it is there\n"),
    });
  });

  test("without it such a command ends with exit code 3", () => {
    write("scripts/temporal-cli.ts", "process.exitCode = 3;\n");
    expect(bootstrap(["bench"])).toMatchObject({ code: 3, stdout: "" });
  });
});
