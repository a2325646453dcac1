import { agentCost } from "../../../../src/core/agent/budget/agent-cost";
import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { valueOrThrow } from "../../../../src/core/base/navigator-error";

const prices = { cheap: { input: 1, output: 2 }, dear: { input: 10, output: 20 }, unknown: null };
const agent = (raw: object) => valueOrThrow(parseAgent({ prompt: "Do it.", max_turns: 3, ...raw }));
const costOf = (models: string[], raw: object = {}) => agentCost(agent(raw), { models, prices, prompt_tokens: 1_000 });

test("a mission costs at least its first prompt, and at most all its turns with long prompts and answers", () =>
  expect(costOf(["cheap"])).toEqual({
    model_calls: { least: 1, most: 3 },
    cost: { least: 0.001, most: 0.084_576 },
    uncounted: [],
  }));

test("of several models, the cheapest is the least and the dearest the most", () =>
  expect(costOf(["cheap", "dear"]).cost).toEqual({ least: 0.001, most: 0.845_76 }));

test.each([[["unknown"]], [["cheap", "unknown"]], [["nobody"]], [[]]])("the cost with %j is not known", (models) =>
  expect(costOf(models).cost).toBeNull(),
);

test("retry turns are turns of their own, except for text agents", () => {
  expect(costOf(["cheap"], { retry_turns: 2 }).model_calls.most).toBe(5);
  expect(costOf(["cheap"], { retry_turns: 2, output: "text" }).model_calls.most).toBe(3);
});

test("tools that ask models are named, not counted", () =>
  expect(costOf(["cheap"], { llm_query: true }).uncounted).toEqual(["llm-query"]));
