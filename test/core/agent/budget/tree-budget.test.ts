import fc from "fast-check";
import { TreeBudget } from "../../../../src/core/agent/budget/tree-budget";
import { failed, ok, type Result } from "../../../../src/core/base/failure";
import type { Amount } from "../../../../src/core/calls/host";
import type { ReviewRequest } from "../../../../src/core/review/kinds";
import type { FinalDecision } from "../../../../src/core/review/request";
import { assertProperty } from "../../../support/run/property";

/** The budget of a tree: set aside before, counted afterwards, never overdrawn. */
const refuse = async () => failed("tool_error", "nobody is there");
const amount = (tokens: number, cost = 0): Amount => ({ tokens, cost });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("for any requests and usage, spent and reserved amounts together stay within the limit", async () => {
  const call = fc.record({ bound: fc.integer({ min: 1, max: 60 }), share: fc.double({ min: 0, max: 1, noNaN: true }) });
  await assertProperty(
    fc.asyncProperty(fc.array(call, { maxLength: 30 }), fc.integer({ min: 0, max: 200 }), async (calls, limit) => {
      const budget = new TreeBudget({ tokens: limit, when_spent: "end" }, refuse);
      const held = new Map<string, number>();
      let spent = 0;
      await Promise.all(
        calls.map(async ({ bound, share }, i) => {
          const answer = await budget.reserve(`run/${i}`, amount(bound));
          if (!answer.ok) return;
          held.set(`run/${i}`, bound);
          const together = spent + [...held.values()].reduce((sum, one) => sum + one, 0);
          expect(together).toBeLessThanOrEqual(limit);
          await settled();
          const used = Math.floor(bound * share);
          held.delete(`run/${i}`);
          spent += used;
          budget.settle(`run/${i}`, amount(used));
        }),
      );
      expect(budget.state().spent.tokens).toBe(spent);
    }),
    { numRuns: 200 },
  );
});

test("a small request does not overtake an earlier large one", async () => {
  const budget = new TreeBudget({ tokens: 100, when_spent: "end" }, refuse);
  const order: string[] = [];
  const ask = async (name: string, tokens: number) => {
    await budget.reserve(`run/${name}`, amount(tokens));
    order.push(name);
  };
  const all = [ask("first", 80), ask("large", 90), ask("small", 5)];
  await settled();
  expect(order).toEqual(["first"]);
  budget.settle("run/first", amount(10));
  await settled();
  expect(order).toEqual(["first", "large"]);
  budget.settle("run/large", amount(10));
  await Promise.all(all);
  expect(order).toEqual(["first", "large", "small"]);
});

test("people are asked once for all waiting requests, and again as often as needed", async () => {
  const asked: ReviewRequest[] = [];
  const answers: Result<FinalDecision>[] = [
    ok({ choice: "top_up", by: "anna", at: 0, value: { tokens: 1 } }),
    ok({ choice: "top_up", by: "anna", at: 0, value: { tokens: 500, cost: 1 } }),
  ];
  const budget = new TreeBudget({ tokens: 10 }, async (request) => {
    asked.push(request);
    await settled();
    return answers[asked.length - 1] as Result<FinalDecision>;
  });
  const both = await Promise.all([budget.reserve("a/1", amount(50)), budget.reserve("b/1", amount(50))]);
  expect(both.map((answer) => answer.ok)).toEqual([true, true]);
  expect(asked.map(({ data }) => data.limit)).toEqual([
    { tokens: 10, cost: null },
    { tokens: 11, cost: null },
  ]);
  expect(budget.state().limit).toEqual({ tokens: 511, cost: null });
});

test("after a refused top-up all waiting and new requests are refused", async () => {
  const budget = new TreeBudget({ cost: 1 }, async () => ok({ choice: "stop", by: "anna", at: 0 }));
  const refused = await Promise.all([budget.reserve("a/1", amount(1, 2)), budget.reserve("a/2", amount(1, 0.1))]);
  for (const answer of refused)
    expect(answer).toMatchObject({ ok: false, fail: { reason: "budget_callback_exceeded" } });
  const again = new TreeBudget({ cost: 1 }, refuse, budget.state());
  expect((await again.reserve("a/3", amount(1, 0.1))).ok).toBe(false);
});

test("an unreported call counts with its whole reservation; an ended run returns nothing", async () => {
  const budget = new TreeBudget({ tokens: 100, cost: 5 }, refuse);
  await budget.reserve("run/1", amount(30, 1));
  budget.settle("run/1", { cost: 0.25 });
  expect(budget.state().spent).toEqual({ tokens: 30, cost: 0.25 });
  await budget.reserve("child/call/1", amount(40, 1));
  budget.abandon("child");
  expect(budget.state().spent).toEqual({ tokens: 70, cost: 1.25 });
  budget.settle("child/call/1", amount(1, 1));
  expect(budget.state().spent).toEqual({ tokens: 70, cost: 1.25 });
});
