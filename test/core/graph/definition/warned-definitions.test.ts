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

  test("unknown properties are kept and passed on", () => {
    const read = parsed({ ...written({ S: task({ colour: "red" }) }, whole), owner: "anna" });
    expect(read.definition).toMatchObject({ owner: "anna", nodes: { S: { colour: "red" } } });
    expect(codesOf(read.warnings)).toEqual(["unknown_property", "unknown_property"]);
  });
});
