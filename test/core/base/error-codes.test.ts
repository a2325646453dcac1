import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ERROR_CODES, isErrorCode, PROGRAM_ERROR_CODES } from "../../../src/core/base/error-codes";
import { reasonOf } from "../../../src/core/base/failure";
import { NavigatorError } from "../../../src/core/base/navigator-error";

const root = path.join(__dirname, "../../..");
const TABLE = "src/core/base/error-codes.ts";

/** Every source but the table, without comments: a code that only a comment names is not raised. */
const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => path.posix.join("src", file.split(path.sep).join("/")))
  .filter((file) => file.endsWith(".ts") && file !== TABLE && file !== "src/core/base/failure.ts")
  .map((file) => readFileSync(path.join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""))
  .join("\n");

/** The two halves of codes that are put together. */
const ASSEMBLED = ["pmap_error", "pcalls_error"];

const stands = (code: string): boolean => ASSEMBLED.includes(code) || new RegExp(`["'\`]${code}["'\`]`).test(sources);

test.each(Object.keys(ERROR_CODES))("%s is raised somewhere", (code) => expect(stands(code)).toBe(true));
test.each(Object.keys(PROGRAM_ERROR_CODES))("%s is raised by the language somewhere", (code) =>
  expect(stands(code)).toBe(true),
);

test("a code that nothing raises would be found", () => expect(stands("never_raised_by_anything")).toBe(false));

test.each(Object.entries(ERROR_CODES))("%s says what it means and what helps", (_code, { meaning, hint }) => {
  expect(meaning).toMatch(/^[A-Z(].*\.$/);
  expect(hint.length).toBeGreaterThan(5);
});

// The compiler refuses what is not in the table: these lines are errors, and it fails when one of them is not.
test("a misspelt code does not compile", () => {
  // @ts-expect-error: the code is misspelt
  expect(new NavigatorError("task_not_fuond", "").exitCode).toBe(2);
  expect(new NavigatorError("task_not_found", "").exitCode).toBe(2);
  expect(new NavigatorError("no_worker", "").exitCode).toBe(3);
});

test("a reason that a program chose is kept unchanged, and is not in the table", () => {
  expect(reasonOf("too_dear")).toBe("too_dear");
  expect(isErrorCode("too_dear")).toBe(false);
  expect(isErrorCode("toString")).toBe(false);
});
