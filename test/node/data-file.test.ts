import { NavigatorError } from "../../src/core/base/navigator-error";
import { parseData } from "../../src/node/data-file";

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

function refusal(text: string, file: string): unknown {
  try {
    return parseData(text, file);
  } catch (error) {
    if (error instanceof NavigatorError) return { code: error.code, message: error.message };
    throw error;
  }
}
