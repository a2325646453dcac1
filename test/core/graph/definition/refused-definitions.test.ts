import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { type Arrow, gate, task, written } from "./definitions";
import { branches, errorsOf, fork, forked, type Nodes, whole } from "./findings";

/** What a definition is refused for (graph reference, section 2). */
describe("refused:", () => {
  test.each<{ code: string; nodes?: Nodes; arrows?: Arrow[]; also?: string[] }>([
    {
      code: "start_count",
      nodes: { start: null, S: task() },
      arrows: [
        ["S", "done", "passed"],
        ["S", "human", "failed"],
      ],
    },
    { code: "start_count", nodes: { S: task(), again: { type: "start" } }, arrows: [...whole, ["again", "S"]] },
    {
      code: "no_end",
      nodes: { S: task() },
      arrows: [
        ["start", "S"],
        ["S", "S", "failed"],
      ],
    },
    { code: "unknown_node_type", nodes: { S: { type: "loop", name: "S" } } },
    { code: "unknown_node_type", nodes: { S: { name: "no type" } } },
    { code: "unknown_node_type", nodes: { S: [] } },
    { code: "unknown_node_type", nodes: { S: { type: "constructor" } } },
    { code: "name_required", nodes: { S: { type: "task" } } },
    { code: "name_required", nodes: { S: gate({ name: "  " }) } },
    { code: "name_required", nodes: { S: gate({ name: 7 }) } },
    { code: "invalid_end_result", nodes: { S: task(), done: { type: "end" } } },
    { code: "invalid_end_result", nodes: { S: task(), done: { type: "end", result: "done" } } },
    { code: "invalid_escalation", nodes: { S: task(), done: { type: "end", result: "success", escalation: "mail" } } },
    { code: "invalid_max_retries", nodes: { S: task({ maxRetries: -1 }) } },
    { code: "invalid_max_retries", nodes: { S: task({ maxRetries: 1.5 }) } },
    { code: "invalid_max_retries", nodes: { S: task({ maxRetries: "3" }) } },
    { code: "invalid_outputs", nodes: { S: task({ outputs: [] }) } },
    { code: "invalid_outputs", nodes: { S: task({ outputs: ["passed", "passed", "failed"] }) } },
    { code: "invalid_outputs", nodes: { S: task({ outputs: ["passed", "failed", ""] }) } },
    { code: "invalid_outputs", nodes: { S: task({ outputs: ["passed", "failed", "max_retries_exceeded"] }) } },
    { code: "invalid_outputs", nodes: { S: task({ outputs: "passed" }) } },
    { code: "workflow_required", nodes: { S: { type: "subflow" } } },
    { code: "workflow_required", nodes: { S: { type: "subflow", workflow: "" } } },
    { code: "unknown_source", nodes: { S: task() }, arrows: [...whole, ["gone", "S"]] },
    { code: "unknown_target", nodes: { S: task() }, arrows: [...whole, ["S", "gone", "passed"]] },
    { code: "edge_into_start", nodes: { S: task() }, arrows: [...whole, ["S", "start", "failed"]] },
    {
      code: "dead_end",
      nodes: { S: task(), T: task() },
      arrows: [
        ["start", "S"],
        ["S", "done", "passed"],
        ["S", "T", "failed"],
      ],
    },
    { code: "unreachable_node", nodes: { S: task(), T: task() }, arrows: [...whole, ["T", "done"]] },
    {
      code: "no_path_to_end",
      nodes: { S: task(), T: task(), U: task() },
      arrows: [...whole.slice(0, 2), ["S", "T", "failed"], ["T", "U"], ["U", "T"]],
      also: ["no_path_to_end"],
    },
    { code: "output_not_declared", nodes: { S: task() }, arrows: [...whole, ["S", "done", "odd"]] },
    { code: "output_not_declared", nodes: { S: task({ outputs: ["passed"] }) } },
    { code: "duplicate_edge", nodes: { S: task() }, arrows: [...whole, ["S", "done", "passed"]] },
    {
      code: "fork_join_mismatch",
      nodes: { ...branches, split: fork({ join: "gone" }) },
      arrows: forked,
      also: ["fork_join_mismatch"],
    },
    {
      code: "fork_join_mismatch",
      nodes: { ...branches, split: fork({ join: "a" }) },
      arrows: forked,
      also: ["degenerate_branch", "fork_join_mismatch"],
    },
    {
      code: "fork_join_mismatch",
      nodes: { ...branches, merge: { type: "join", fork: "a" } },
      arrows: forked,
      also: ["fork_join_mismatch"],
    },
    {
      code: "fork_join_mismatch",
      nodes: { ...branches, split: fork({ branches: { x: { entryStep: "a" } } }) },
      arrows: forked,
    },
    {
      code: "fork_without_branches",
      nodes: branches,
      arrows: forked.filter(([from]) => from !== "split"),
      also: ["no_path_to_end", "unreachable_node"],
    },
    { code: "degenerate_branch", nodes: branches, arrows: [...forked, ["split", "merge"]] },
    {
      code: "nested_fork",
      nodes: { ...branches, inner: fork({ join: "merge2" }), merge2: { type: "join", fork: "inner" }, c: task() },
      arrows: [...forked, ["split", "inner"], ["inner", "c"], ["c", "merge2"], ["merge2", "merge"]],
    },
    { code: "invalid_max_concurrency", nodes: { ...branches, split: fork({ maxConcurrency: 0 }) }, arrows: forked },
    { code: "invalid_max_concurrency", nodes: { ...branches, split: fork({ maxConcurrency: 1.5 }) }, arrows: forked },
    { code: "invalid_property", nodes: { S: task({ context_files: "a.md" }) } },
    { code: "invalid_property", nodes: { S: task({ config: [] }) } },
    {
      code: "invalid_node_id",
      nodes: { S: task(), ["x".repeat(129)]: task() },
      arrows: [...whole, ["S", "x".repeat(129), "failed"], ["x".repeat(129), "done"]],
    },
  ])("$code: $nodes", ({ code, nodes = { S: task() }, arrows = whole, also = [] }) => {
    expect([...new Set(errorsOf(written(nodes, arrows)))].sort()).toEqual([...new Set([code, ...also])].sort());
  });

  test.each([
    { name: "no object", input: null, codes: ["invalid_id", "missing_edges", "missing_nodes"] },
    { name: "a list", input: [], codes: ["invalid_id", "missing_edges", "missing_nodes"] },
    { name: "nodes in a list", input: { id: "a", nodes: [], edges: [] }, codes: ["missing_nodes"] },
    { name: "edges in an object", input: { ...written({ S: task() }, whole), edges: {} }, codes: ["missing_edges"] },
    { name: "an edge that is none", input: { ...written({ S: task() }, whole), edges: [7] }, has: "invalid_edge" },
    {
      name: "an edge from nowhere",
      input: { ...written({ S: task() }, whole), edges: [{ to: "S" }] },
      has: "unknown_source",
    },
    {
      name: "an edge to nowhere",
      input: { ...written({ S: task() }, whole), edges: [{ from: "S", to: 7 }] },
      has: "unknown_target",
    },
    {
      name: "an edge whose on_failure is that of a plan",
      input: {
        ...written({ S: task() }, whole),
        edges: written({ S: task() }, whole).edges.map((edge) => ({ ...edge, on_failure: "retry" })),
      },
      codes: ["invalid_property", "invalid_property", "invalid_property"],
    },
    {
      name: "a name that is no text",
      input: { ...written({ S: task() }, whole), name: 7 },
      codes: ["invalid_property"],
    },
  ])("$name", ({ input, codes, has }) => {
    const found = errorsOf(input).sort();
    if (codes) expect(found).toEqual(codes);
    else expect(found).toContain(has);
  });

  test("with all its mistakes together, each with its place and what is expected", () => {
    const read = parseDefinition(
      written({ S: task({ maxRetries: -1 }), T: gate({ name: "" }) }, [
        ...whole,
        ["S", "gone", "passed"],
        ["S", "T", "odd"],
      ]),
    );
    expect(read).toMatchObject({
      ok: false,
      fail: {
        reason: "invalid_workflow",
        message: expect.stringContaining("The definition has 5 mistakes: "),
        details: {
          issues: [
            { code: "invalid_max_retries", nodeId: "S", message: expect.stringContaining("whole number, 0 or more") },
            { code: "name_required", nodeId: "T" },
            {
              code: "unknown_target",
              edgeIndex: 3,
              message: expect.stringContaining("Nodes: start, done, human, S, T"),
            },
            { code: "dead_end", nodeId: "T" },
            { code: "output_not_declared", nodeId: "S", edgeIndex: 4 },
          ],
        },
      },
    });
  });

  test("an on_failure that no edge has, with the edge and what is expected", () => {
    const { edges, ...rest } = written({ S: task() }, whole);
    const read = parseDefinition({ ...rest, edges: [...edges.slice(0, 2), { ...edges[2], on_failure: "retry" }] });
    expect(read).toMatchObject({
      fail: {
        details: {
          issues: [
            {
              code: "invalid_property",
              edgeIndex: 2,
              message: 'edges[2]: on_failure must be "undo" or left out, got "retry".',
            },
          ],
        },
      },
    });
  });

  test("a name that differs only in case is suggested", () => {
    const read = parseDefinition(written({ S: task() }, [...whole, ["S", "Done", "passed"]]));
    expect(read.ok ? "" : read.fail.message).toContain('Did you mean "done"?');
  });
});
