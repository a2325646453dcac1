import { renderWay } from "../core/graph/diagram";
import type { Definition } from "../core/graph/schema";
import type { Task } from "../core/graph/task";
import type { Review } from "../core/review/review";

/** A task as a person reads it: the way taken, where it is, what it waits for. */
export function taskText(definition: Definition, task: Task, reviews: readonly Review[]): string {
  const open = reviews.filter((review) => review.status === "open");
  const decided = reviews.filter((review) => review.decision !== undefined);
  return [
    `${task.id} on ${task.workflowType}: ${task.status} at "${task.currentStep}"`,
    "",
    renderWay(definition, task),
    ...(decided.length > 0 ? ["", "Decided by people:"] : []),
    ...decided.map(
      (review) =>
        `  ${review.title}: ${review.decision?.choice} (${review.decision?.by}${review.decision?.note ? `, ${review.decision.note}` : ""})`,
    ),
    ...(open.length > 0 ? ["", "Waiting for a person:"] : []),
    ...open.map((review) => `  ${review.title}  [${review.id}]  ${review.choices.join(" | ")}`),
  ].join("\n");
}
