import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectName } from "../../src/project/name";

/** The name of a project: a setting, else its configuration's, its package's or its folder's. */
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "navigator-name-")));
  // The end of the way up.
  mkdirSync(path.join(root, ".git"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
};
const nameOf = (folder: string, env: NodeJS.ProcessEnv = {}) => projectName(env, path.join(root, folder));

test.each([
  { it: "the folder's own", folder: "My Shop", name: "my-shop" },
  { it: "the nearest package's", folder: "shop/agents", package: "@acme/Order.Desk", name: "acme-order-desk" },
  { it: "the configuration's", folder: "shop", package: "desk", config: '{"project": "orders"}', name: "orders" },
  { it: "that of the setting", folder: "shop", config: '{"project": "orders"}', env: "other", name: "other" },
  { it: "none where that is set", folder: "shop", env: "none", name: null },
  { it: "not one of the two words with a meaning", folder: "all", name: "all-project" },
  { it: "usable whatever the folder is called", folder: "日本", name: "project" },
])("it is $it", async ({ folder, package: named, config, env, name }) => {
  mkdirSync(path.join(root, folder), { recursive: true });
  if (named !== undefined) write("shop/package.json", JSON.stringify({ name: named }));
  if (config !== undefined) write(`${folder}/navigator.config.json`, config);
  expect(await nameOf(folder, env === undefined ? {} : { NAVIGATOR_PROJECT: env })).toBe(name);
});

test.each(["The Shop", "-shop", "shop/a", "x".repeat(41)])("%s is refused as a setting", async (name) => {
  await expect(nameOf(".", { NAVIGATOR_PROJECT: name })).rejects.toMatchObject({
    code: "bad_project",
    hint: expect.stringContaining("lower-case letters, digits and -"),
  });
});

test("a name in the configuration that cannot be one is refused with its place", async () => {
  write("shop/navigator.config.json", '{"project": "The Shop"}');
  await expect(nameOf("shop")).rejects.toThrow(/navigator\.config\.json: project: must be lower-case/);
});
