import { ownerOfReview, ownerWorkflowId, reviewIdIn } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import type { Review } from "../core/review/review";
import type { NavigatorClient } from "./client";
import { isAbsent } from "./errors";
import type { OpenReview } from "./inbox";

/**
 * Finds a review, open or closed; its task reports the outcome of a closed one.
 *
 * @param named the task that it belongs to, if known; otherwise the task that its id begins with is tried first
 * @throws NavigatorError `review_not_found`
 */
export async function findReview(client: NavigatorClient, given: string, named?: string): Promise<OpenReview> {
  const id = reviewIdIn(client.project, given);
  const owner = named ?? ownerOfReview(id);
  const workflow_id = owner === undefined ? undefined : ownerWorkflowId(owner);
  const there = workflow_id === undefined ? [] : await reviewsOf(client, workflow_id, named !== undefined);
  const review = there.find((one) => one.id === id);
  if (review && workflow_id !== undefined) return { workflow_id, review };
  const { open } = await client.openReviews(named === undefined ? {} : { workflow: ownerWorkflowId(named) });
  const found = open.find((one) => one.review.id === id);
  if (found) return found;
  throw new NavigatorError(
    "review_not_found",
    `There is no review "${given}"${named === undefined ? "" : ` of task ${named}`}.`,
    {
      hint:
        open.length === 0
          ? "Nothing waits for a person right now."
          : `Open: ${open.map((one) => one.review.id).join(", ")}`,
    },
  );
}

/** A missing task is an error only if it was named: the id may only look as if it began with a task. */
async function reviewsOf(client: NavigatorClient, workflowId: string, named: boolean): Promise<Review[]> {
  try {
    return await client.reviewed(workflowId).reviews();
  } catch (error) {
    if (!named && isAbsent(error)) return [];
    throw error;
  }
}
