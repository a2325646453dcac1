import { ownerOfReview, ownerWorkflowId } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import type { Review } from "../core/review/review";
import type { NavigatorClient } from "./client";
import { isAbsent } from "./errors";
import type { OpenReview } from "./inbox";

/**
 * A review, open or not: what became of a closed one is said by its task.
 *
 * @param named the task it belongs to, where somebody said it; else the one that its id begins with is tried first
 * @throws NavigatorError `review_not_found`
 */
export async function findReview(client: NavigatorClient, id: string, named?: string): Promise<OpenReview> {
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
    `There is no review "${id}"${named === undefined ? "" : ` of task ${named}`}.`,
    {
      hint:
        open.length === 0
          ? "Nothing waits for a person right now."
          : `Open: ${open.map((one) => one.review.id).join(", ")}`,
    },
  );
}

/** A task that is not there is a mistake only if it was named: an id may just look as if it began with one. */
async function reviewsOf(client: NavigatorClient, workflowId: string, named: boolean): Promise<Review[]> {
  try {
    return await client.reviewed(workflowId).reviews();
  } catch (error) {
    if (!named && isAbsent(error)) return [];
    throw error;
  }
}
