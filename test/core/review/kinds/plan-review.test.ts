import { reviewRequest } from "../../../../src/core/review/kinds";
import { decidedValue } from "../../../../src/core/review/kinds/plan-review";

describe("reviews in the one inbox", () => {
  const pending = {
    task_id: "ok",
    prompt: "p".repeat(200),
    context: { depends_on: ["a"], upstream_results: { a: { n: 1 } } },
  };
  test("show the question and the results it is based on", () =>
    expect(reviewRequest("plan_review", { ...pending, terms: {} })).toMatchObject({
      kind: "plan_review",
      about: "ok",
      title: `${"p".repeat(117)}...`,
      body: expect.stringContaining('### a\n\n```json\n{\n  "n": 1\n}'),
      data: { task_id: "ok", depends_on: ["a"] },
      choices: ["approve", "reject"],
    }));
  test.each([
    [
      { choice: "approve", by: "ida", at: 1 },
      { approved: true, choice: "approve", by: "ida" },
    ],
    [
      { choice: "reject", by: "ida", note: "no", at: 1 },
      { approved: false, choice: "reject", by: "ida", note: "no" },
    ],
    [{ choice: "approve", by: "ida", value: 0, at: 1 }, 0],
  ])("%j is the value %j", (verdict, value) => expect(decidedValue(verdict)).toEqual(value));
});
