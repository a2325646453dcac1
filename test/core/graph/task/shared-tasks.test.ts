import type { Definition } from "../../../../src/core/graph/definition/schema";
import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { parseTask } from "../../../../src/core/graph/task/task-input";
import { definitionOf, describeShared, sharedDefinitions, sharedTasks } from "../definition/shared-data";
import { SCRIPTS, type Script } from "./shared-scripts";

const definitions = new Map(
  sharedDefinitions
    .filter(({ file }) => file.startsWith("workflows/"))
    .map((one): [string, Definition] => [one.id, definitionOf(one)]),
);
const definitionFor = (workflowType: string): Definition => definitions.get(workflowType) as Definition;

function told(task: Task, said: string): Task {
  const definition = definitionFor(task.workflowType);
  return said
    .split(" ")
    .filter((result) => result !== "")
    .reduce((current, result) => {
      const moved = advanceTask(definition, current, result === "-" ? {} : { result }, current.updatedAt + 1);
      if (!moved.ok) throw new Error(moved.fail.message);
      expect(moved.answer).toMatchObject({ success: true });
      return moved.task;
    }, task);
}

describeShared("the shared tasks (skipped when absent)", () => {
  test("the tasks each have a script", () => {
    expect(sharedTasks.map(({ id }) => id)).toEqual(Object.keys(SCRIPTS));
  });

  test.each(sharedTasks.map((input) => [input.id, input] as const))("%s reaches its end", (id, input) => {
    const { said, way, ends } = SCRIPTS[id] as Script;
    const read = parseTask(input, definitionFor(input.workflowType), 1);
    if (!read.ok) throw new Error(read.fail.message);
    // Its orchestrator loads it again when the waiting is over.
    const loaded: Task = read.value.status === "PAUSED" ? { ...read.value, status: "PENDING" } : read.value;
    const task = told(loaded, said);
    expect(task.history.map(({ to }) => to).join(" ")).toBe(way);
    expect(task).toMatchObject(ends);
  });

  test("a paused task and an ended task are refused as loaded", () => {
    const refused = (id: string) => {
      const read = parseTask(
        sharedTasks.find((one) => one.id === id),
        undefined,
        1,
      );
      const moved = read.ok && advanceTask(definitionFor("incident-response"), read.value, { result: "passed" }, 2);
      return moved && !moved.ok ? moved.fail.reason : null;
    };
    expect([refused("task-012"), refused("task-011")]).toEqual(["task_paused", "task_closed"]);
  });

  test.each([
    { branch: "api", said: "failed passed failed passed passed", ends: { currentStep: "merge", status: "COMPLETED" } },
    { branch: "api", said: "failed failed failed", ends: { currentStep: "parts_missing", status: "HITL" } },
    { branch: "web", said: "-", ends: { currentStep: "merge", status: "COMPLETED" } },
    { branch: "copy", said: "failed", ends: { currentStep: "merge", status: "COMPLETED" } },
  ])("a branch at $branch with result $said ends at $ends.currentStep", ({ branch, said, ends }) => {
    const definition = definitionFor("loyalty-feature");
    const input = { id: `task-004/${branch}`, issueId: "LOY-12", workflowType: "loyalty-feature", branch };
    const child = newTask({ ...input, currentStep: branch, parentTaskId: "task-004" }, definition, 1);
    expect(told(child, said)).toMatchObject(ends);
  });

  test("a subflow's workflow reaches each of its ends", () => {
    const check = (said: string) =>
      told(
        newTask({ id: "t", issueId: "i", workflowType: "identity-check" }, definitionFor("identity-check"), 1),
        said,
      );
    expect(check("- clear failed passed")).toMatchObject({ currentStep: "confirmed", status: "COMPLETED" });
    expect(check("- near_hit passed passed")).toMatchObject({ currentStep: "confirmed", status: "COMPLETED" });
    expect(check("- near_hit failed")).toMatchObject({ currentStep: "refused", status: "FAILED" });
    expect(check("- clear failed failed")).toMatchObject({ currentStep: "unclear", status: "HITL" });
  });
});
