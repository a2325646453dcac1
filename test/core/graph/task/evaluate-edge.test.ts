import type { Definition } from "../../../../src/core/graph/definition/schema";
import { evaluateEdge, retryOrEscalate } from "../../../../src/core/graph/task/evaluate-edge";
import { type Arrow, definition, task } from "../definition/definitions";

/**
 * A step S whose ways out are under test. `work` and `other` are steps, `human` and `done` ends; edges between them
 * only make the definition valid.
 */
function stepWith(node: object, ...ways: [to: string, on?: string][]): Definition {
  const out = ways.map(([to, on]): Arrow => ["S", to, on]);
  return definition({ S: task(node), work: task(), other: task() }, [
    ["start", "work"],
    ["work", "S", "passed"],
    ["work", "human", "failed"],
    ["work", "other", "max_retries_exceeded"],
    ["other", "done"],
    ...out,
  ]);
}

const back: [string, string] = ["work", "failed"];
const end: [string, string] = ["human", "failed"];
const exceeded: [string, string] = ["other", "max_retries_exceeded"];
const passed: [string, string] = ["done", "passed"];
const always: [string] = ["done"];

const retry = (to: string, retriesUsed: number, retriesRemaining: number) => ({
  kind: "counted",
  to,
  action: "retry",
  retriesUsed,
  retriesRemaining,
});
const escalate = (to: string | null, retriesUsed: number) => ({
  kind: "counted",
  to,
  action: "escalate",
  retriesUsed,
  retriesRemaining: 0,
});
const edge = (to: string, action: string) => ({ kind: "edge", to, action });

describe("a failed step takes the edge of its row", () => {
  test.each([
    // R and (X or E)
    { row: "R and X", ways: [passed, back, exceeded], max: 3, used: 0, gives: retry("work", 1, 2) },
    { row: "R and X", ways: [passed, back, exceeded], max: 3, used: 2, gives: retry("work", 3, 0) },
    { row: "R and X", ways: [passed, back, exceeded], max: 3, used: 3, gives: escalate("other", 3) },
    { row: "R and E", ways: [passed, back, end], max: 1, used: 0, gives: retry("work", 1, 0) },
    { row: "R and E", ways: [passed, back, end], max: 1, used: 1, gives: escalate("human", 1) },
    { row: "E and R, written first", ways: [passed, end, back], max: 1, used: 0, gives: retry("work", 1, 0) },
    {
      row: "R, X and E: X before E",
      ways: [passed, end, back, exceeded],
      max: 1,
      used: 1,
      gives: escalate("other", 1),
    },
    { row: "R and X, M = 0", ways: [passed, back, exceeded], max: 0, used: 0, gives: escalate("other", 0) },
    { row: "R and E, M = 0", ways: [passed, back, end], max: 0, used: 0, gives: escalate("human", 0) },
    {
      row: "R and X, more used than allowed",
      ways: [passed, back, exceeded],
      max: 1,
      used: 5,
      gives: escalate("other", 5),
    },
    // R only, M = 0
    { row: "R only, M = 0", ways: [passed, back], max: 0, used: 0, gives: edge("work", "conditional") },
    { row: "R only, M = 0", ways: [passed, back], max: 0, used: 9, gives: edge("work", "conditional") },
    // R only, M > 0
    { row: "R only", ways: [passed, back], max: 2, used: 1, gives: retry("work", 2, 0) },
    { row: "R only, no way out", ways: [passed, back], max: 2, used: 2, gives: escalate(null, 2) },
    { row: "R only, with an unconditional edge", ways: [back, always], max: 2, used: 1, gives: retry("work", 2, 0) },
    { row: "R only, with an unconditional edge", ways: [back, always], max: 2, used: 2, gives: escalate("done", 2) },
    // E only, M = 0
    { row: "E only, M = 0", ways: [passed, end], max: 0, used: 0, gives: edge("human", "conditional") },
    { row: "E only, M = 0", ways: [passed, end], max: 0, used: 3, gives: edge("human", "conditional") },
    // E only, M > 0
    { row: "E only", ways: [passed, end], max: 2, used: 0, gives: retry("S", 1, 1) },
    { row: "E only", ways: [passed, end], max: 2, used: 2, gives: escalate("human", 2) },
    // X only
    { row: "X only", ways: [passed, exceeded], max: 2, used: 1, gives: retry("S", 2, 0) },
    { row: "X only", ways: [passed, exceeded], max: 2, used: 2, gives: escalate("other", 2) },
    { row: "X only, M = 0", ways: [passed, exceeded], max: 0, used: 0, gives: escalate("other", 0) },
    // E and X, no R
    { row: "E and X", ways: [passed, end, exceeded], max: 2, used: 0, gives: retry("S", 1, 1) },
    { row: "E and X", ways: [passed, end, exceeded], max: 2, used: 2, gives: escalate("other", 2) },
    { row: "E and X, M = 0", ways: [passed, end, exceeded], max: 0, used: 0, gives: escalate("other", 0) },
    // File order decides among equals.
    { row: "two R", ways: [["other", "failed"], back, exceeded], max: 1, used: 0, gives: retry("other", 1, 0) },
    { row: "two E", ways: [back, end, ["done", "failed"]], max: 1, used: 1, gives: escalate("human", 1) },
    {
      row: "two X",
      ways: [back, exceeded, ["human", "max_retries_exceeded"]],
      max: 1,
      used: 1,
      gives: escalate("other", 1),
    },
    { row: "R only, two ways", ways: [always, ["human"], back], max: 1, used: 1, gives: escalate("done", 1) },
    // none
    { row: "none, unconditional edge", ways: [always], max: 0, used: 0, gives: edge("done", "conditional") },
    { row: "none, unconditional edge", ways: [always], max: 2, used: 0, gives: edge("done", "conditional") },
    {
      row: "none, no unconditional edge",
      ways: [passed],
      max: 0,
      used: 0,
      gives: { kind: "no_way", action: "no_matching_edge", availableEdges: [{ to: "done", on: "passed" }] },
    },
  ])("$row, $used of $max used: $gives.action to $gives.to", ({ ways, max, used, gives }) => {
    expect(
      evaluateEdge(stepWith({ maxRetries: max }, ...(ways as [string, string?][])), "S", "failed", used),
    ).toMatchObject(gives);
  });

  test("a counted move contains its limit", () => {
    expect(evaluateEdge(stepWith({ maxRetries: 3 }, passed, back, exceeded), "S", "failed", 3)).toMatchObject({
      maxRetries: 3,
    });
  });
});

