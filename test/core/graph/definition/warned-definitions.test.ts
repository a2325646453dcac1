import { type Arrow, parsed, task, written } from "./definitions";
import { branches, codesOf, forked, type Nodes, warningsOf, whole } from "./findings";

/** What a definition is warned for (graph reference, section 2). */
describe("warnings:", () => {
  test.each<{ code: string; nodes?: Nodes; arrows: Arrow[] }>([
    {
      code: "uncovered_output",
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
      ],
    },
    { code: "uncovered_output", nodes: { S: task({ outputs: ["passed", "failed", "odd"] }) }, arrows: whole },
    { code: "ambiguous_edge", arrows: [...whole, ["S", "human", "passed"]] },
    {
      code: "ambiguous_edge",
      arrows: [
        ["start", "S"],
        ["S", "done"],
        ["S", "human"],
      ],
    },
    { code: "ambiguous_edge", nodes: { S: task({ maxRetries: 1 }) }, arrows: [...whole, ["S", "done", "failed"]] },
    {
      code: "unbounded_loop",
      nodes: { S: task(), T: task() },
      arrows: [
        ["start", "T"],
        ["T", "S"],
        ["S", "done", "passed"],
        ["S", "T", "failed"],
      ],
    },
    {
      code: "unbounded_loop",
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "S", "failed"],
      ],
    },
    {
      code: "retry_without_escalation",
      nodes: { S: task({ maxRetries: 1 }) },
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "S", "failed"],
      ],
    },
    {
      code: "unused_max_retries",
      nodes: { S: task({ maxRetries: 1 }) },
      arrows: [
        ["start", "S"],
        ["S", "done"],
      ],
    },
    { code: "unknown_property", nodes: { S: task({ colour: "red" }) }, arrows: whole },
    {
      code: "unknown_property",
      nodes: { S: task(), done: { type: "end", result: "success", stage: "x" } },
      arrows: whole,
    },
  ])("$code: $nodes $arrows", ({ code, nodes = { S: task() }, arrows }) =>
    expect(warningsOf(nodes, arrows)).toEqual([code]),
  );

  test.each<{ name: string; nodes?: Nodes; arrows: Arrow[] }>([
    {
      name: "failed covered by max_retries_exceeded",
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "human", "max_retries_exceeded"],
      ],
    },
    {
      name: "all covered by an unconditional edge",
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "human"],
      ],
    },
    {
      name: "a retry and its escalation",
      nodes: { S: task({ maxRetries: 1 }) },
      arrows: [...whole, ["S", "S", "failed"]],
    },
    {
      name: "a limited loop",
      nodes: { S: task(), T: task({ maxRetries: 1 }) },
      arrows: [
        ["start", "S"],
        ["S", "T"],
        ["T", "done", "passed"],
        ["T", "S", "failed"],
        ["T", "human", "failed"],
      ],
    },
    {
      name: "a loop on another result",
      nodes: { S: task({ outputs: ["again", "passed"] }) },
      arrows: [
        ["start", "S"],
        ["S", "S", "again"],
        ["S", "done", "passed"],
      ],
    },
    { name: "edges of a fork", nodes: branches, arrows: forked },
    { name: "recovery from an end", arrows: [...whole, ["human", "S", "passed"]] },
  ])("no warning: $name", ({ nodes = { S: task() }, arrows }) => expect(warningsOf(nodes, arrows)).toEqual([]));

  /** The warnings of a definition whose edges with these indexes have `on_failure: undo`. */
  function undoWarnings(nodes: Nodes, arrows: Arrow[], undoing: readonly number[]) {
    const { edges, ...rest } = written(nodes, arrows);
    const { warnings } = parsed({
      ...rest,
      edges: edges.map((edge, i) => (undoing.includes(i) ? { ...edge, on_failure: "undo" } : edge)),
    });
    return warnings.map(({ code, edgeIndex, message }) => ({ code, edgeIndex, message }));
  }

  test.each<{ name: string; nodes?: Nodes; arrows: Arrow[]; edge: number; why: string }>([
    { name: "out of the start", arrows: whole, edge: 0, why: "nothing is done at a start" },
    { name: "out of a fork", nodes: branches, arrows: forked, edge: 1, why: "nothing is done at a fork" },
    { name: "into a success", arrows: whole, edge: 1, why: 'the end "done" is a success' },
    {
      name: "out of an end",
      arrows: [...whole, ["human", "S", "passed"]],
      edge: 3,
      why: "nothing is done at an end",
    },
    {
      name: "into a wait",
      nodes: { S: task(), T: { type: "wait", for: "1h" } },
      arrows: [
        ["start", "S"],
        ["S", "T", "passed"],
        ["S", "human", "failed"],
        ["T", "done"],
      ],
      edge: 1,
      why: 'the wait "T" never fails',
    },
    {
      name: "back to its own node",
      nodes: { S: task({ maxRetries: 1 }) },
      arrows: [...whole, ["S", "S", "failed"]],
      edge: 3,
      why: 'it leads back to "S"',
    },
  ])("nothing_to_undo: an edge $name", ({ nodes = { S: task() }, arrows, edge, why }) =>
    expect(undoWarnings(nodes, arrows, [edge])).toEqual([
      { code: "nothing_to_undo", edgeIndex: edge, message: expect.stringContaining(why) },
    ]),
  );

  test("no warning: an edge between steps, into a failing end, into a join and out of it", () => {
    expect(undoWarnings({ S: task() }, whole, [2])).toEqual([]);
    expect(undoWarnings(branches, forked, [3, 4, 6])).toEqual([]);
  });

  test("unknown properties are kept and passed on", () => {
    const read = parsed({ ...written({ S: task({ colour: "red" }) }, whole), owner: "anna" });
    expect(read.definition).toMatchObject({ owner: "anna", nodes: { S: { colour: "red" } } });
    expect(codesOf(read.warnings)).toEqual(["unknown_property", "unknown_property"]);
  });
});
