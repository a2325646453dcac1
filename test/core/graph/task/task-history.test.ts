import { MAX_OUTPUT_BYTES, MAX_OUTPUTS_BYTES } from "../../../../src/core/base/limits";
import type { TaskEntry } from "../../../../src/core/graph/task/task";
import { withHistoryEntry } from "../../../../src/core/graph/task/task-history";

const entry = (step: string, bytes: number): TaskEntry => ({
  step,
  to: "next",
  result: "passed",
  action: "conditional",
  at: 1,
  output: "x".repeat(bytes - 2),
});

test("an output that fits is kept, a larger one is replaced by its size", () => {
  const small = entry("a", MAX_OUTPUT_BYTES);
  const large = entry("b", MAX_OUTPUT_BYTES + 1);
  expect(withHistoryEntry([], small)).toEqual([small]);
  expect(withHistoryEntry([small], large)).toEqual([
    small,
    { ...large, output: { $omitted: `${MAX_OUTPUT_BYTES + 1} bytes` } },
  ]);
});

test("of many outputs the oldest are dropped first, and the newest never", () => {
  let history: TaskEntry[] = [];
  for (const step of ["a", "b", "c", "d", "e"]) history = withHistoryEntry(history, entry(step, 250_000));
  const whole = history.filter(({ output }) => typeof output === "string").map(({ step }) => step);
  expect(whole).toEqual(["c", "d", "e"]);
  expect(JSON.stringify(history).length).toBeLessThan(MAX_OUTPUTS_BYTES + 1_000);
  expect(history.map(({ step }) => step)).toEqual(["a", "b", "c", "d", "e"]);
});
