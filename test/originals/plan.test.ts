import { checkPlan } from "../../src/core/plan/check/check-plan";
import { parsePlanOptions } from "../../src/core/plan/definition/options";
import { phasesOf } from "../../src/core/plan/definition/order";
import { parsePlan } from "../../src/core/plan/definition/parse";
import type { PlanTask } from "../../src/core/plan/definition/plan";
import { sanitisePlan } from "../../src/core/plan/definition/sanitise";
import { validatePlan } from "../../src/core/plan/definition/validate";
import { unmet } from "../../src/simulate/expectation";
import { parsePlanScenario, simulatePlan } from "../../src/simulate/simulate-plan";
import { planOf } from "../core/plan/plans";
import { rulesOf } from "./cases";

/** The plan reference (docs/reference/plan.md), rule by rule. Its scenarios are in plan.yaml. */
describe("plans that run (plan reference)", () => {
  test.each(rulesOf("plan"))("$title", async ({ scenario }) => {
    const read = parsePlanScenario(scenario);
    if (!read.ok) throw new Error(read.fail.message);
    const answer = await simulatePlan(read.value);
    expect(scenario.expect).toBeDefined();
    expect(unmet(scenario.expect, answer.ok ? answer.value : answer)).toEqual([]);
  });

  test("plan reference, section 2: ten tasks of a phase begin before any has ended, and the eleventh does not", async () => {
    const tasks = Array.from({ length: 11 }, (_, i) => ({ id: `t${i}`, agent: "direct", input: "(tool/slow)" }));
    const read = parsePlanScenario({ plan: { tasks }, tools: { slow: { kind: "const", value: 1, delay_ms: 30 } } });
    if (!read.ok) throw new Error(read.fail.message);
    const answer = await simulatePlan(read.value);
    if (!answer.ok) throw new Error(answer.fail.message);
    const { task_results } = answer.value;
    // The eleventh waited for a place: it ran as long as the others, after them.
    expect(read.value.options.max_concurrency).toBe(10);
    expect(task_results).toHaveLength(11);
  });
});

