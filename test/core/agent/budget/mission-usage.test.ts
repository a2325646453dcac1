import {
  addedUsage,
  NO_USAGE,
  readUsage,
  reportedUsage,
  UsageMeter,
  usageOfReply,
} from "../../../../src/core/agent/budget/mission-usage";

const reply = (model: string, total_cost?: number) =>
  usageOfReply({ input: 10, output: 1, ...(total_cost === undefined ? {} : { total_cost }) }, model);

test("an answer without a price costs nothing, and is counted", () => {
  const both = addedUsage(reply("a", 0.1), reply("b"));
  expect(both).toMatchObject({ turns: 2, input_tokens: 20, cost: 0.1, unpriced: 1 });
  expect(both.models).toMatchObject({ a: { cost: 0.1 }, b: { unpriced: 1 } });
});

test("sums of dollars are not blurred", () => {
  const sum = Array.from({ length: 10 }, () => reply("a", 0.1)).reduce(addedUsage, NO_USAGE);
  expect(sum.cost).toBe(1);
});

test("at most twenty models have a line of their own, and the sums have all", () => {
  const all = Array.from({ length: 30 }, (_, i) => reply(`m${i}`, 1)).reduce(addedUsage, NO_USAGE);
  expect([Object.keys(all.models).length, all.cost, all.turns]).toEqual([20, 30, 30]);
});

test("a part that tells its usage twice counts once, and goes on counting in the next run", () => {
  const meter = new UsageMeter();
  meter.add(reply("a", 1));
  meter.set("branch", reply("a", 2));
  meter.set("branch", reply("a", 3));
  expect(meter.total().cost).toBe(4);
  const next = new UsageMeter(JSON.parse(JSON.stringify(meter.state())));
  next.set("branch", reply("a", 5));
  expect(next.total()).toMatchObject({ cost: 6, turns: 2 });
});

test.each([
  ["nothing", undefined],
  ["a text", "usage"],
  ["a list", []],
  ["counts that are no numbers", { ...NO_USAGE, turns: "3" }],
  ["less than nothing", { ...NO_USAGE, cost: -1 }],
  ["no cost", { ...NO_USAGE, cost: null }],
])("%s in a memo is no usage", (_, raw) => expect(readUsage(raw)).toBeUndefined());

test("a memo is read as it was written, and what does not fit is left out of it", () => {
  const told = reportedUsage(reply("a", 1), [{ state: "done" }, { state: "done" }, { state: "unknown" }]);
  expect(readUsage(JSON.parse(JSON.stringify(told)))).toEqual(told);
  const odd = { ...told, models: { a: told.models.a, b: 7 }, effects: { done: 2, "no word": 1, failed: "x" } };
  expect(readUsage(odd)).toMatchObject({ effects: { done: 2 }, models: { a: { cost: 1 } } });
  expect(Object.keys(readUsage(odd)?.models ?? {})).toEqual(["a"]);
});
