import fc from "fast-check";
import { RUN_REASONS } from "../../../../src/core/agent/result/run-reasons";
import type { Json } from "../../../../src/core/base/json";
import { assertProperty } from "../../../support/run/property";
import { program } from "../../lisp/safety/material/grammar";
import { hostile } from "../../lisp/safety/material/hostile-names";
import { nested } from "../../lisp/safety/material/nesting";
import { numeric } from "../../lisp/safety/material/numbers";
import { run } from "./mission";

/** Missions whose model writes anything: each ends with a Step that a caller can hold, and nothing is thrown. */

/** What the histories of a run can carry in all, some times over. */
const MAX_CHARS = 4_000_000;

const answer = fc.oneof(
  { arbitrary: program, weight: 4 },
  { arbitrary: hostile.map(({ source }) => source), weight: 3 },
  { arbitrary: numeric, weight: 1 },
  { arbitrary: nested, weight: 1 },
);
/** Some of them return what they have, or define something first. */
const turn = fc
  .tuple(
    answer,
    fc.constantFrom("_", "(return (do _))", "(return {:v (do _) :_hidden 1})", "(def kept (do _))", "(fail (do _))"),
  )
  .map(([source, around]) => around.replace("_", () => `${source}\n`));

const agents = fc.constantFrom<object>(
  {},
  { signature: "{v :any}" },
  { signature: "(n :int) -> [{id :int, tags [:string]}]" },
  { signature: ":string", max_turns: 2 },
  { max_turns: 1 },
  { memory_limit: 200 },
  { memory_limit: 200, memory_strategy: "rollback" },
  { float_precision: 2, plan: ["one", "two"] },
);

test("every mission ends with a Step, whatever the model writes", async () => {
  const reasons = new Set<string>();
  await assertProperty(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), agents, async (turns, agent) => {
      const tools = {
        echo: (args: Json) => ({ ok: true as const, value: args }),
        strange: { __proto__: 1, $fn: "x" } as Json,
      };
      const { step } = await run({
        agent: { timeout: 200, max_turns: 4, ...agent },
        says: [...turns.map((source) => `(do ${source}\n)`), "(return 1)", "(return 1)", "(return 1)"].slice(0, 6),
        tools,
        journal: {},
        context: { rows: [{ a: 1, b: "x" }, null], n: 1 },
      });
      const text = JSON.stringify(step);
      if (text.length > MAX_CHARS) throw new Error(`a Step of ${text.length} characters`);
      if (step.fail) reasons.add(step.fail.reason);
    }),
    { numRuns: 1_500 },
  );
  expect([...reasons].filter((reason) => reason in RUN_REASONS).length).toBeGreaterThan(2);
});
