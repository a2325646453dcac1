import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describedSignature, describedTools } from "../../../../src/core/plan/definition/available-tools";
import { PlanOptionsFile, parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { parseSignature } from "../../../../src/core/signature/parse";

test("every option has its default", () => {
  const read = parsePlanOptions({});
  expect(read).toEqual({
    ok: true,
    value: {
      llm: null,
      llm_registry: {},
      base_tools: [],
      available_tools: {},
      timeout: 30_000,
      pmap_timeout: null,
      pmap_max_concurrency: null,
      max_turns: 5,
      max_concurrency: 10,
      reviews: {},
      initial_results: {},
      builtin_tools: [],
      quality_gate: false,
      quality_gate_llm: null,
      mission: null,
      max_total_replans: 5,
      max_replan_attempts: 3,
      replan_cooldown_ms: 1000,
      constraints: null,
      check_plans: true,
      planner_timeout: 30_000,
      journal: null,
      on_review: "wait",
    },
  });
  expect(JSON.parse(JSON.stringify(read))).toEqual(read);
});

test("every mistake is named with its place", () =>
  expect(parsePlanOptions({ max_turns: 0, timout: 1, reviews: [], on_review: "ask", journal: { a: 1 } })).toMatchObject(
    {
      ok: false,
      fail: {
        reason: "invalid_input",
        details: {
          issues: expect.arrayContaining([
            { path: "max_turns", message: "must be a positive integer" },
            { path: "timout", message: expect.stringContaining("unknown option") },
            expect.objectContaining({ path: "reviews" }),
            expect.objectContaining({ path: "on_review" }),
            expect.objectContaining({ path: "journal.a" }),
          ]),
        },
      },
    },
  ));

test("an invalid tool is a mistake like any other", () =>
  expect(parsePlanOptions({ base_tools: { look: { effect: "none" } } })).toMatchObject({
    ok: false,
    fail: { details: { issues: [{ path: expect.stringMatching(/^base_tools/) }] } },
  }));

const scenarios = path.join(__dirname, "../../../scenarios-plan");
const texts = readdirSync(scenarios).map((file) => readFileSync(path.join(scenarios, file), "utf8"));

test.each(Object.keys(PlanOptionsFile().shape))("a scenario sets the option %s", (option) =>
  expect(texts.some((text) => new RegExp(`\\b${option}:`).test(text))).toBe(true),
);

describe("descriptions of tools (plan reference, section 2)", () => {
  test.each([
    ["Finds. Input: {q: string}. Output: {hits: int}", "(q :string) -> {hits :int}"],
    ["Finds. INPUT: {q, n: integer}", "(q :any, n :int) -> :any"],
    ["Finds. output: {a: [string], b: number, c: list}", "() -> {a [:string], b :float, c :any}"],
    ["Finds things.", "() -> :any"],
    ["Input: {}. Output: {}", "() -> :any"],
    ["Input: {a: string?, b: boolean}", "(a :string?, b :bool) -> :any"],
  ])("%s", (text, signature) => {
    expect(describedSignature(text)).toBe(signature);
    expect(() => parseSignature(signature)).not.toThrow();
  });
  test("only tools without a description get one", () =>
    expect(
      describedTools(["a", { name: "b", effect: "read" }, { name: "c", effect: "read", signature: ":int" }, "d"], {
        a: "Finds. Input: {q: string}",
        b: "Looks",
        c: "Other",
      }),
    ).toEqual([
      { name: "a", effect: "write", signature: "(q :string) -> :any", description: "Finds" },
      { name: "b", effect: "read", signature: "() -> :any", description: "Looks" },
      { name: "c", effect: "read", signature: ":int" },
      "d",
    ]));
});
