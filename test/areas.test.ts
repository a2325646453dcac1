import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

interface Area {
  sources: string[];
  tests: string[];
}
const { RING, AREAS, areasOf, testsOf } = require("./areas.cjs") as {
  RING: string[];
  AREAS: { [name: string]: Area };
  areasOf(files: string[]): string[];
  testsOf(areas: string[], files: string[]): string[];
};

/** The table of `npm run test:area`: it has all of src and all tests, and names nothing that is not there. */
const root = path.join(__dirname, "..");
const below = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
    file.split(path.sep).join("/"),
  );
const sources = below("src").map((file) => `src/${file}`);
const tests = below("test").filter((file) => file.endsWith(".test.ts"));

test("each source file has an area", () => {
  const files = sources.filter((file) => file.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => areasOf([file]).length === 0)).toEqual([]);
});

test("each test file runs with an area", () => {
  const chosen = new Set(testsOf(Object.keys(AREAS), tests));
  expect(tests.filter((file) => !chosen.has(file))).toEqual([]);
});

test("each source of the table is there", () => {
  const known = (place: string) => existsSync(path.join(root, place));
  expect(Object.values(AREAS).flatMap((area) => area.sources.filter((place) => !known(place)))).toEqual([]);
});

test("each beginning of tests in the table is that of a test", () => {
  const beginnings = [...RING, ...Object.values(AREAS).flatMap((area) => area.tests)];
  expect(beginnings.filter((one) => !tests.some((file) => file.startsWith(one)))).toEqual([]);
});

test("a file has the area of the place that says most about it, and the ring runs with every area", () => {
  expect(areasOf(["src/workflows/plan/run.ts", "src/core/lisp/read.ts"])).toEqual(["plan", "lisp"]);
  expect(areasOf(["src/workflows/index.ts"])).toEqual(["workflows"]);
  expect(testsOf(["models"], tests)).toEqual(expect.arrayContaining(["structure.test.ts", "models/retry.test.ts"]));
  expect(testsOf(["models"], tests)).not.toContain("cli/run.test.ts");
});
