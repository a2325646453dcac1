import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { dependencies, files as published } from "../../package.json";
import { dependencies as dependenciesOfProofs } from "../../prove/package.json";

/** What package.json has npm publish. package-files.deep.test.ts asks npm itself. */
const root = path.join(__dirname, "../..");

const isPublished = (file: string): boolean => {
  const isBelow = (entry: string) => file === entry || file.startsWith(`${entry}/`);
  const isLeftOut = published.some((entry) => entry.startsWith("!") && isBelow(entry.slice(1)));
  return published.some(isBelow) && !isLeftOut && existsSync(path.join(root, file));
};

test("every file of the repository that the README links to is in the package", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => path.posix.normalize(match[1]!));
  expect(links.length).toBeGreaterThan(5);
  expect(links.map((link) => link.replace(/\/$/, "")).filter((link) => !isPublished(link))).toEqual([]);
});

test("so is the catalog", () => {
  expect(isPublished("catalog")).toBe(true);
  expect(readdirSync(path.join(root, "catalog"), { recursive: true }).length).toBeGreaterThan(5);
});

test("navigator-agents-prove depends on packages of navigator-agents, in the same versions", () =>
  expect(dependencies).toMatchObject(dependenciesOfProofs));
