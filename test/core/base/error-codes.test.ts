import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ERROR_CODES, FAMILIES, isErrorCode } from "../../../src/core/base/error-codes";
import { type Failure, failed, reasonOf } from "../../../src/core/base/failure";
import { asNavigatorError, NavigatorError } from "../../../src/core/base/navigator-error";
import { PROGRAM_ERROR_CODES } from "../../../src/core/lisp/values/errors";

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

// A program branches on few codes; people read the message. A mistake that only people read joins a family.
test("the table has at most 150 codes", () => expect(Object.keys(ERROR_CODES).length).toBeLessThanOrEqual(150));

const kinds = Object.entries(FAMILIES).flatMap(([code, words]) => words.map((kind) => [code, kind] as const));
test.each(kinds)("%s is raised with the kind %s somewhere", (_code, kind) => expect(stands(kind)).toBe(true));

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

test("an error of a family does not compile without its place", () => {
  const place = { path: "options.turns" };
  expect(new NavigatorError("invalid_input", "", { details: { ...place, more: 1 } }).details).toMatchObject(place);
  // @ts-expect-error: the details are missing
  expect(new NavigatorError("invalid_input", "").code).toBe("invalid_input");
  // @ts-expect-error: the path is missing
  expect(new NavigatorError("invalid_input", "", { details: { more: 1 } }).code).toBe("invalid_input");
  // @ts-expect-error: the kind is missing
  expect(new NavigatorError("not_found", "", { details: { path: "anna" } }).code).toBe("not_found");
  // @ts-expect-error: the family has no such kind
  expect(new NavigatorError("not_found", "", { details: { path: "anna", kind: "parson" } }).code).toBe("not_found");
  expect(new NavigatorError("not_found", "", { details: { path: "anna", kind: "person" } }).exitCode).toBe(2);
});

test("a failure of a family does not compile without its place, and its error has it", () => {
  const { fail } = failed("not_found", "There is no anna.", { path: "anna", kind: "person" });
  expect(asNavigatorError(fail)).toMatchObject({ code: "not_found", details: { path: "anna", kind: "person" } });
  // @ts-expect-error: the details are missing
  expect(failed("invalid_decision", "").fail.reason).toBe("invalid_decision");
  // @ts-expect-error: the details are missing
  const bare: Failure = { reason: "invalid_decision", message: "" };
  expect(bare.reason).toBe("invalid_decision");
});

test("a reason that a program chose is kept unchanged, and is not in the table", () => {
  expect(reasonOf("too_dear")).toBe("too_dear");
  expect(isErrorCode("too_dear")).toBe(false);
  expect(isErrorCode("toString")).toBe(false);
});
