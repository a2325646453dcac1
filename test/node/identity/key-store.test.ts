import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loggedIn, logIn, logOut, serviceKey } from "../../../src/node/identity/key-store";
import { temporaryFolder } from "../../support/environment";

const { path: root, remove } = temporaryFolder("keys");
const folder = path.join(root, "navigator");
afterAll(remove);
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

const annaFile = path.join(folder, "people", "anna.json");
const rights = (file: string) => (statSync(file).mode & 0o777).toString(8);
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "nothing";
};

describe("the keys of a user", () => {
  test("a person has one key in all projects, and who acts is said for each project", () => {
    const made = logIn("shop", "anna", { folder });
    expect(made.made).toBe(true);
    const { key } = made;
    expect(logIn("bank", "anna", { folder })).toEqual({ person: "anna", key, made: false });
    logIn(null, "ben", { folder });
    expect(loggedIn("shop", folder)).toEqual({ person: "anna", key });
    expect(loggedIn(null, folder)?.person).toBe("ben");
    expect(loggedIn("constructor", folder)).toBeNull();
    expect(logOut("shop", folder)).toBe("anna");
    expect(logOut("shop", folder)).toBeNull();
    expect(loggedIn("shop", folder)).toBeNull();
    expect(loggedIn("bank", folder)?.person).toBe("anna");
    expect(logIn("shop", "anna", { folder }).key).toEqual(key);
  });

  test("a new key replaces the old one when it is asked for", () => {
    const { key } = logIn("shop", "anna", { folder });
    expect(logIn("shop", "anna", { folder, fresh: true }).key).not.toEqual(key);
    expect(readdirSync(path.join(folder, "people"))).toEqual(["anna.json"]);
  });

  test.each<[string, string]>([
    ["Timer", '"Timer" is a name of the system'],
    ["../anna", 'The name "../anna" '],
    ["a/b", 'The name "a/b" '],
    ["", 'The name "" '],
    ["group:finance", 'The name "group:finance" '],
  ])('nobody is called "%s"', (name, says) => {
    const refused = expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining(says),
      details: { path: "name" },
    });
    expect(() => logIn("shop", name, { folder })).toThrow(refused);
    expect(() => serviceKey(name, folder)).toThrow(refused);
  });

  test("a key that is damaged or gone is no key, and nobody acts unsigned instead", () => {
    logIn("shop", "anna", { folder });
    writeFileSync(annaFile, "{");
    expect(() => loggedIn("shop", folder)).toThrow(/is not a key that navigator login has made/);
    rmSync(annaFile);
    expect(codeOf(() => loggedIn("shop", folder))).toBe("not_logged_in");
  });

  test("a service's key is made once, also by several processes at a time", async () => {
    const script = `process.stdout.write(require("./src/node/identity/key-store.ts").serviceKey("worker", ${JSON.stringify(folder)}).kid)`;
    const kids = await Promise.all([1, 2, 3].map(() => output(script)));
    expect(new Set(kids)).toEqual(new Set([serviceKey("worker", folder).kid]));
    expect(readdirSync(path.join(folder, "services"))).toEqual(["worker.json"]);
  });
});

describe("only their user can read them", () => {
  const OPEN = /^Other users of this machine can read or change /;
  test("folders are 0700 and files 0600, whatever the mask says", () => {
    const before = process.umask(0);
    try {
      logIn("shop", "anna", { folder });
      serviceKey("page", folder);
    } finally {
      process.umask(before);
    }
    for (const place of [folder, path.join(folder, "people"), path.join(folder, "services")])
      expect(rights(place)).toBe("700");
    for (const file of [annaFile, path.join(folder, "services", "page.json"), path.join(folder, "current.json")])
      expect(rights(file)).toBe("600");
  });

  test("a service's key in a mounted secret may be read by the group, and by nobody else", () => {
    const key = serviceKey("mcp", folder);
    const file = path.join(folder, "services", "mcp.json");
    chmodSync(file, 0o440);
    expect(serviceKey("mcp", folder)).toEqual(key);
    chmodSync(file, 0o444);
    expect(() => serviceKey("mcp", folder)).toThrow(OPEN);
  });

  test.each([0o640, 0o604, 0o660, 0o602])("a key with the rights %o is refused", (mode) => {
    logIn("shop", "anna", { folder });
    chmodSync(annaFile, mode);
    expect(() => loggedIn("shop", folder)).toThrow(OPEN);
    expect(() => logIn("shop", "anna", { folder })).toThrow(OPEN);
    chmodSync(annaFile, 0o600);
    expect(loggedIn("shop", folder)?.person).toBe("anna");
  });

  test("a folder that holds other things keeps its rights; that of the keys does not", () => {
    mkdirSync(path.join(folder, "people"), { recursive: true, mode: 0o755 });
    chmodSync(folder, 0o755);
    chmodSync(path.join(folder, "people"), 0o755);
    logIn("shop", "anna", { folder });
    expect([rights(folder), rights(path.join(folder, "people"))]).toEqual(["755", "700"]);
  });

  test("the private part of a key stands in its own file and nowhere else", () => {
    const { key } = logIn("shop", "anna", { folder });
    const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => path.join(folder, name))
      .filter((name) => statSync(name).isFile() && readFileSync(name, "utf8").includes(key.d));
    expect(texts).toEqual([annaFile]);
  });
});

function output(script: string): Promise<string> {
  const child = spawn(process.execPath, ["-r", "./scripts/register-ts.cjs", "-e", script], {
    cwd: path.join(__dirname, "../../.."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((resolve) => child.once("close", () => resolve(said)));
}
