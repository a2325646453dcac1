import type { Task } from "../../core/graph/task/task";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { listen } from "./listen";
import { Walk } from "./task-machine";

/**
 * One task on one graph: walks it node by node, counts retries, opens reviews, runs agents and begins tasks for branches
 * and subflows. The core decides where to go; this workflow asks, waits and asks again. The result is the task as it
 * ended.
 */
export async function navigatorTask(input: NavigatorTaskInput): Promise<Task> {
  const walk = new Walk(input);
  listen(walk);
  return walk.run();
}
