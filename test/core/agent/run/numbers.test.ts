import type { Json } from "../../../../src/core/base/json";
import { run } from "./mission";

/** A number that JSON cannot represent is never replaced in silence. */

const NUMBERS: [string, RegExp][] = [
  ["(/ 1 0)", /JSON cannot represent ##Inf/],
  ["(- (/ 1 0))", /JSON cannot represent ##-Inf/],
  ["(/ 0.0 0)", /JSON cannot represent ##NaN/],
  ["12345678901234567891", /JSON cannot represent all digits of this integer/],
];

describe.each(NUMBERS)("%s", (number, message) => {
  test.each([null, "{r :float}", "{r :any}"])(
    "is refused as a result with signature %s, with its place",
    async (signature) => {
      const { step } = await run({
        agent: { max_turns: 1, ...(signature && { signature }) },
        says: [`(return {:r ${number}})`],
      });
      expect(step).toMatchObject({ return: null, fail: { reason: "validation_error" } });
      expect(step.fail?.message).toMatch(message);
      expect(step.fail?.message).toContain("return.r");
    },
  );

  test("is told to the model, which can return something else", async () => {
    const says = [`(return [1 {:deep #{${number}}}])`, '(return "none")'];
    const { step, heard } = await run({ agent: { max_turns: 2 }, says });
    expect(step.return).toBe("none");
    expect(heard[1]).toContain("[1].deep");
    expect(heard[1]).toMatch(message);
  });

  test("is refused as an argument of a tool, with its place", async () => {
    const { step, called } = await run({
      agent: { max_turns: 1 },
      says: [`(return (tool/keep {:order {:sums [1 ${number}]}}))`],
      tools: { keep: 1 },
    });
    expect(called).toEqual([]);
    expect(JSON.stringify(step.turns)).toMatch(/tool\/keep at order\.sums\[1\]: /);
  });

  test("is kept by the journal, by definitions and by a failure's details", async () => {
    const says = [`(def n (task "n" ${number}))`, `(fail {:reason :done :same (or (= n ${number}) (not= n n)) :n n})`];
    const { step } = await run({ agent: { max_turns: 2 }, says, journal: {} });
    const details = step.fail?.details as unknown as { value: { same: Json; n: Json } };
    const { value } = details;
    expect(value.same).toBe(true);
    expect(step.journal?.n).toEqual(value.n);
    expect(JSON.stringify(value.n)).toMatch(/\$float|\$int/);
  });
});
