import { executionPlan } from "../../../../src/core/graph/show/levels";
import { type Arrow, definition, gate, task } from "../definition/definitions";
import { definitionOf, describeShared, sharedDefinitions } from "../definition/shared-data";

/** Levels of a graph with edges that go back (graph reference, section 6). */
type Nodes = { [id: string]: object | null };

describe("levels", () => {
  test.each<{ name: string; nodes: Nodes; arrows: Arrow[]; levels: string[][]; back: object[] }>([
    {
      name: "a review that sends back",
      nodes: {
        analyze: task(),
        review: gate({ maxRetries: 3 }),
        end: { type: "end", result: "success" },
        hitl: { type: "end", result: "blocked", escalation: "hitl" },
      },
      arrows: [
        ["start", "analyze"],
        ["analyze", "review"],
        ["review", "end", "passed"],
        ["review", "analyze", "failed"],
        ["review", "hitl", "max_retries_exceeded"],
      ],
      levels: [["start"], ["analyze"], ["review"], ["end", "hitl"]],
      back: [{ from: "review", to: "analyze", on: "failed", kind: "retry" }],
    },
    {
      name: "a step that is tried again in place",
      nodes: { S: task({ maxRetries: 1 }) },
      arrows: [
        ["start", "S"],
        ["S", "S", "failed"],
        ["S", "done", "passed"],
        ["S", "human", "failed"],
      ],
      levels: [["start"], ["S"], ["done", "human"]],
      back: [{ from: "S", to: "S", on: "failed", kind: "retry" }],
    },
    {
      name: "two ways of different length: the longest counts",
      nodes: { a: task({ outputs: ["short", "long"] }), b: task(), c: task() },
      arrows: [
        ["start", "a"],
        ["a", "c", "short"],
        ["a", "b", "long"],
        ["b", "c"],
        ["c", "done"],
      ],
      levels: [["start"], ["a"], ["b"], ["c"], ["done"]],
      back: [],
    },
    {
      name: "within a level the order of the nodes in the file",
      nodes: { z: task(), y: task(), S: task({ outputs: ["y", "z"] }) },
      arrows: [
        ["start", "S"],
        ["S", "y", "y"],
        ["S", "z", "z"],
        ["y", "done"],
        ["z", "done"],
      ],
      levels: [["start"], ["S"], ["z", "y"], ["done"]],
      back: [],
    },
    {
      name: "recovery out of an end, and a step that only recovery reaches",
      nodes: { S: task(), R: task() },
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "human", "failed"],
        ["human", "R", "passed"],
        ["R", "done"],
      ],
      levels: [["start", "R"], ["S"], ["done", "human"]],
      back: [{ from: "human", to: "R", on: "passed", kind: "recovery" }],
    },
    {
      name: "a cycle on another result is cut where the walk from the start closes it",
      nodes: { a: task({ outputs: ["passed", "again"] }), b: task({ outputs: ["passed", "again"] }) },
      arrows: [
        ["start", "a"],
        ["a", "b", "passed"],
        ["b", "a", "again"],
        ["b", "done", "passed"],
        ["a", "a", "again"],
      ],
      levels: [["start"], ["a"], ["b"], ["done"]],
      back: [
        { from: "b", to: "a", on: "again", kind: "cycle" },
        { from: "a", to: "a", on: "again", kind: "cycle" },
      ],
    },
  ])("$name", ({ nodes, arrows, levels, back }) => {
    const plan = executionPlan(definition(nodes, arrows));
    expect(plan.levels).toEqual(levels);
    expect(plan.backEdges).toEqual(expect.arrayContaining(back));
    expect(plan.backEdges).toHaveLength(back.length);
    expect(plan).toMatchObject({ workflowId: "test-flow", levelCount: levels.length, stepCount: levels.flat().length });
  });

  test("include a failed edge that leads forward", () => {
    const plan = executionPlan(
      definition({ a: task(), b: task() }, [
        ["start", "a"],
        ["a", "b", "failed"],
        ["a", "done", "passed"],
        ["b", "done"],
      ]),
    );
    expect(plan.backEdges).toEqual([]);
  });

  test("are found for a chain of thousands without exhausting the stack", () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => `s${i}`);
    const arrows = ids.map((id, i): Arrow => [id, ids[i + 1] ?? "done"]);
    const plan = executionPlan(
      definition(Object.fromEntries(ids.map((id) => [id, task()])), [["start", "s0"], ...arrows]),
    );
    expect(plan.levelCount).toBe(5_002);
  });
});

describeShared("a larger example (shared data, skipped when absent)", () => {
  test("loyalty-feature", () => {
    const one = sharedDefinitions.find(({ file }) => file === "workflows/loyalty-feature.json");
    const plan = executionPlan(definitionOf(one as never));
    expect(plan.levels).toEqual([
      ["start"],
      ["discover"],
      ["design"],
      ["split", "dropped"],
      ["api", "web", "mobile", "copy"],
      ["api_check"],
      ["merge"],
      ["integrate", "parts_missing"],
      ["rollout", "integration_stuck"],
      ["live", "rolled_back"],
    ]);
    expect(plan.backEdges.map(({ from, to, kind }) => `${from} -> ${to} ${kind}`).sort()).toEqual([
      "api -> api retry",
      "api_check -> api retry",
      "design -> discover cycle",
      "integrate -> split retry",
    ]);
  });
});
