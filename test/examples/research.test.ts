import { assertFailed, assertReturned, runInMemory } from "../../src/testing";
import { example } from "./example";

const question = "Is a heat pump the right heating for an old brick house?";

test("the writer uses what a lead found, and nothing from a lead that failed", async () => {
  const { agent, mission } = await example("research");
  const lead = await runInMemory(await agent("lead"), { ...mission, context: { question } });
  expect(lead.step.child_steps.map(({ name }) => name)).toEqual([
    ...Array.from({ length: 4 }, () => "searcher"),
    ...Array.from({ length: 11 }, () => "judge"),
  ]);
  const writer = await agent("writer");
  assertReturned(await runInMemory(writer, { ...mission, context: lead.step }), {
    title: "A heat pump in a house of 1928",
  });
  const fail = { reason: "max_turns_exceeded", message: "too long" } as const;
  assertFailed(
    await runInMemory(writer, { ...mission, context: { ...lead.step, return: null, fail } }),
    "chained_failure",
  );
});

test("a budget without a top-up ends the lead, and is never overdrawn", async () => {
  const { agent, mission } = await example("research");
  const run = await runInMemory(await agent("lead"), {
    ...mission,
    context: { question },
    options: { budget: { tokens: 20_000 } },
    reviews: [{ choice: "stop", by: "anna" }],
  });
  assertFailed(run, "budget_callback_exceeded");
  expect(run.step.usage?.total_tokens).toBeLessThan(20_000);
});
