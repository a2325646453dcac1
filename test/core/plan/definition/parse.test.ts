import { parsePlan } from "../../../../src/core/plan/definition/parse";
import { parsed, planOf, taskOf } from "../plans";

const ids = (raw: unknown) => planOf(raw).tasks.map(({ id }) => id);
const A = { id: "a" };

describe("the places of tasks", () => {
  test.each([
    ["tasks", { tasks: [A] }],
    ["steps", { steps: [A] }],
    ["workflow", { workflow: [A] }],
    ["phases", { phases: [A] }],
    ["plan.steps", { plan: { steps: [A] } }],
    ["plan.tasks", { plan: { tasks: [A] } }],
    ["plan.workflow", { plan: { workflow: [A] } }],
    ["plan.phases", { plan: { phases: [A] } }],
  ])("%s", (_, raw) => expect(ids(raw)).toEqual(["a"]));

  test("the first place is used, even if it is empty", () => {
    expect(ids({ steps: [{ id: "b" }], tasks: [A] })).toEqual(["a"]);
    expect(ids({ tasks: [], steps: [A] })).toEqual([]);
    expect(ids({ plan: { tasks: [{ id: "b" }], steps: [A] } })).toEqual(["a"]);
  });
  test("null gives no plan", () => expect(ids({ tasks: null, steps: [A] })).toEqual(["a"]));
  test("an object without tasks is a plan without tasks", () => expect(planOf({})).toEqual({ agents: {}, tasks: [] }));
  test.each([[[]], ["text"], [null], [5]])("%j is not a plan", (raw) =>
    expect(parsePlan(raw)).toMatchObject({ ok: false, fail: { reason: "invalid_plan_format" } }),
  );
});

describe("shapes of the list of tasks", () => {
  test("texts are tasks", () =>
    expect(planOf({ tasks: ["Count", "Report"] }).tasks).toMatchObject([
      { id: "task_1", agent: "default", input: "Count" },
      { id: "task_2", agent: "default", input: "Report" },
    ]));
  test("phases are opened, and their dependencies are added to their tasks", () =>
    expect(
      planOf({
        phases: [
          { name: "one", tasks: [A, "Look"] },
          { tasks: [{ id: "c", after: "a" }], depends_on: "task_2" },
        ],
      }).tasks,
    ).toMatchObject([
      { id: "a", depends_on: [] },
      { id: "task_2", input: "Look" },
      { id: "c", depends_on: ["a", "task_2"] },
    ]));
  test("named phases are opened in their order; a named value without tasks is a task", () =>
    expect(ids({ workflow: { last: { tasks: [{ id: "z" }] }, one: { input: "x" }, first: { tasks: [A] } } })).toEqual([
      "z",
      "task_2",
      "a",
    ]));
  test("a task under a name has this name in depends_on", () =>
    expect(
      planOf({ tasks: { fetch: { input: "x" }, sum: { input: "y", depends_on: ["fetch"] } } }).tasks,
    ).toMatchObject([{ id: "fetch" }, { id: "task_2", depends_on: ["fetch"] }]));
  test("other items are dropped", () => expect(ids({ tasks: [5, A, null, [A], true] })).toEqual(["a"]));
  test("a phase without a list of tasks is a task", () =>
    expect(ids({ tasks: [{ id: "p", tasks: 3 }] })).toEqual(["p"]));
});

describe("agents", () => {
  test.each([
    ["agents", { agents: { a: "Look." } }],
    ["workers", { workers: { a: "Look." } }],
    ["plan.agents", { plan: { agents: { a: "Look." } } }],
    ["a list with names", { agents: [{ name: "a", prompt: "Look." }] }],
  ])("are looked for in %s", (_, raw) => expect(planOf(raw).agents).toEqual({ a: { prompt: "Look.", tools: [] } }));

  test.each([
    [
      { prompt: "p", description: "d" },
      { prompt: "p", tools: [] },
    ],
    [
      { description: "d", role: "r" },
      { prompt: "d", tools: [] },
    ],
    [{ role: "r" }, { prompt: "r", tools: [] }],
    [{}, { prompt: "", tools: [] }],
    [{ tools: ["a", 1] }, { prompt: "", tools: ["a", "1"] }],
    [{ capabilities: ["b"] }, { prompt: "", tools: ["b"] }],
    [{ tools: "one" }, { prompt: "", tools: ["one"] }],
  ])("%j is %j", (entry, agent) => expect(planOf({ agents: { a: entry } }).agents.a).toEqual(agent));

  test("other values are dropped with a warning", () =>
    expect(parsed({ agents: { a: 5, b: "ok" } })).toMatchObject({
      plan: { agents: { b: { prompt: "ok" } } },
      warnings: [{ severity: "warning", category: "invalid_entry", message: expect.stringContaining("agents.a") }],
    }));
  test("a name can be any text", () =>
    expect(Object.keys(planOf(JSON.parse('{"agents":{"__proto__":"p"}}')).agents)).toEqual(["__proto__"]));
});

