import type { Priority } from "@temporalio/common";
import type { Task } from "../../core/graph/task/task";

const MAX_FAIRNESS_CHARS = 64;

/**
 * A task's priority as a Temporal priority: the order in which busy workers take its workflow tasks and activities; 3
 * is the middle. Tasks of one issue share the workers with those of other issues, so that one issue cannot starve the
 * rest.
 */
export function workflowPriority({ priority, issueId }: Pick<Task, "priority" | "issueId">): Priority {
  const priorityKey = priority >= 100 ? 1 : priority > 0 ? 2 : priority === 0 ? 3 : priority > -100 ? 4 : 5;
  return { priorityKey, fairnessKey: withinBytes(issueId) };
}

/** The server refuses longer ones. */
function withinBytes(text: string): string {
  let cut = text.slice(0, MAX_FAIRNESS_CHARS);
  while (new TextEncoder().encode(cut).length > MAX_FAIRNESS_CHARS) cut = cut.slice(0, -1);
  return cut;
}
