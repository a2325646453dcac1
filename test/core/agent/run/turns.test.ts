import { failed } from "../../../../src/core/base/failure";
import { run } from "./mission";

/** What a turn leaves to the next (agent reference, section 9). */
describe("what a turn leaves behind", () => {
  test("a plain value: its definitions, and the value as *1", async () => {
    const { step } = await run({ says: ["(do (def a 1) 41)", "(do 42)", "(return [a *1 *2])"] });
    expect(step.return).toEqual([1, 42, 41]);
  });

  test("a program error: no definitions, and data/fail on the next turn only", async () => {
    const says = [
      "(do (def a 1) (+ 1 nil))",
      "(do (println (:reason data/fail)) 1)",
      "(return [(or a 0) (= nil data/fail)])",
    ];
    const { step, heard } = await run({ says });
    expect(heard[2]).toContain("eval_error");
    expect(step.return).toEqual([0, true]);
  });

  test("an invalid return: its definitions stay, and its value is not *1", async () => {
    const { step } = await run({
      agent: { signature: "[:int]" },
      says: ["(do 5)", '(do (def a 1) (return "x"))', "(return [a *1])"],
    });
    expect(step.return).toEqual([1, 5]);
  });

  test("definitions over the limit, rolled back: the earlier definitions", async () => {
    const { step, heard } = await run({
      agent: { memory_limit: 200, memory_strategy: "rollback" },
      journal: {},
      says: ["(def a 1)", '(do (def a 2) (def big (range 100)) (task "t" 1))', "(return a)"],
    });
    expect(step).toMatchObject({ return: 1, journal: { t: 1 } });
    expect(step.turns?.[1]).toMatchObject({ success: false });
    expect(heard[2]).toMatch(/undone.*smaller steps/);
    expect(heard[2]).not.toContain("Turn ");
  });

  test("definitions over the limit, strict: the run ends, with both sizes", async () => {
    const { step } = await run({ agent: { memory_limit: 200 }, says: ["(def a 1)", "(def big (range 100))"] });
    expect(step.fail).toMatchObject({ reason: "memory_limit_exceeded", details: { limit: 200 } });
    expect(step.fail?.details?.bytes).toBeGreaterThan(200);
    expect(step.memory).toEqual({ a: 1 });
  });

  test("a reply without code changes nothing", async () => {
    const { step } = await run({ says: ["(do (def a 1) 7)", "Hm.", "(return [a *1 (= nil data/fail)])"] });
    expect(step.return).toEqual([1, 7, true]);
    expect(step.turns?.[1]).toMatchObject({ success: false, program: null, result: { reason: "parse_error" } });
  });

  test("cached tool results, also of a failed turn", async () => {
    let calls = 0;
    const rate = () => ({ ok: true as const, value: ++calls });
    const { step } = await run({
      agent: { tools: [{ name: "rate", cache: true }] },
      tools: { rate },
      says: ["(do (tool/rate {:of 1}) (+ 1 nil))", "(return [(tool/rate {:of 1}) (tool/rate {:of 2})])"],
    });
    expect(step.return).toEqual([1, 2]);
    expect(Object.values(step.tool_cache)).toEqual([1, 2]);
    expect(step.tool_calls[0]).toMatchObject({ cached: true, duration_ms: 0 });
  });

  test("errors of tools are never cached", async () => {
    let calls = 0;
    const flaky = () => (++calls === 1 ? failed("tool_error", "busy") : { ok: true as const, value: calls });
    const { step } = await run({
      agent: { tools: [{ name: "flaky", cache: true }] },
      tools: { flaky },
      says: ["(tool/flaky)", "(return (tool/flaky))"],
    });
    expect(step.return).toBe(2);
  });

  test("an unknown tool is refused before any other tool is called", async () => {
    const { step, called } = await run({ tools: { good: 1 }, says: ["(do (tool/good) (tool/bad))", "(return 1)"] });
    expect(called).toEqual([]);
    expect(step.turns?.[0]?.result).toMatchObject({
      reason: "tool_not_found",
      message: expect.stringContaining("good"),
    });
  });

  test("more tool calls than allowed fail the turn", async () => {
    const { step, called } = await run({
      agent: { max_tool_calls: 2 },
      tools: { a: 1 },
      says: ["[(tool/a) (tool/a) (tool/a)]", "(return 1)"].map((text) => `\`\`\`lisp\n${text}\n\`\`\``),
    });
    expect(step.turns?.[0]?.result).toMatchObject({ reason: "tool_call_limit_exceeded" });
    expect(called).toEqual(["a", "a"]);
  });
});
