import { defineGraph, definePlan } from "../../../src";

/** What the compiler refuses is refused here too: each `@ts-expect-error` is an error of its own if nothing is wrong. */

const nodes = {
  start: { type: "start" },
  review: { type: "gate", name: "Review", outputs: ["good", "bad"] },
  build: { type: "task", name: "Build", maxRetries: 1 },
  done: { type: "end", result: "success" },
  stopped: { type: "end", result: "failure" },
} as const;

test("a graph in code is the same as in a file", () => {
  const graph = defineGraph({
    id: "release",
    nodes: {
      start: { type: "start" },
      build: { type: "task", name: "Build", maxRetries: 1 },
      review: { type: "gate", name: "Review", outputs: ["good", "bad"] },
      done: { type: "end", result: "success" },
      stopped: { type: "end", result: "failure" },
    },
    edges: [
      { from: "start", to: "build" },
      { from: "build", to: "review", on: "passed" },
      { from: "build", to: "stopped", on: "max_retries_exceeded" },
      { from: "review", to: "done", on: "good" },
      { from: "review", to: "build", on: "bad" },
    ],
  });
  expect(defineGraph(JSON.parse(JSON.stringify(graph)))).toEqual(graph);
});

test("an edge to a node that is not there does not compile, and is refused", () => {
  expect(() =>
    defineGraph({
      id: "broken",
      nodes,
      edges: [
        { from: "start", to: "review" },
        // @ts-expect-error there is no node "elsewhere"
        { from: "review", to: "elsewhere", on: "good" },
        // @ts-expect-error the review has no result "maybe"
        { from: "review", to: "done", on: "maybe" },
      ],
    }),
  ).toThrow("elsewhere");
});

test("a fork names a join", () => {
  expect(() =>
    defineGraph({
      id: "forked",
      nodes: {
        start: { type: "start" },
        // @ts-expect-error "done" is no join
        split: { type: "fork", join: "done" },
        done: { type: "end", result: "success" },
      },
      edges: [{ from: "start", to: "split" }],
    }),
  ).toThrow();
});

test("a plan in code is the same as in a file", () => {
  const plan = definePlan({
    agents: { writer: { prompt: "Write." } },
    tasks: {
      total: { agent: "direct", type: "direct", input: "(+ 20 61)" },
      note: { agent: "writer", input: "It costs {{results.total}}.", depends_on: ["total"] },
      last: { agent: "writer", input: "{{results.total}} and {{results.note.text}}", depends_on: ["note"] },
    },
  });
  expect(definePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  expect(plan.tasks.map(({ id }) => id)).toEqual(["total", "note", "last"]);
});

test("a dependency that is not there, and an agent that is not there, do not compile", () => {
  expect(() =>
    definePlan({
      agents: { writer: { prompt: "Write." } },
      tasks: {
        // @ts-expect-error there is no task "totl"
        note: { agent: "writer", input: "x", depends_on: ["totl"] },
        total: { agent: "direct", type: "direct", input: "(+ 20 61)" },
      },
    }),
  ).toThrow("totl");
  expect(() =>
    definePlan({
      agents: { writer: { prompt: "Write." } },
      // @ts-expect-error there is no agent "writr"
      tasks: { note: { agent: "writr", input: "x" } },
    }),
  ).toThrow("writr");
});

test("a read of a result that is not depended on does not compile", () => {
  definePlan({
    tasks: {
      total: { agent: "direct", type: "direct", input: "(+ 20 61)" },
      // @ts-expect-error "total" may not be there yet
      note: { input: "It costs {{results.total}}." },
    },
  });
});

test("a list of tasks is checked in the same way", () => {
  const plan = definePlan({
    tasks: [
      { id: "total", agent: "direct", type: "direct", input: "(+ 20 61)" },
      { id: "note", input: "It costs {{results.total}}.", depends_on: ["total"] },
    ],
  });
  expect(plan.tasks).toHaveLength(2);
  definePlan({
    tasks: [
      { id: "total", agent: "direct", type: "direct", input: "(+ 20 61)" },
      // @ts-expect-error "total" may not be there yet
      { id: "note", input: "It costs {{results.total}}." },
    ],
  });
});

test("nodes and tasks that are made by a program have no checked names", () => {
  const steps = ["one", "two"];
  const plan = definePlan({
    tasks: steps.map((id, i) => ({ id, input: "x", depends_on: i === 0 ? [] : [steps[i - 1] as string] })),
  });
  expect(plan.tasks.map(({ depends_on }) => depends_on)).toEqual([[], ["one"]]);
});
