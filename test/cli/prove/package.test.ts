import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { version } from "../../../package.json";
import { temporaryFolder } from "../../support/environment";

/** Where `navigator prove` finds its package. The command is the built one without dist/prove, as npm installs it. */

const root = path.join(__dirname, "../../..");
const home = temporaryFolder("prove-package");
const at = (...parts: string[]) => path.join(realpathSync(home.path), ...parts);
const INSTALL = `npm install --save-dev navigator-agents-prove@${version}`;

beforeAll(() => {
  const place = at("global/node_modules/navigator-agents");
  mkdirSync(path.join(place, "dist"), { recursive: true });
  const built = readdirSync(path.join(root, "dist")).filter((name) => name !== "prove");
  for (const file of ["package.json", ...built.map((name) => path.join("dist", name))])
    symlinkSync(path.join(root, file), path.join(place, file));
  for (const folder of ["app", "elsewhere"]) mkdirSync(at(folder));
});
afterEach(() => {
  for (const folder of ["app", "global"])
    rmSync(at(folder, "node_modules/navigator-agents-prove"), { recursive: true, force: true });
});
afterAll(() => home.remove());

/** A package with one proof, which prints its own folder. */
function install(folder: string, packed = version): string {
  const place = at(folder, "node_modules/navigator-agents-prove");
  mkdirSync(place, { recursive: true });
  const exported = { ".": "./command.js", "./package.json": "./package.json" };
  writeFileSync(
    path.join(place, "package.json"),
    JSON.stringify({ name: "navigator-agents-prove", version: packed, main: "command.js", exports: exported }),
  );
  writeFileSync(
    path.join(place, "command.js"),
    `exports.registerProofs = (prove, io) =>
       prove.command("fake").description("a fake proof").action(() => io.result({ ran: __dirname }, () => "ran"));`,
  );
  return place;
}

function navigator(args: string[], folder = "app") {
  const main = at("global/node_modules/navigator-agents/dist/cli/main.js");
  const asCopies = ["--preserve-symlinks", "--preserve-symlinks-main"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...asCopies, main, ...args], {
    cwd: at(folder),
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_PATH: path.join(root, "node_modules") },
  });
  return { code: status, stdout, stderr };
}

test.each([[["prove"]], [["prove", "--help"]], [["prove", "sandbox", "--quick"]]])(
  "without the package, navigator %j says in one sentence how to install it",
  (args) =>
    expect(navigator(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `error [bad_project] navigator prove needs the package navigator-agents-prove: ${INSTALL}\n`,
    }),
);

test("without the package, the help of navigator lists the command", () =>
  expect(navigator(["--help"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n {2}prove /), stderr: "" }));

test.each([
  { where: "the working directory", has: "app", from: "app", args: [] },
  { where: "the project", has: "app", from: "elsewhere", args: ["--project", "../app"] },
  { where: "the place of navigator-agents", has: "global", from: "elsewhere", args: [] },
])("the package that $where has is run", ({ has, from, args }) => {
  const place = install(has);
  const { code, stdout, stderr } = navigator(["prove", "fake", ...args, "--json"], from);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({ ran: place });
});

test("the package of the working directory comes before the one next to navigator-agents", () => {
  const place = install("app");
  install("global");
  expect(JSON.parse(navigator(["prove", "fake", "--json"]).stdout)).toEqual({ ran: place });
});

test("the help of prove has the commands of the package", () => {
  install("app");
  expect(navigator(["prove", "--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("a fake proof") });
  expect(navigator(["prove", "fke"]).stderr).toContain("Did you mean fake?");
});

test.each(["0.0.1", `${version}-rc.1`])(
  "a package of version %s is refused, with the command that installs the right one",
  (other) => {
    const place = install("app", other);
    const { code, stdout, stderr } = navigator(["prove", "fake", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: "bad_project",
      hint: INSTALL,
      details: { path: path.join(place, "package.json") },
    });
    expect(error.message).toContain(`has version ${other}, and navigator-agents has version ${version}.`);
  },
);

test("the help of navigator does not load the package", () => {
  const place = install("app");
  writeFileSync(path.join(place, "command.js"), 'throw new Error("It was loaded.");');
  expect(navigator(["--help"])).toMatchObject({ code: 0, stderr: "" });
  expect(navigator(["prove"]).stderr).toContain("It was loaded.");
});
