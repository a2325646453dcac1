import type { Task } from "../../core/graph/task/task";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { listen } from "./listen";
import { TaskWorkflow } from "./task-workflow";

/**
 * One task on one graph: moves it node by node, counts retries, opens reviews, runs agents and begins tasks for branches
 * and subflows (engine reference, section 7). The core says what should be done next; this workflow does it and reports
 * what came of it. The result is the task as it ended.
 */
export async function navigatorTask(input: NavigatorTaskInput): Promise<Task> {
  const workflow = new TaskWorkflow(input);
  listen(workflow);
  return workflow.run();
}
