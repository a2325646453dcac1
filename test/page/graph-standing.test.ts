import { standingOf, standingOfTask } from "../../page/src/drawing/graph-standing";
import type { DrawnTask } from "../../src/client/tasks/drawn-task";
import type { Definition } from "../../src/core/graph/definition/schema";
import { graphDrawing } from "../../src/core/graph/show/drawing";
import { taskWay } from "../../src/core/graph/show/task-way";
import type { Task } from "../../src/core/graph/task/task-schema";
import { reviewed } from "../core/graph/definition/definitions";
import { walked } from "../core/graph/task/walked";

function drawn(task: Task, more: Partial<DrawnTask> = {}, definition: Definition = reviewed): DrawnTask {
  return {
    task_id: task.id,
    workflow_id: `task/${task.id}`,
    graph: graphDrawing(definition),
    way: taskWay(definition, task),
    children: [],
    reviews: [],
    ...more,
  };
}
const kinds = (task: DrawnTask) =>
  Object.fromEntries(task.graph.nodes.map(({ id }) => [id, standingOf(standingOfTask(task), id).kind]));

test("nodes behind the task are marked, the one where it is, and those that it has not reached", () => {
  expect(kinds(drawn(walked([undefined, "passed"])))).toEqual({
    start: "was",
    build: "was",
    review: "here",
    done: "idle",
    human: "idle",
  });
});

test("where a person is asked, the drawing says so and not that work is done", () => {
  const task = drawn(walked([undefined, "passed"]), { reviews: [{ id: "r", title: "Look", step: "review" }] });
  expect(kinds(task).review).toBe("asks");
});

test("a way back after a failure says how many retries are used, and how often it was taken", () => {
  const { edges, nodes } = standingOfTask(drawn(walked([undefined, "passed", "failed", "passed", "failed"])));
  expect(edges.get(3)).toEqual({ taken: 2, retries: "retry 2 of 3" });
  expect(nodes.get("review")).toMatchObject({ kind: "was", visits: 2, retriesUsed: 2, retriesLeft: 1 });
});

test("a task that somebody terminated is marked where it stood", () => {
  const task = drawn(walked([undefined]), { stopped: "terminated" });
  expect(standingOf(standingOfTask(task), "build")).toMatchObject({
    kind: "broken",
    text: "the task was terminated here",
  });
});

test.each([
  { results: [undefined, "passed", "passed"], node: "done", mark: "◉", kind: "was" },
  {
    results: [undefined, "passed", "failed", "passed", "failed", "passed", "failed", "passed", "failed"],
    node: "human",
    mark: "?",
    kind: "asks",
  },
])("after $results the task is at $node, as $kind", ({ results, node, mark, kind }) => {
  expect(standingOf(standingOfTask(drawn(walked(results))), node)).toMatchObject({ mark, kind });
});
