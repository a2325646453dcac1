import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorReport } from "../../src/cli/terminal/exit";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { parseData, readDataFile, readTextFile } from "../../src/node/data-file";
import { privateFolder } from "../../src/node/private-files";

describe("the place of a mistake in a file", () => {
  test.each([
    { text: "[1,]", place: "1:4" },
    { text: '{"a":1,}', place: "1:8" },
    { text: "{a:1}", place: "1:2" },
    { text: "[1 2]", place: "1:4" },
    { text: '{"a":1', place: "1:7" },
    { text: '{"a":\n\n  undefined}', place: "3:3" },
    { text: "// c\n{}", place: "1:1" },
    { text: '{"a":1} x', place: "1:9" },
    { text: '{"a":"x\ny"}', place: "1:8" },
    { text: "", place: "1:1" },
    { text: "\ufeff[1,]", place: "1:4" },
  ])("JSON $text is wrong at $place", ({ text, place }) => {
    expect(refusal(text, "a.json")).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(`^a\\.json:${place}: `),
    });
  });

  test.each([
    { text: "a: [1\nb: 2", place: "2:1" },
    { text: "a: 1\na: 2", place: "2:1" },
  ])("YAML $text is wrong at $place", ({ text, place }) => {
    expect(refusal(text, "a.yaml")).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(`^a\\.yaml:${place}: `),
    });
  });
});

test.each([
  ["with its mark", "utf16le", "\ufeff{}"],
  ["without a mark", "utf16le", "A=b"],
] as const)("a file in UTF-16 %s is refused with its name and the cure", (_, encoding, text) => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "navigator-utf16-")), "plan.json");
  writeFileSync(file, Buffer.from(text, encoding));
  const refused = {
    code: "file_error",
    message: `${file} is written in UTF-16, and must be UTF-8.`,
    details: { path: file },
  };
  expect(() => readTextFile(file)).toThrow(
    expect.objectContaining({ ...refused, hint: expect.stringMatching(/UTF-8/) }),
  );
  expect(() => readDataFile(file)).toThrow(expect.objectContaining(refused));
  rmSync(path.dirname(file), { recursive: true });
});

test("an error of the file system that reaches a command names the file and the cure", () => {
  const home = path.join(__filename, "home");
  const report = (): unknown => {
    try {
      return privateFolder(home);
    } catch (error) {
      return errorReport(error);
    }
  };
  expect(report()).toMatchObject({
    code: "file_error",
    message: expect.stringContaining(`${home} cannot be used: ENOTDIR`),
    hint: expect.stringContaining("NAVIGATOR_HOME"),
    details: { path: home },
  });
});

function refusal(text: string, file: string): unknown {
  try {
    return parseData(text, file);
  } catch (error) {
    if (error instanceof NavigatorError) return { code: error.code, message: error.message };
    throw error;
  }
}
