import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Definition, type Edge, edgesFrom, isEnd, type Node } from "../../../src/core/graph/definition/schema";
import { executionPlan } from "../../../src/core/graph/show/levels";
import { CATALOG_FOLDER, catalogWorkflows, listCatalog } from "../../../src/project/catalog";

/** The ready workflows are sound, and show all that a definition can say. */

const workflows = catalogWorkflows();
const definitions = workflows.map(({ definition }) => definition);
const agentFiles = readdirSync(path.join(CATALOG_FOLDER, "agents"));
const agentNames = agentFiles.map((file) => path.parse(file).name);

test("the catalog lists ten workflows by id, with what a reader needs to choose", () => {
  expect(listCatalog()).toHaveLength(10);
  expect(listCatalog().find(({ id }) => id === "quick-task")).toEqual({
    id: "quick-task",
    name: "Quick task",
    description: expect.stringContaining("need no design"),
    stepCount: 7,
    agents: ["planner", "developer", "tester"],
  });
});

describe.each(workflows)("$id", ({ id, file, definition, warnings }) => {
  test("loads without errors and warnings, under the name of its file", () => {
    expect(warnings).toEqual([]);
    expect(definition.id).toBe(id);
  });

  test("names only agents of the catalog, and files that exist in it or belong to the project", () => {
    for (const node of Object.values(definition.nodes)) {
      if (node.type !== "task" && node.type !== "gate") continue;
      if (node.agent !== undefined) expect(agentNames).toContain(node.agent);
      for (const name of node.context_files ?? [])
        if (name.startsWith("./")) expect(existsSync(path.join(path.dirname(file), name))).toBe(true);
    }
  });

  test("has an edge back from every end that asks a person, unless that person ends the task", () => {
    const asking = Object.entries(definition.nodes).filter(([, node]) => escalationOf(node) === "hitl");
    for (const [end] of asking) expect(edgesFrom(definition, end)).toEqual([expect.objectContaining({ on: "passed" })]);
  });

  test("has no side entry: a task's progress begins at the start", () =>
    expect(executionPlan(definition).levels[0]).toEqual(["start"]));

  test("keeps its branches apart: a branch reaches steps outside only through the join", () => {
    for (const [fork, node] of Object.entries(definition.nodes)) {
      if (node.type !== "fork") continue;
      const branches = edgesFrom(definition, fork).map((edge) => stepsFrom(definition, edge.to, node.join));
      for (const [i, steps] of branches.entries())
        for (const other of branches.slice(i + 1)) expect(steps.filter((step) => other.includes(step))).toEqual([]);
    }
  });
});

const escalationOf = (node: Node) => (node.type === "end" ? node.escalation : undefined);

function stepsFrom(definition: Definition, entry: string, join: string): string[] {
  const reached = new Set([entry]);
  // A set grows while it is walked.
  for (const step of reached) for (const { to } of edgesFrom(definition, step)) if (to !== join) reached.add(to);
  return [...reached];
}

test("a workflow uses every agent", () => {
  const named = new Set(listCatalog().flatMap(({ agents }) => agents));
  expect([...named].sort()).toEqual([...agentNames].sort());
});

describe("the catalog shows every feature of definitions:", () => {
  const nodes = definitions.flatMap((definition) => Object.values(definition.nodes));
  const steps = definitions.flatMap((definition) =>
    Object.keys(definition.nodes).map((step) => ({ definition, edges: edgesFrom(definition, step) })),
  );
  const failedTo = ({ definition, edges }: { definition: Definition; edges: readonly Edge[] }) =>
    edges.filter(({ on }) => on === "failed").map(({ to }) => isEnd(definition, to));
  const exceeded = ({ edges }: { edges: readonly Edge[] }) => edges.some(({ on }) => on === "max_retries_exceeded");

  test.each(["start", "end", "task", "gate", "fork", "join", "subflow"])("the node %s", (type) =>
    expect(nodes.some((node) => node.type === type)).toBe(true),
  );
  test.each(["hitl", "alert", "ticket"])("ends that escalate to %s", (escalation) =>
    expect(nodes.some((node) => escalationOf(node) === escalation)).toBe(true),
  );
  test.each(["success", "failure", "blocked", "cancelled"])("ends with %s", (result) =>
    expect(nodes.some((node) => node.type === "end" && node.result === result)).toBe(true),
  );
  test.each(["stage", "emoji", "instructions", "outputs", "maxRetries", "context_files", "config", "review"])(
    "steps with %s",
    (property) => expect(nodes.some((node) => property in node)).toBe(true),
  );
  test.each([["maxConcurrency"], ["branches"], ["strategy"], ["inputs"]])(
    "forks, joins and subflows with %s",
    (property) => expect(nodes.some((node) => property in node)).toBe(true),
  );
  test("retries by two edges on failed, one of them to an end", () =>
    expect(steps.some((step) => failedTo(step).includes(true) && failedTo(step).includes(false))).toBe(true));
  test("retries with an edge for when they are used up", () =>
    expect(steps.some((step) => failedTo(step).includes(false) && exceeded(step))).toBe(true));
  test("retries in place", () =>
    expect(
      definitions.some((definition) =>
        Object.entries(definition.nodes).some(([id, node]) => {
          const ways = failedTo({ definition, edges: edgesFrom(definition, id) });
          return "maxRetries" in node && ways.length === 1 && ways[0] === true;
        }),
      ),
    ).toBe(true));
});
