import { run } from "./mission";

/** Deliberate failures, and agents of one turn (agent reference, sections 9.3 and 9.4). */
const NUMBER = { signature: "{n :int}" };
const FITS = "(return {:n 1})";

describe("(fail e)", () => {
  test.each([
    { program: "(fail :out-of-stock)", reason: "failed", message: ":out-of-stock", value: "out-of-stock" },
    { program: '(fail "no money")', reason: "failed", message: "no money", value: "no money" },
    {
      program: '(fail {:reason :no_money :message "12 short"})',
      reason: "no_money",
      message: "12 short",
      value: { reason: "no_money", message: "12 short" },
    },
    {
      program: '(fail {:reason "" :message "x"})',
      reason: "failed",
      message: "x",
      value: { reason: "", message: "x" },
    },
    { program: "(fail {:code 7})", reason: "failed", message: "{:code 7}", value: { code: 7 } },
    { program: "(fail nil)", reason: "failed", message: "nil", value: null },
  ])("$program: $reason, $message", async ({ program, reason, message, value }) => {
    for (const max_turns of [5, 1]) {
      const { step } = await run({ agent: { max_turns }, says: [program] });
      expect(step.fail).toMatchObject({ reason, message, details: { user_fail: true, value } });
      expect(step.turns?.[0]).toMatchObject({ success: false });
    }
  });

  test("ends a one-turn agent with tools instead of being its value", async () => {
    const { step } = await run({ agent: { max_turns: 1 }, tools: { a: 1 }, says: ['(do (tool/a) (fail "no"))'] });
    expect(step).toMatchObject({ return: null, fail: { reason: "failed" } });
  });
});

describe("an agent of one turn", () => {
  test.each([
    { says: "(return {:n 1})", gives: { return: { n: 1 }, fail: null } },
    { says: "{:n 1}", gives: { return: { n: 1 }, fail: null } },
    {
      says: '(return {:n "x"})',
      gives: { fail: { reason: "validation_error", message: "return.n: expected int, got string" } },
    },
    { says: "{:m 1}", gives: { fail: { reason: "validation_error" } } },
    { says: "(+ 1 nil)", gives: { fail: { reason: "eval_error" } } },
    { says: "(+ 1", gives: { fail: { reason: "parse_error" } } },
    { says: "(nope)", gives: { fail: { reason: "analysis_error" } } },
  ])("$says gives $gives", async ({ says, gives }) => {
    const { step } = await run({ agent: { ...NUMBER, max_turns: 1 }, says: [`\`\`\`lisp\n${says}\n\`\`\``] });
    expect(step).toMatchObject(gives);
    expect(step.usage?.turns).toBe(1);
    expect(step.turns).toHaveLength(1);
  });

  test("without a program in the reply: no_code_found", async () =>
    expect((await run({ agent: { max_turns: 1 }, says: ["Sorry."] })).step.fail?.reason).toBe("no_code_found"));

  test("may use a journal", async () =>
    expect((await run({ agent: { max_turns: 1 }, journal: { a: 7 }, says: ['(task "a" 1)'] })).step.return).toBe(7));

  test("corrects itself with retries", async () => {
    const { step, heard } = await run({
      agent: { ...NUMBER, max_turns: 1, retry_turns: 2 },
      says: ["(return {})", FITS],
    });
    expect(step).toMatchObject({ return: { n: 1 }, usage: { turns: 2 } });
    expect(heard[1]).toContain("Retry 1 of 2");
  });
});
