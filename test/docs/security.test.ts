import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** docs/security.md: a check that is said to be met names tests that exist. */
const root = path.join(__dirname, "../..");
const page = readFileSync(path.join(root, "docs/security.md"), "utf8");

interface Check {
  number: string;
  level: string;
  state: string;
  by: string;
}

const checks: Check[] = [...page.matchAll(/^\| (9\.\d\.\d+) +\| (\d) +\| ([a-z ]+?) +\| (.+?) +\|$/gm)].map(
  ([, number = "", level = "", state = "", by = ""]) => ({ number, level, state, by }),
);

/** The number of checks in each section of chapter C9 in version 1.0, June 2026. */
const SECTIONS = [3, 10, 8, 4, 6, 3];

test("all 34 checks of chapter C9 stand there once, in order", () =>
  expect(checks.map(({ number }) => number)).toEqual(
    SECTIONS.flatMap((count, section) => Array.from({ length: count }, (_, i) => `9.${section + 1}.${i + 1}`)),
  ));

test("each has one of four states", () =>
  expect(checks.filter(({ state }) => !["met", "partly", "not met", "does not apply"].includes(state))).toEqual([]));

const testsIn = (text: string): string[] => [...text.matchAll(/test\/[\w./-]+\.test\.ts/g)].map(([file]) => file);

test("a check that is met names a test, and every test of the page exists", () => {
  expect(checks.filter(({ state, by }) => state === "met" && testsIn(by).length === 0)).toEqual([]);
  const files = testsIn(page);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
