import { presentFormat } from "../../core/base/run-format";
import type { Task } from "../../core/graph/task/task";
import { isTaskResult } from "../start/kept-result";
import { checkedTask, type TaskToRun } from "../start/sendable";
import { startOfTask } from "../start/work-start";
import {
  asFailure,
  type ChildWorkOptions,
  keptResult,
  projectOfChild,
  shareOfChild,
  startChildWork,
  withoutChildOptions,
} from "./child-work";

/** A task on a graph, and how it is started. */
export interface RunTask extends TaskToRun, ChildWorkOptions {}

/**
 * Runs a task on a graph as a child workflow of the calling workflow, and returns the task with its final `status`. The
 * task's `id` is its run id. A failed task is returned, too.
 *
 * @throws ApplicationFailure, which no policy retries, with a code as its `type`: `invalid_task` with every mistake,
 * `id_in_use`, `invalid_input`, `payload_too_large`
 */
export function runChildTask(options: RunTask): Promise<Task> {
  return asFailure(async () => {
    const { child, rest } = withoutChildOptions(options);
    const start = startOfTask(projectOfChild(child), { ...presentFormat(), ...checkedTask(rest) }, shareOfChild(child));
    const run = await startChildWork<Task, unknown>("navigatorTask", start, child);
    return keptResult(() => run.result(), isTaskResult);
  });
}
