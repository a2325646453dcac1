import { truncateForHistory } from "../../../../src/core/agent/run/history-value";
import { utf8Bytes } from "../../../../src/core/base/bytes";
import { fromJson } from "../../../../src/core/lisp/values/encode";
import { printValue } from "../../../../src/core/lisp/values/print";
import { run } from "./mission";

/** Limits of one program, as its agent sets them: each a failed turn that tells the model, never the end of the run. */
describe("a program beyond", () => {
  test.each([
    { limit: { timeout: 1 }, program: "(count (map inc (range 5000)))", reason: "timeout" },
    { limit: { max_heap: 1_000 }, program: "(count (range 5000))", reason: "memory_exceeded" },
    {
      limit: { loop_limit: 10 },
      program: "(loop [i 0] (if (= i 11) i (recur (inc i))))",
      reason: "loop_limit_exceeded",
    },
    { limit: { max_tool_calls: 1 }, program: "(do (tool/a) (tool/a))", reason: "tool_call_limit_exceeded" },
  ])("$limit: $reason", async ({ limit, program, reason }) => {
    const tools = { a: 1 };
    const within = await run({ agent: {}, tools, says: [program, "(return 1)"] });
    expect(within.step.turns?.[0]).toMatchObject({ success: true });
    const { step } = await run({ agent: limit, tools, says: [program, "(return 1)"] });
    expect(step.turns?.[0]).toMatchObject({ success: false, result: { reason } });
    expect(step.return).toBe(1);
  });

  test("the length of one println is cut", async () => {
    const { step } = await run({
      agent: { format_options: { max_print_length: 10 } },
      says: ['(println "0123456789abc")', "(return 1)"],
    });
    expect(step.turns?.[0]?.prints).toEqual([expect.stringMatching(/^0123456789(?!a)/)]);
  });

  test("the number of parallel branches makes the others wait", async () => {
    let open = 0;
    let most = 0;
    const slow = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return { ok: true as const, value: 1 };
    };
    await run({
      agent: { pmap_max_concurrency: 3 },
      tools: { slow },
      says: ["(return (pmap #(tool/slow {:n %}) (range 9)))"],
    });
    expect(most).toBe(3);
  });
});

describe("a result kept as *1", () => {
  test.each([
    ["short", 100, '"short"'],
    ["x".repeat(100), 20, `"${"x".repeat(17)}..."`],
    ["ü".repeat(100), 20, `"${"ü".repeat(8)}..."`],
    [[1, 2, 3], 100, "[1 2 3]"],
    [Array.from({ length: 100 }, (_, i) => i), 20, "[0 1 2 3 4 5 6 7 8 9]"],
    [["a", "x".repeat(100)], 30, `["a" "${"x".repeat(23)}..."]`],
    [{ a: 1, b: "x".repeat(100) }, 30, `{"a" 1 "b" "${"x".repeat(13)}..."}`],
    [{ ["x".repeat(100)]: 1 }, 30, "{}"],
    [[{ _hidden: "x".repeat(100) }, 1], 30, "[{}]"],
    [[], 1, "[]"],
  ])("%j in %i bytes is %s", (json, limit, text) =>
    expect(printValue(truncateForHistory(fromJson(json), limit))).toBe(text),
  );

  test("is never much longer than its limit", () => {
    const value = fromJson(Array.from({ length: 50 }, (_, i) => ({ id: i, text: "ü".repeat(i) })));
    for (const limit of [64, 200, 1024])
      expect(utf8Bytes(printValue(truncateForHistory(value, limit)))).toBeLessThanOrEqual(limit + 2);
  });

  test("is cut by the agent's own limit, and stays whole in the definitions", async () => {
    const { step } = await run({
      agent: { format_options: { history_max_bytes: 20 } },
      says: ['(def a (join "" (range 50)))', "(do a)", "(return [(count *1) (count a)])"],
    });
    expect(step.return).toEqual([20, 90]);
  });
});
