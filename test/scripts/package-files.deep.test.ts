import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** What npm would publish: npm is asked, which takes many seconds of a core. package-files.test.ts asks package.json. */
const root = path.join(__dirname, "../..");

test("the package has every file that the README links to, the catalog, and of dist no proof, benchmark or example but the demo", () => {
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
  const outside = files.filter((file) => /^dist\/(bench|examples|prove)\//.test(file));
  expect(outside).toContain("dist/examples/order/demo/mission.js");
  expect(outside.filter((file) => !file.startsWith("dist/examples/order/demo/"))).toEqual([]);
});
