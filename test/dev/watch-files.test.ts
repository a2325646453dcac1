import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FileWatch } from "../../src/cli/dev/watch-files";
import { temporaryFolder } from "../support/environment";

const folder = temporaryFolder("watch");
let watch: FileWatch;
let told: string[] = [];
let wake = () => {};
const put = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(folder.path, file)), { recursive: true });
  writeFileSync(path.join(folder.path, file), text);
};
/** All that was told until this file is. */
async function untilTold(file: string): Promise<string[]> {
  while (!told.includes(file))
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  return [...new Set(told.splice(0))].sort();
}

beforeAll(() => {
  for (const file of [
    "tools/pay.ts",
    "data/orders.json",
    "graphs/a.json",
    "test/pay.test.ts",
    "node_modules/a/index.js",
  ])
    put(file, "{}");
  put("elsewhere/shared.ts", "");
  const root = path.join(folder.path);
  watch = new FileWatch(
    root,
    (files) => {
      told.push(...files.map((file) => path.relative(root, file)));
      wake();
    },
    (error) => {
      throw error;
    },
  );
  watch.setSources({ files: [], folders: [path.join(root, "graphs")] });
});
afterAll(() => {
  watch.close();
  folder.remove();
});

test("code and graphs are part of a project; its data, tests, packages and what did not change are not", async () => {
  told = [];
  put("data/orders.json", "[1]");
  put("test/pay.test.ts", "changed");
  put("tools/pay.test.ts", "new");
  put("node_modules/a/index.js", "changed");
  put(".git/config.js", "new");
  put("graphs/a.json", "[]");
  put("tools/pay.ts", "changed");
  expect(await untilTold("tools/pay.ts")).toEqual(["graphs/a.json", "tools/pay.ts"]);
});

test("files of a new folder are seen, and changes of them", async () => {
  put("agents/deep/clerk.ts", "one");
  expect(await untilTold("agents/deep/clerk.ts")).toEqual(["agents/deep/clerk.ts"]);
  put("agents/deep/clerk.ts", "two, longer");
  expect(await untilTold("agents/deep/clerk.ts")).toEqual(["agents/deep/clerk.ts"]);
});

test("a folder that is removed and made again is watched again, with what is in it", async () => {
  rmSync(path.join(folder.path, "agents"), { recursive: true });
  expect(await untilTold("agents/deep/clerk.ts")).toEqual(["agents/deep/clerk.ts"]);
  put("agents/deep/clerk.ts", "back");
  expect(await untilTold("agents/deep/clerk.ts")).toEqual(["agents/deep/clerk.ts"]);
  // In one moment, as a checkout does it.
  rmSync(path.join(folder.path, "agents"), { recursive: true });
  put("agents/deep/clerk.ts", "and back at once");
  put("tools/pay.ts", "the last change");
  expect(await untilTold("tools/pay.ts")).toContain("tools/pay.ts");
  put("agents/deep/clerk.ts", "edited");
  expect(await untilTold("agents/deep/clerk.ts")).toContain("agents/deep/clerk.ts");
});

test("what the project was loaded from is part of it, whatever its name", async () => {
  watch.setSources({ files: [path.join(folder.path, "data/orders.json")], folders: [] });
  put("data/orders.json", "[1, 2]");
  expect(await untilTold("data/orders.json")).toEqual(["data/orders.json"]);
});
