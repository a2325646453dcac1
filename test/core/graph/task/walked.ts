import type { Definition } from "../../../../src/core/graph/definition/schema";
import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { reviewed } from "../definition/definitions";

export const begin = (flow: Definition = reviewed): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id }, flow, 0);

/** A task that was told each result in turn; undefined = nothing said. */
export function walked(results: (string | undefined)[], flow = reviewed): Task {
  return results.reduce<Task>((current, result) => {
    const moved = advanceTask(flow, current, result === undefined ? {} : { result }, current.history.length + 1);
    if (!moved.ok) throw new Error(moved.fail.message);
    return moved.task;
  }, begin(flow));
}