describe("results other than failed", () => {
  const outputs = { outputs: ["passed", "failed", "unclear"] };
  test.each([
    { result: "passed", ways: [passed, always], node: {}, gives: edge("done", "conditional") },
    { result: "unclear", ways: [["work", "unclear"], always], node: outputs, gives: edge("work", "conditional") },
    { result: "unclear", ways: [["work", "passed"], always], node: outputs, gives: edge("done", "conditional") },
    { result: "passed", ways: [always, ["work", "passed"]], node: {}, gives: edge("work", "conditional") },
    { result: "anything", ways: [always], node: {}, gives: edge("done", "conditional") },
    { result: undefined, ways: [passed, always], node: {}, gives: edge("done", "unconditional") },
    { result: undefined, ways: [["human"], always], node: {}, gives: edge("human", "unconditional") },
    { result: "anything", ways: [["human"], always], node: {}, gives: edge("human", "conditional") },
    { result: "passed", ways: [["human", "passed"], passed], node: {}, gives: edge("human", "conditional") },
    {
      result: "anything",
      ways: [passed, back],
      node: {},
      gives: {
        kind: "no_way",
        action: "no_matching_edge",
        availableEdges: [
          { to: "done", on: "passed" },
          { to: "work", on: "failed" },
        ],
      },
    },
  ])("$result goes to $gives.to ($gives.action)", ({ result, ways, node, gives }) => {
    expect(evaluateEdge(stepWith(node, ...(ways as [string, string?][])), "S", result, 0)).toMatchObject(gives);
  });

  test("passing to a HITL end is conditional: no retries were exhausted", () => {
    expect(evaluateEdge(stepWith({}, ["human", "passed"]), "S", "passed", 0)).toEqual(edge("human", "conditional"));
  });

  test("an end without edges has no outgoing edges", () => {
    expect(evaluateEdge(stepWith({}, passed), "done", "passed", 0)).toEqual({
      kind: "no_way",
      action: "no_outgoing_edges",
      availableEdges: [],
    });
  });
});

describe("an invalid result is refused", () => {
  test.each([
    { result: undefined, node: {}, reason: "result_required", results: ["passed", "failed"] },
    { result: "max_retries_exceeded", node: {}, reason: "reserved_result", results: ["passed", "failed"] },
    {
      result: "maybe",
      node: { outputs: ["passed", "failed", "unclear"] },
      reason: "invalid_result",
      results: ["passed", "failed", "unclear"],
    },
    {
      result: "Passed",
      node: { outputs: ["passed", "failed"] },
      reason: "invalid_result",
      results: ["passed", "failed"],
    },
  ])("$result: $reason, naming what fits", ({ result, node, reason, results }) => {
    const evaluated = evaluateEdge(stepWith(node, passed, back), "S", result, 0);
    expect(evaluated).toMatchObject({ kind: "refused", fail: { reason, details: { results } } });
  });

  test("a long result that is not declared is told by its beginning", () => {
    const evaluated = evaluateEdge(stepWith({ outputs: ["passed"] }, passed), "S", "x".repeat(300_000), 0);
    expect(evaluated).toMatchObject({
      fail: { message: `Step "S" has no result "${"x".repeat(200)}...": passed.` },
    });
  });

  test("failed is refused where outputs are declared without it", () => {
    const step = stepWith({ outputs: ["bug", "feature"] }, ["work", "bug"], ["done", "feature"]);
    expect(evaluateEdge(step, "S", "failed", 0)).toMatchObject({ kind: "refused", fail: { reason: "invalid_result" } });
  });
});

describe("the start node", () => {
  const flow = stepWith({}, passed);
  test.each([undefined, "passed", "failed", "anything"])("moves on along its edge with result %p", (result) =>
    expect(evaluateEdge(flow, "start", result, 0)).toEqual(
      edge("work", result === undefined ? "unconditional" : "conditional"),
    ),
  );

  test("still refuses the engine's own result", () =>
    expect(evaluateEdge(flow, "start", "max_retries_exceeded", 0)).toMatchObject({ kind: "refused" }));
});

test.each([
  { used: 2, to: "build", action: "retry", retriesUsed: 3, retriesRemaining: 0 },
  { used: 3, to: "human", action: "escalate", retriesUsed: 3, retriesRemaining: 0 },
])("a failed review with $used of 3 retries used goes to $to", ({ used, ...move }) => {
  expect(retryOrEscalate({ retry: { to: "build" }, up: { to: "human" } }, used, 3)).toEqual(move);
});
