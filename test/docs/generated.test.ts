import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { GENERATED, withGenerated } from "../../scripts/docs/index";

/** What documents repeat of the code is written from the code: `npm run docs`. */
const root = path.join(__dirname, "../..");

/** The formatter rewrites the declarations inside of code blocks, so these are compared in their final form below. */
const tables = GENERATED.filter(({ name }) => name !== "api");

test.each(tables.map((part) => [part.file, part.name, part] as const))("%s: %s is up to date", (file, _, part) => {
  const document = readFileSync(path.join(root, file), "utf8");
  expect(plain(document)).toBe(plain(withGenerated(document, part)));
});

/** The formatter aligns columns; the test below compares its form too. */
function plain(text: string): string {
  return text.replace(/[ -]+/g, " ").trim();
}

test("npm run docs changes nothing", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/docs.mjs", "--check"], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, ""]);
  // Every declaration is made anew by the compiler.
});

test("a document without a place for its part is refused", () =>
  expect(() => withGenerated("# Title\n", { file: "docs/x.md", name: "table", text: () => "" })).toThrow(
    "docs/x.md lacks <!-- generated: table --> ... <!-- end -->",
  ));