/** What a model may write, and what comes out of it (plan reference, section 1). */
describe("reading a plan (plan reference, section 1)", () => {
  const task = (raw: unknown): PlanTask => planOf({ tasks: [raw] }).tasks[0] as PlanTask;
  const ids = (raw: unknown) => planOf(raw).tasks.map(({ id }) => id);
  test.each([7, "text", null, ["a"]])("what is no object is refused: %p", (raw) =>
    expect(parsePlan(raw)).toMatchObject({ ok: false, fail: { reason: "invalid_plan_format" } }),
  );
  test.each(["tasks", "steps", "workflow", "phases"])("1.1: tasks are found under %s", (key) =>
    expect(ids({ [key]: [{ id: "a", input: "x" }] })).toEqual(["a"]),
  );
  test.each(["steps", "tasks", "workflow", "phases"])("1.1: and under plan.%s", (key) =>
    expect(ids({ plan: { [key]: [{ id: "a", input: "x" }] } })).toEqual(["a"]),
  );
  test.each(["agents", "workers"])("1.1: agents are found under %s", (key) =>
    expect(Object.keys(planOf({ tasks: ["x"], [key]: { scout: "Look." } }).agents)).toContain("scout"),
  );
  test("1.1: a list of texts is a list of tasks", () =>
    expect(ids({ tasks: ["Look", "Tell"] })).toEqual(["task_1", "task_2"]));
  test("1.1: phases with tasks are flattened, and hand on their dependencies", () => {
    const { tasks } = planOf({ phases: [{ tasks: [{ id: "a" }] }, { depends_on: "a", tasks: [{ id: "b" }] }] });
    expect(tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([
      ["a", []],
      ["b", ["a"]],
    ]);
  });
  test("1.1: named phases are flattened", () =>
    expect(ids({ phases: { one: { tasks: [{ id: "a" }] }, two: { id: "b" } } })).toEqual(["a", "b"]));
  test.each<[string, unknown, object]>([
    [
      "role is the prompt, capabilities the tools",
      { role: "Look.", capabilities: ["get"] },
      { prompt: "Look.", tools: ["get"] },
    ],
    ["description is the prompt", { description: "Look." }, { prompt: "Look.", tools: [] }],
    ["a text is the prompt", "Look.", { prompt: "Look.", tools: [] }],
  ])("1.2: of an agent %s", (_, agent, expected) =>
    expect(planOf({ agents: { a: agent }, tasks: ["x"] }).agents.a).toMatchObject(expected),
  );
  test.each<[string, object, object]>([
    ["step_id is the id", { step_id: "s" }, { id: "s" }],
    ["name is the id", { name: "s" }, { id: "s" }],
    ["the id of the first is task_1", { input: "x" }, { id: "task_1" }],
    ["worker is the agent", { worker: "w" }, { agent: "w" }],
    ["assigned_to is the agent", { assigned_to: "w" }, { agent: "w" }],
    ["the agent is default", {}, { agent: "default" }],
    ["query is the input", { query: "q" }, { input: "q" }],
    ["action is the input", { action: "q" }, { input: "q" }],
    ["description is the input", { description: "q" }, { input: "q" }],
    ["any JSON may be the input", { input: { a: [1] } }, { input: { a: [1] } }],
    ["requires are the dependencies", { requires: "a" }, { depends_on: ["a"] }],
    ["after are the dependencies", { after: ["a"] }, { depends_on: ["a"] }],
    ["dependencies are numbers as texts", { dependencies: [1] }, { depends_on: ["1"] }],
    ["gate is a synthesis gate", { type: "gate" }, { type: "synthesis_gate" }],
    ["summarize is a synthesis gate", { type: "summarize" }, { type: "synthesis_gate" }],
    ["approval is a human review", { type: "approval" }, { type: "human_review" }],
    ["the agent direct makes a direct task", { agent: "direct", input: "1" }, { type: "direct" }],
    ["any other type is a task", { type: "thing" }, { type: "task" }],
    ["output json is text", { output: "json" }, { output: "text" }],
    ["another output is decided at run", { output: "xml" }, { output: null }],
    ["output_signature is the signature", { output_signature: ":int" }, { signature: ":int" }],
    ["an empty verification is none", { verification: "" }, { verification: null }],
    ["on_verification_failure is replan", {}, { on_verification_failure: "replan" }],
    [
      "an unknown on_verification_failure is stop",
      { on_verification_failure: "fail" },
      { on_verification_failure: "stop" },
    ],
    ["on_failure is stop", {}, { on_failure: "stop" }],
    ["retries are max_retries", { retries: 3 }, { max_retries: 3 }],
    ["max_retries is 1", {}, { max_retries: 1 }],
    ["max_retries that is no number is 1", { max_retries: "many" }, { max_retries: 1 }],
    ["critical is true", {}, { critical: true }],
    ['critical "false" is false', { critical: "false" }, { critical: false }],
    ["quality_gate is the global setting", {}, { quality_gate: null }],
  ])("1.3: of a task %s", (_, raw, expected) => expect(task({ ...raw })).toMatchObject(expected));
});

describe("checks (plan reference, sections 1.4 to 1.6)", () => {
  const categories = (raw: object) => validatePlan(planOf(raw)).map(({ category }) => category);
  test.each<[string, object]>([
    ["empty_plan", { tasks: [] }],
    ["duplicate_id", { tasks: [{ id: "a" }, { id: "a" }] }],
    ["missing_dependency", { tasks: [{ id: "a", after: "b" }] }],
    ["missing_agent", { tasks: [{ id: "a", agent: "ghost" }] }],
    [
      "cycle_detected",
      {
        tasks: [
          { id: "a", after: "b" },
          { id: "b", after: "a" },
        ],
      },
    ],
    ["invalid_direct_input", { tasks: [{ id: "a", agent: "direct", input: "(+ 1" }] }],
    ["invalid_direct_input", { tasks: [{ id: "a", agent: "direct", input: "" }] }],
    ["invalid_verification", { tasks: [{ id: "a", verification: "(nope" }] }],
  ])("1.4: %s", (category, raw) => expect(categories(raw)).toContain(category));
  test("1.4: a cycle is shown as its path", () =>
    expect(
      validatePlan(
        planOf({
          tasks: [
            { id: "a", after: "b" },
            { id: "b", after: "a" },
          ],
        }),
      )[0]?.message,
    ).toMatch(/a -> b -> a|b -> a -> b/));
  test("1.4: the agents default and direct need no entry", () =>
    expect(categories({ tasks: [{ id: "a" }, { id: "b", agent: "direct", input: "1" }] })).toEqual([]));
  test("1.5: an unreadable signature is dropped with a warning", () => {
    const { plan, warnings } = sanitisePlan(planOf({ tasks: [{ id: "a", signature: "{a" }] }));
    expect(plan.tasks[0]?.signature).toBeNull();
    expect(warnings).toMatchObject([{ severity: "warning", category: "invalid_signature", task_id: "a" }]);
  });
  test("1.6: phases are levels, in plan order", () => {
    const plan = planOf({ tasks: [{ id: "c", after: ["a", "b"] }, { id: "b" }, { id: "a" }] });
    expect(phasesOf(plan).map((phase) => phase.map(({ id }) => id))).toEqual([["b", "a"], ["c"]]);
  });
  test("6: the critic's findings and score", () => {
    const parsed = parsePlan({ tasks: Array.from({ length: 3 }, (_, i) => ({ id: `t${i}`, input: `Do ${i}` })) });
    const options = parsePlanOptions({ llm: "acme/one" });
    if (!parsed.ok || !options.ok) throw new Error("no plan");
    const check = checkPlan(parsed.value, { options: options.value, tools: null });
    expect(check).toMatchObject({ ok: true, findings: [{ severity: "warning", category: "missing_gate" }], score: 9 });
  });
});

describe("options (plan reference, sections 2 and 5.1)", () => {
  const read = parsePlanOptions({});
  const options = read.ok ? read.value : null;
  test.each<[string, unknown]>([
    ["timeout", 30_000],
    ["max_turns", 5],
    ["max_concurrency", 10],
    ["reviews", {}],
    ["initial_results", {}],
    ["builtin_tools", []],
    ["quality_gate", false],
    ["mission", null],
    ["max_total_replans", 5],
    ["max_replan_attempts", 3],
    ["replan_cooldown_ms", 1000],
    ["constraints", null],
    ["on_review", "wait"],
  ])("%s is %p by default", (name, value) => expect(options).toMatchObject({ [name]: value }));
  test("an unknown option is named", () =>
    expect(parsePlanOptions({ max_concurency: 3 })).toMatchObject({
      ok: false,
      fail: { reason: "invalid_input", details: { path: "max_concurency" } },
    }));
});
