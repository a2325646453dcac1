import { verify } from "../../../../src/core/plan/run/verification";
import { taskOf } from "../plans";

const task = (verification: string, input: unknown = "{{results.a}}") => taskOf({ id: "t", input, verification });
const judge = (verification: string, value: unknown = 5, depends: object = {}) =>
  verify(task(verification), value as never, depends as never);

test.each([
  ["true", { kind: "passed" }],
  ["(return true)", { kind: "passed" }],
  ["(> data/result 4)", { kind: "passed" }],
  ['(= data/input "{{results.a}}")', { kind: "passed" }],
  ["false", { kind: "failed", diagnosis: "The verification false is false. Output: 5. Input: {{results.a}}." }],
  ['"too small"', { kind: "failed", diagnosis: "too small" }],
  ["nil", { kind: "failed", diagnosis: expect.stringContaining("unexpected value") }],
  ["7", { kind: "failed", diagnosis: expect.stringContaining("unexpected value: 7") }],
  ["{}", { kind: "failed", diagnosis: expect.stringContaining("unexpected value") }],
  ['(fail "not good")', { kind: "failed", diagnosis: "not good" }],
  ["(+ 1 data/input)", { kind: "crashed", fail: { reason: "verification_error" } }],
  ["(tool/search {})", { kind: "crashed", fail: { reason: "verification_error" } }],
  ["((fn f [n] (f (inc n))) 0)", { kind: "crashed", fail: { reason: "verification_error" } }],
  ["(", { kind: "crashed", fail: { reason: "verification_error", details: { task_id: "t" } } }],
])("%s", (predicate, verdict) => expect(judge(predicate)).toMatchObject(verdict));

test("it sees the values of the task's dependencies", () =>
  expect(judge('(= (get data/depends "a") {"n" 1})', null, { a: { n: 1 } })).toEqual({ kind: "passed" }));
test("a task without a verification passes", () =>
  expect(verify(taskOf({ id: "t" }), null, {})).toEqual({ kind: "passed" }));
test("long outputs and inputs are cut", () => {
  const verdict = verify(task("false", "i".repeat(1000)), "o".repeat(1000), {});
  expect(verdict).toMatchObject({ diagnosis: expect.stringMatching(/Output: o{200}\.\.\.\. Input: i{300}\.\.\.\./) });
});
