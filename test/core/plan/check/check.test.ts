import { checkPlan } from "../../../../src/core/plan/check/check-plan";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { parsed } from "../plans";

function check(tasks: unknown[], options: object = {}, world: object = {}, agents: object = {}) {
  const read = parsePlanOptions({ llm: "acme/one", ...options });
  if (!read.ok) throw new Error(read.fail.message);
  return checkPlan(parsed({ agents, tasks }), { options: read.value, tools: null, ...world });
}
const found = (...args: Parameters<typeof check>) =>
  check(...args).findings.map(({ severity, category, task_id }) => `${severity} ${category} ${task_id}`);

const many = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `t${i}`, input: `Do ${i}` }));

describe("advice (plan reference, section 6)", () => {
  test.each<[string, unknown[], string[]]>([
    ["three at once without a gate", many(3), ["warning missing_gate t0"]],
    [
      "three at once with a gate behind them",
      [...many(3), { id: "g", type: "gate", input: "all", depends_on: ["t0", "t1", "t2"] }],
      [],
    ],
    ["more than ten at once", many(11), ["warning missing_gate t0", "warning parallel_explosion t0"]],
    ["a search whose failure is the end", [{ id: "a", input: "Search the catalogue" }], ["warning optimism_bias a"]],
    ["a search that may fail", [{ id: "a", input: "Search the catalogue", on_failure: "retry" }], []],
    [
      "a task that nothing uses",
      [
        { id: "a", input: "x" },
        { id: "b", input: "y" },
        { id: "c", input: "of b", after: "b" },
      ],
      ["info orphan_task a"],
    ],
    [
      "dependencies that are not named",
      [
        { id: "aa", input: "x" },
        { id: "bb", input: "y" },
        { id: "c", input: "go", after: ["aa", "bb"] },
      ],
      ["warning disconnected_flow c"],
    ],
    [
      "one dependency that is not named",
      [
        { id: "aa", input: "x" },
        { id: "bb", input: "y" },
        { id: "c", input: "use bb", after: ["aa", "bb"] },
      ],
      ["info disconnected_flow c"],
    ],
    [
      "a dependency that is not there",
      [{ id: "a", input: "x", after: "b" }],
      ["error missing_dependency a", "warning disconnected_flow a"],
    ],
  ])("%s", (_, tasks, findings) => expect(found(tasks)).toEqual(findings));

  test("the score falls with the number of findings, but never below 1", () => {
    expect(check([{ id: "a", input: "x" }]).score).toBe(10);
    expect(check(many(11)).score).toBe(8);
    expect(check([{ id: "a", agent: "x", after: ["b", "c", "d"], signature: "{{" }]).score).toBe(1);
  });
});

describe("other findings", () => {
  const tool = (more: object) => ({ base_tools: { pay: { effect: "irreversible", identity: false, ...more } } });
  const payer = { payer: { prompt: "Pay.", tools: ["pay"] } };
  const pay = { id: "pay", agent: "payer", input: "Pay" };
  const ask = (more: object) => ({
    id: "ask",
    type: "review",
    input: "Pay?",
    verification: "(if data/result true false)",
    ...more,
  });

  test.each<[string, unknown[], object, string[]]>([
    ["nobody is asked", [pay], tool({}), ["error unreviewed_irreversible pay"]],
    ["the tool asks itself", [pay], tool({ approval: true }), []],
    [
      "nothing but texts distinguishes its calls",
      [pay],
      tool({ approval: true, identity: undefined }),
      ["warning no_identity pay"],
    ],
    ["the agent cannot use its tools", [{ ...pay, output: "text" }], tool({}), ["warning tools_lost pay"]],
    [
      "a review whose no is a failure",
      [ask({ on_verification_failure: "stop" }), { ...pay, after: "ask", input: "ask" }],
      tool({}),
      [],
    ],
    ["a review whose no leads to another plan", [ask({}), { ...pay, after: "ask", input: "ask" }], tool({}), []],
    [
      "a review whose no is skipped",
      [ask({ on_verification_failure: "skip" }), { ...pay, after: "ask", input: "ask" }],
      tool({}),
      ["error review_without_effect pay"],
    ],
    [
      "a review that is not critical",
      [ask({ on_verification_failure: "stop", critical: false }), { ...pay, after: "ask", input: "ask" }],
      tool({}),
      ["error review_without_effect pay"],
    ],
    [
      "a review further up",
      [ask({}), { id: "mid", input: "ask", after: "ask" }, { ...pay, after: "mid", input: "mid" }],
      tool({}),
      [],
    ],
    ["a review at the side", [ask({}), pay], tool({}), ["error unreviewed_irreversible pay"]],
  ])("irreversible tasks: %s", (_, tasks, options, findings) =>
    expect(found(tasks, options, {}, payer).filter((one) => !/orphan|missing_gate/.test(one))).toEqual(findings),
  );

  test("an agent is as dangerous as its most dangerous tool", () => {
    const base_tools = { helper: { agent: { prompt: "Help.", description: "helps", tools: tool({}).base_tools } } };
    expect(found([{ id: "a", agent: "a", input: "Go" }], { base_tools }, {}, { a: { tools: ["helper"] } })).toEqual([
      "error unreviewed_irreversible a",
    ]);
  });

  test("a template of a task that may be skipped is a warning, a retried program is useless, a gate over nothing has no effect", () => {
    expect(
      found([
        { id: "a", input: "x", on_failure: "skip" },
        { id: "b", input: "{{results.a}}", after: "a" },
      ]),
    ).toEqual(["warning template_may_be_missing b"]);
    expect(found([{ id: "a", agent: "direct", input: "1", on_verification_failure: "retry" }])).toEqual([
      "warning retry_changes_nothing a",
    ]);
    expect(found([{ id: "a", input: "x", quality_gate: true }])).toEqual(["info no_effect a"]);
  });

  test("unlimited replans are found only if the plan is executed with replans", () => {
    const options = { max_total_replans: 1000, max_replan_attempts: 1000 };
    expect(found([{ id: "a", input: "x" }], options, { executor: true })).toEqual(["error endless_retries null"]);
    expect(found([{ id: "a", input: "x" }], options)).toEqual([]);
  });

  test("a tool cannot have the name of data", () =>
    expect(found([{ id: "a", input: "x" }], { base_tools: ["results"] })).toEqual(["error tool_name_clash null"]));
});

