import { graphDrawing } from "../../../../src/core/graph/show/drawing";
import { taskWay } from "../../../../src/core/graph/show/task-way";
import { definition, gate, reviewed, task } from "../definition/definitions";
import { walked } from "../task/walked";

describe("what there is to draw of a graph", () => {
  test("every node and edge is there once, the start first, with the edges that go back marked", () => {
    const { nodes, edges } = graphDrawing(reviewed);
    expect(nodes.map(({ id }) => id)).toEqual(["start", "build", "review", "done", "human"]);
    expect(nodes[0]).toMatchObject({ id: "start", type: "start", level: 0 });
    expect(edges.map(({ number, from, to }) => `${number} ${from} ${to}`)).toEqual(
      reviewed.edges.map(({ from, to }, i) => `${i} ${from} ${to}`),
    );
    expect(edges.filter(({ back }) => back !== undefined)).toEqual([
      { number: 3, from: "review", to: "build", on: "failed", back: "retry" },
      { number: 5, from: "human", to: "build", on: "passed", back: "recovery" },
    ]);
  });

  test("a node says who works there, how often it is tried again, and who is asked", () => {
    const flow = definition({ S: task({ name: "Do", agent: "dev", stage: "make", maxRetries: 2 }), G: gate() }, [
      ["start", "S"],
      ["S", "G", "passed"],
      ["S", "human", "failed"],
      ["G", "done"],
    ]);
    const { nodes } = graphDrawing(flow);
    expect(nodes.find(({ id }) => id === "S")).toMatchObject({
      name: "Do",
      agent: "dev",
      stage: "make",
      caption: ["dev"],
      maxRetries: 2,
      begins: null,
    });
    expect(nodes.find(({ id }) => id === "G")).toMatchObject({ color: "gate", begins: "gateReview" });
  });

  test("a node may have the name of something that every object has", () => {
    const flow = definition({ constructor: task() }, [
      ["start", "constructor"],
      ["constructor", "done"],
    ]);
    expect(graphDrawing(flow).nodes.map(({ id }) => id)).toContain("constructor");
    expect(taskWay(flow, walked([undefined], flow)).nodes.map(({ id }) => id)).toEqual(["start", "constructor"]);
  });
});

describe("the way of a task", () => {
  test("counts visits, taken edges and retries, in the order of the moves", () => {
    const way = taskWay(reviewed, walked([undefined, "passed", "failed", "passed", "failed"]));
    expect(way.currentStep).toBe("build");
    expect(way.nodes).toEqual([
      { id: "start", visits: 1, retriesUsed: 0, retriesLeft: 0 },
      { id: "build", visits: 3, retriesUsed: 0, retriesLeft: 0 },
      { id: "review", visits: 2, retriesUsed: 2, retriesLeft: 1 },
    ]);
    expect(way.edges).toEqual([
      { number: 0, taken: 1, last: 1 },
      { number: 1, taken: 2, last: 4 },
      { number: 3, taken: 2, last: 5 },
    ]);
    expect(way.moves.map(({ number, step, edge, action }) => [number, step, edge, action])).toEqual([
      [1, "start", 0, "unconditional"],
      [2, "build", 1, "conditional"],
      [3, "review", 3, "retry"],
      [4, "build", 1, "conditional"],
      [5, "review", 3, "retry"],
    ]);
  });

  test("a task that has not moved is where it began", () => {
    expect(taskWay(reviewed, walked([]))).toMatchObject({
      nodes: [{ id: "start", visits: 1 }],
      edges: [],
      moves: [],
      earlierMoves: 0,
    });
  });

  test("of many moves the last are listed, and the others are counted", () => {
    const way = taskWay(reviewed, walked([undefined, "passed", "failed"]), 1);
    expect(way.moves.map(({ number }) => number)).toEqual([3]);
    expect(way.earlierMoves).toBe(2);
    expect(way.edges).toHaveLength(3);
  });
});
