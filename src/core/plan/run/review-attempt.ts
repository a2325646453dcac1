import { prettyText } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";
import { expandedInput } from "../definition/templates";
import { dependsOf, type TaskWorld } from "./plan-agents";
import type { PendingReview } from "./result";
import { entryOf } from "./run-state";
import type { Attempted } from "./task-attempts";
import type { TaskPort } from "./task-port";

/**
 * What people said (plan reference, section 4.5). A decision that was given beforehand answers once where they can be
 * asked again: a second attempt means that it would not do.
 */
export async function reviewAttempt(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  attempt: number,
): Promise<Attempted> {
  const given = entryOf(port.reviews, task.id);
  if (given !== undefined && (attempt === 1 || !port.waitsForReviews)) return { kind: "value", value: given };
  const pending = pendingReview(world, task);
  if (!port.waitsForReviews) return { kind: "waiting", pending, duration_ms: 0 };
  return { kind: "value", value: await port.review(pending, attempt) };
}

function pendingReview({ results }: TaskWorld, task: PlanTask): PendingReview {
  return {
    task_id: task.id,
    prompt: prettyText(expandedInput(task.input, results)),
    context: { depends_on: task.depends_on, upstream_results: dependsOf(task, results) },
  };
}