describe("the maximum cost", () => {
  const prices = { "acme/one": { input: 1, output: 10 }, "acme/judge": { input: 2, output: 2 } };
  const tasks = [
    { id: "a", input: "x" },
    { id: "b", input: "a", after: "a", on_failure: "retry", max_retries: 2, quality_gate: true },
    { id: "c", type: "gate", input: "b", after: "b" },
    { id: "d", agent: "direct", input: "1", after: "c" },
    { id: "e", type: "review", input: "d", after: "d" },
  ];
  const world = { prices, tokens_per_call: { input: 1000, output: 100 } };

  test("counts every try of a task and a call for every turn", () =>
    expect(check(tasks, { max_turns: 4 }, world).cost).toEqual({
      agent_runs: 1 + 3 + 1 + 1 + 1,
      model_calls: 4 + 12 + 1 + 1,
      with_replans: { agent_runs: 7, model_calls: 18 },
      cost: 0.036,
      tokens_per_call: { input: 1000, output: 100 },
      uncounted: [],
    }));
  test("counts repairs, and the gate's own model", () =>
    expect(
      check(
        tasks,
        { max_turns: 4, max_total_replans: 2, quality_gate_llm: "judge", llm_registry: { judge: "acme/judge" } },
        { ...world, executor: true },
      ).cost,
    ).toMatchObject({
      with_replans: { agent_runs: 21 + 4, model_calls: 51 + 4 + 3 },
      cost: Math.round((55 * 0.002 + 3 * 0.0022) * 1e9) / 1e9,
    }));
  test("uses the dearest of several models, and is unknown without a price", () => {
    expect(check(tasks, { llm: ["acme/judge", "acme/one"] }, world).cost?.cost).toBe(0.0484);
    expect(check(tasks, { llm: ["acme/one", "acme/other"] }, world).cost?.cost).toBeNull();
  });
  test("names the tools that call models themselves: their number of calls is unknown", () => {
    const search = { name: "search", agent: { prompt: "Search.", description: "Searches." } };
    const words = { name: "words", llm: { prompt: "Say it.", signature: ":string" } };
    const base_tools = [search, words, "look"];
    const agents = { finder: { prompt: "Find.", tools: ["search", "look"] } };
    const used = [
      { id: "a", agent: "finder", input: "x" },
      { id: "b", agent: "direct", input: "(tool/words {})" },
    ];
    expect(check(used, { base_tools }, {}, agents).cost).toMatchObject({
      uncounted: ["finder: search", "direct: words"],
    });
  });
  test("is zero for programs, whatever the model", () =>
    expect(check([{ id: "a", agent: "direct", input: "1" }], { llm: null }).cost).toMatchObject({
      cost: 0,
      model_calls: 0,
    }));
});
