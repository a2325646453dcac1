import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** What npm would publish: npm is asked, which takes many seconds of a core. package-files.test.ts asks package.json. */
const root = path.join(__dirname, "../..");

test("every file of the repository that the README links to is in the package", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = (JSON.parse(packed) as { files: { path: string }[] }[])[0]!.files.map((file) => file.path);
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => path.posix.normalize(match[1]!));
  expect(links.length).toBeGreaterThan(5);
  const there = (link: string) => files.some((file) => file === link || file.startsWith(`${link.replace(/\/$/, "")}/`));
  expect(links.filter((link) => !there(link))).toEqual([]);
  expect(files.filter((file) => file.startsWith("catalog/")).length).toBeGreaterThan(5);
});
