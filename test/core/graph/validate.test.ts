import type { Loaded } from "../../../src/core/graph/check-subflows";
import { parseDefinition } from "../../../src/core/graph/parse";
import { type Arrow, definition, gate, parsed, task, written } from "./definitions";

/** What a definition is refused or warned for (navigator reference, section 2). */
type Nodes = { [id: string]: object | null };
const codesOf = (list: unknown): string[] => (list as { code: string }[]).map(({ code }) => code);

function errorsOf(input: unknown, loaded?: Loaded): string[] {
  const read = parseDefinition(input, undefined, loaded);
  return read.ok ? [] : codesOf(read.fail.details?.issues);
}
const warningsOf = (nodes: Nodes, arrows: Arrow[]) => codesOf(parsed(written(nodes, arrows)).warnings);

const whole: Arrow[] = [
  ["start", "S"],
  ["S", "done", "passed"],
  ["S", "human", "failed"],
];
const fork = (more: object = {}) => ({ type: "fork", join: "merge", ...more });
const merge = { type: "join", fork: "split" };
const forked: Arrow[] = [
  ["start", "split"],
  ["split", "a"],
  ["split", "b"],
  ["a", "merge"],
  ["b", "merge"],
  ["merge", "done", "passed"],
  ["merge", "human", "failed"],
];
const branches: Nodes = { split: fork(), a: task(), b: task(), merge };

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
      name: "a name that is no text",
      input: { ...written({ S: task() }, whole), name: 7 },
      codes: ["invalid_property"],
    },
  ])("$name", ({ input, codes, has }) => {
    const found = errorsOf(input).sort();
    if (codes) expect(found).toEqual(codes);
    else expect(found).toContain(has);
  });

  test("with all its mistakes at once, each with its place and what would be right", () => {
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

  test("a name that differs in case only is guessed", () => {
    const read = parseDefinition(written({ S: task() }, [...whole, ["S", "Done", "passed"]]));
    expect(read.ok ? "" : read.fail.message).toContain('Did you mean "done"?');
  });
});

describe("warned of:", () => {
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
  ])("nothing: $name", ({ nodes = { S: task() }, arrows }) => expect(warningsOf(nodes, arrows)).toEqual([]));

  test("properties nobody knows are kept and handed on", () => {
    const read = parsed({ ...written({ S: task({ colour: "red" }) }, whole), owner: "anna" });
    expect(read.definition).toMatchObject({ owner: "anna", nodes: { S: { colour: "red" } } });
    expect(codesOf(read.warnings)).toEqual(["unknown_property", "unknown_property"]);
  });
});

describe("the id", () => {
  const named = (id: unknown) => ({ ...written({ S: task() }, whole), id });
  test.each<[unknown, string | undefined, string]>([
    [undefined, undefined, "invalid_id"],
    ["Bug-Fix", undefined, "invalid_id"],
    ["2nd", undefined, "invalid_id"],
    [7, undefined, "invalid_id"],
    [undefined, "a b", "invalid_id"],
    ["bug-fix", "hot-fix", "id_mismatch"],
  ])("%j, loaded as %j: %s", (id, argument, reason) =>
    expect(parseDefinition(named(id), argument)).toMatchObject({ ok: false, fail: { reason } }),
  );

  test.each<[unknown, string | undefined]>([
    ["bug-fix", undefined],
    [undefined, "bug-fix"],
    ["bug-fix", "bug-fix"],
  ])("%j, loaded as %j: bug-fix, and its name unless it has one", (id, argument) => {
    const read = parseDefinition(named(id), argument);
    expect(read).toMatchObject({
      ok: true,
      value: { definition: { id: "bug-fix", name: "bug-fix", description: "" } },
    });
  });
});

describe("subflows", () => {
  const calling = (id: string, workflow: string) => ({
    ...written({ S: { type: "subflow", workflow } }, whole),
    id,
  });
  const loaded = (...definitions: object[]): Loaded =>
    new Map(definitions.map((one) => parsed(one).definition).map((one) => [one.id, one]));

  test.each([
    { name: "to itself", load: calling("a", "a"), there: [] },
    { name: "through another", load: calling("a", "b"), there: [calling("b", "a")] },
    { name: "through two others", load: calling("a", "b"), there: [calling("b", "c"), calling("c", "a")] },
  ])("that lead back are refused: $name", ({ load, there }) => {
    expect(errorsOf(load, loaded(...there))).toEqual(["subflow_cycle"]);
  });

  test("of workflows not loaded yet are warned of, where it is known what is loaded", () => {
    expect(codesOf(parsed(calling("a", "b"), loaded()).warnings)).toEqual(["subflow_not_loaded"]);
    expect(codesOf(parsed(calling("a", "b")).warnings)).toEqual([]);
    expect(codesOf(parsed(calling("a", "b"), loaded(calling("b", "c"))).warnings)).toEqual([]);
  });

  test("that go round elsewhere do not keep the check busy for ever", () => {
    const round = { ...calling("b", "c") };
    expect(errorsOf(calling("a", "b"), loaded(round, calling("c", "b")))).toEqual([]);
  });
});

test("reading changes nothing in what it is given", () => {
  const input = written({ S: task({ outputs: ["passed", "failed"] }) }, whole);
  const copy = JSON.stringify(input);
  parseDefinition(input);
  expect(JSON.stringify(input)).toBe(copy);
  expect(definition({ S: task() }, whole).nodes.S).not.toHaveProperty("outputs");
});
