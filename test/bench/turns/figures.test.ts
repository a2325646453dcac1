import { dollarsOf, PRICED_MODELS } from "../../../bench/turns/list-prices";
import { loopTokens } from "../../../bench/turns/loop-side";
import { chosen, HELP, readTurnOptions } from "../../../bench/turns/options";
import type { Conversation, SuiteTool } from "../../../bench/turns/suite";
import { TokenMeter, tokensOf } from "../../../bench/turns/token-meter";
import { renderTurns, type TurnReport } from "../../../bench/turns/turn-report";
import { PRICES } from "../../../src/models";

/** What the bench of turns counts, and what it says. */

test("the beginning of a prompt that was sent before counts as cached", () => {
  const meter = new TokenMeter();
  meter.add(["system", "one"], "answer");
  meter.add(["system", "one", "two"], "answer");
  meter.add(["other", "one", "two"], "answer");
  const [system, other, one, two] = ["system", "other", "one", "two"].map((text) => tokensOf(text) + 3) as [
    number,
    number,
    number,
    number,
  ];
  expect(meter.totals).toEqual({
    calls: 3,
    prompt: 2 * system + other + 3 * one + 2 * two,
    cached: system + one,
    output: 3 * tokensOf("answer"),
  });
});

const TOOL: SuiteTool = {
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: { at: { type: "string" } } },
  output: { type: "object", properties: { found: { type: "string" } } },
  isRead: true,
};
const TALK: Conversation = {
  id: "one",
  kind: "base",
  tools: ["look"],
  turns: [{ says: "Look at it.", calls: [{ tool: "look", args: { at: "it" }, answer: { found: "it" } }], adds: [] }],
};

test("each prompt of the loop has the tools and the whole conversation", () => {
  const known = new Map([["look", TOOL]]);
  const { calls, prompt, cached } = loopTokens(TALK, known, true);
  expect(calls).toBe(2);
  const schemas = cached - (tokensOf("Look at it.") + 3);
  expect(prompt).toBe(2 * cached + tokensOf('{"name":"look","input":{"at":"it"}}') + tokensOf('{"found":"it"}') + 6);
  expect(loopTokens(TALK, known, false).cached).toBeLessThan(schemas);
});

test.each(PRICED_MODELS)("%s is in the table of list prices", (model) => {
  expect(PRICES[model]).toBeDefined();
});

test("money: without a cache all of a prompt costs the same, with one what is new costs more", () => {
  const tokens = { calls: 2, prompt: 2_000_000, cached: 1_000_000, output: 1_000_000 };
  const price = PRICES["anthropic/claude-sonnet-5-5"] as {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
  };
  expect(dollarsOf("anthropic/claude-sonnet-5-5", tokens)).toEqual({
    plain: 2 * price.input + price.output,
    cached: price.cache_read + price.cache_write + price.output,
  });
});

const many = ["a", "b"].flatMap((kind) =>
  Array.from({ length: 20 }, (_, n): Conversation => ({ id: `${kind}${n}`, kind, tools: [], turns: [] })),
);

test("a choice has as many of each kind, and the same seed chooses the same", () => {
  const some = chosen(many, ["a", "b"], 6, 3);
  expect(some.map(({ kind }) => kind)).toEqual(["a", "b", "a", "b", "a", "b"]);
  expect(chosen(many, ["a", "b"], 6, 3)).toEqual(some);
  expect(chosen(many, ["a", "b"], 6, 4)).not.toEqual(some);
  expect(chosen(many, ["b"], undefined, 1)).toHaveLength(20);
});

test.each([
  { args: ["--only", "nothing"], says: 'There is nothing called "nothing"' },
  { args: ["--suite", "other"], says: 'There is no suite "other". Suites: bfcl.' },
  { args: ["--mode", "all"], says: 'There is no mode "all"' },
  { args: ["--limit", "0"], says: '--limit must be a whole number from 1, got "0".' },
  { args: ["--kill-every", ""], says: '--kill-every must be a whole number from 1, got "".' },
])("$args is refused", ({ args, says }) => {
  expect(() => readTurnOptions(args)).toThrow(says);
});

test("parts and kinds are chosen by name, and all are the default", () => {
  expect(readTurnOptions(["--only", "kill,base"])).toMatchObject({ parts: ["kill"], kinds: ["base"] });
  expect(readTurnOptions([])).toMatchObject({ parts: ["count", "play", "latency", "kill"], limit: undefined, seed: 1 });
  expect(HELP).toContain("--kill-every");
});

const totals = { calls: 10, prompt: 1_000, cached: 500, output: 100 };
const REPORT: TurnReport = {
  suite: "a suite",
  conversations: 2,
  of: 2,
  seed: 1,
  turns: 4,
  calls: 6,
  programs: 5,
  loop: { calls: 10, tokens: totals, withoutResults: totals },
  count: [
    {
      mode: "flow",
      passed: 2,
      modelCalls: 5,
      dependent: 1,
      missions: 2,
      tokens: { ...totals, calls: 5, prompt: 400 },
    },
  ],
  play: { conversations: 2, calls: 6, passed: 2, compared: 2, took_ms: 1_000 },
  latency: [
    { latency_ms: 0, conversations: 2, turns: 4, modelCalls: 5, loopCalls: 10, ms: 400, loop_ms: 40 },
    { latency_ms: 1_000, conversations: 2, turns: 4, modelCalls: 5, loopCalls: 10, ms: 5_400, loop_ms: 10_040 },
  ],
  kill: { conversations: 2, calls: 6, passed: 2, every: 3, kills: 2, repeated: 2, took_ms: 9_000 },
  problems: [],
};

test("a missed aim is said, and so is a met one", () => {
  const text = renderTurns(REPORT);
  expect(text).toMatch(/model calls +5 +10 {2}0\.500x {2}<= 0\.45x {2}MISSED/);
  expect(text).toMatch(/prompt tokens +400 +1,000 {2}0\.400x {2}<= 0\.50x {2}met/);
  expect(text).toMatch(/all, model of 1 s +5\.4 s +10\.0 s/);
  expect(text).toContain("All checks pass.");
});

test("problems are counted and shown", () => {
  expect(renderTurns({ ...REPORT, problems: ["one: is wrong"] })).toContain("1 PROBLEMS:\n\none: is wrong");
});