describe("fields of a task", () => {
  test.each([
    ["id", { id: "a", step_id: "b" }, "a"],
    ["id", { step_id: "b", name: "c" }, "b"],
    ["id", { name: "c" }, "c"],
    ["id", {}, "task_1"],
    ["id", { id: 7 }, "7"],
    ["agent", { agent: "x", worker: "y" }, "x"],
    ["agent", { worker: "y" }, "y"],
    ["agent", { assigned_to: "z" }, "z"],
    ["agent", {}, "default"],
    ["input", { input: "i", query: "q" }, "i"],
    ["input", { query: "q" }, "q"],
    ["input", { action: "a" }, "a"],
    ["input", { description: "d" }, "d"],
    ["input", {}, ""],
    ["input", { input: { deep: [1] } }, { deep: [1] }],
    ["depends_on", { depends_on: ["a", 2] }, ["a", "2"]],
    ["depends_on", { requires: "a" }, ["a"]],
    ["depends_on", { after: ["a"] }, ["a"]],
    ["depends_on", { dependencies: ["a"] }, ["a"]],
    ["depends_on", { depends_on: [{ id: "a" }, { task: "b" }] }, ["a", "b"]],
    ["depends_on", {}, []],
    ["output", { output: "ptc_lisp" }, "ptc_lisp"],
    ["output", { output: "text" }, "text"],
    ["output", { output: "json" }, "text"],
    ["output", { output: "xml" }, null],
    ["output", {}, null],
    ["signature", { signature: ":int" }, ":int"],
    ["signature", { output_signature: ":int" }, ":int"],
    ["signature", {}, null],
    ["verification", { verification: "true" }, "true"],
    ["verification", { verification: "" }, null],
    ["verification", {}, null],
    ["on_verification_failure", {}, "replan"],
    ...["stop", "skip", "retry", "replan"].map(
      (word): Row => ["on_verification_failure", { on_verification_failure: word }, word],
    ),
    ["on_verification_failure", { on_verification_failure: "fail" }, "stop"],
    ["on_verification_failure", { on_verification_failure: 3 }, "stop"],
    ["on_failure", {}, "stop"],
    ...["stop", "skip", "retry", "replan"].map((word): Row => ["on_failure", { on_failure: word }, word]),
    ["on_failure", { on_failure: "panic" }, "stop"],
    ["max_retries", { max_retries: 3 }, 3],
    ["max_retries", { retries: 2 }, 2],
    ["max_retries", { max_retries: 0 }, 0],
    ["max_retries", { max_retries: -1 }, 1],
    ["max_retries", { max_retries: "3" }, 1],
    ["max_retries", {}, 1],
    ["critical", { critical: false }, false],
    ["critical", { critical: "false" }, false],
    ["critical", { critical: 0 }, true],
    ["critical", { critical: "no" }, true],
    ["critical", {}, true],
    ["quality_gate", { quality_gate: true }, true],
    ["quality_gate", { quality_gate: false }, false],
    ["quality_gate", { quality_gate: 1 }, null],
    ["quality_gate", {}, null],
  ] satisfies Row[])("%s of %j is %j", (field, raw, value) => expect(taskOf(raw)).toMatchObject({ [field]: value }));
  type Row = [string, object, unknown];

  test.each([
    ...["synthesis_gate", "gate", "synthesis", "compress", "summarize"].map((word) => [word, "synthesis_gate"]),
    ...["human_review", "review", "approval"].map((word) => [word, "human_review"]),
    ["task", "task"],
    ["Gate", "task"],
    ["anything", "task"],
  ])("type %s is %s", (type, means) => expect(taskOf({ type }).type).toBe(means));
  test("a task of the agent direct is direct, and its review is a review", () => {
    expect(taskOf({ agent: "direct" }).type).toBe("direct");
    expect(taskOf({ agent: "direct", type: "review" }).type).toBe("human_review");
  });
});

test("each task knows its place and its names", () =>
  expect(parsed({ plan: { steps: [{ tasks: [A, { name: "b", query: "q" }] }] } }).sources).toEqual([
    { path: "plan.steps[0].tasks[0]", keys: { id: "id" } },
    { path: "plan.steps[0].tasks[1]", keys: { id: "name", input: "query" } },
  ]));
