import { defined } from "../core/base/defined";
import { ownerOfReview, ownerWorkflowId, type ProjectName, reviewIdIn } from "../core/base/ids";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import type { Review } from "../core/review/review";
import type { OpenReview } from "./inbox";
import type { InboxListOptions, InboxPage } from "./inbox-page";

/** What a review is looked for with: a client. */
export interface ReviewSource {
  readonly project: ProjectName;
  openReviews(filter?: { workflow?: string }): Promise<{ open: OpenReview[] }>;
  inbox(options: InboxListOptions): Promise<Pick<InboxPage, "items" | "next">>;
  reviewed(workflowId: string): { reviews(): Promise<Review[]> };
}

/**
 * Finds a review, open or closed. An open one stands in the memo of its workflow, and needs no worker; its workflow
 * returns a closed one.
 *
 * @param named the task that it belongs to, if known; otherwise the task that its id begins with is tried first
 * @throws NavigatorError `review_not_found`; `no_worker` if it is not open, and there is no worker
 */
export async function findReview(client: ReviewSource, given: string, named?: string): Promise<OpenReview> {
  const id = reviewIdIn(client.project, given);
  const owner = named ?? ownerOfReview(id);
  const there =
    owner === undefined
      ? undefined
      : await reviewOf(client, ownerWorkflowId(owner, client.project), id, named !== undefined);
  if (there) return there;
  const { found, open } = named === undefined ? await listedReview(client, id) : { found: undefined, open: [] };
  if (found) return found;
  throw new NavigatorError(
    "review_not_found",
    `There is no review "${given}"${named === undefined ? "" : ` of task ${named}`}.`,
    { hint: open.length === 0 ? "List the open reviews: navigator review list" : `Open: ${open.join(", ")}` },
  );
}

/** A missing task is an error only if it was named: the id may only look as if it began with a task. */
async function reviewOf(
  client: ReviewSource,
  workflowId: string,
  id: string,
  named: boolean,
): Promise<OpenReview | undefined> {
  try {
    const { open } = await client.openReviews({ workflow: workflowId });
    const found = open.find(({ review }) => review.id === id);
    if (found) return found;
    const review = (await client.reviewed(workflowId).reviews()).find((one) => one.id === id);
    return review && { workflow_id: workflowId, review };
  } catch (error) {
    if (!named && isAbsent(error)) return undefined;
    throw error;
  }
}

/** Ids that a message names. */
const NAMED_IDS = 20;

/** Looks through the whole inbox: the review's id does not name its workflow. Otherwise some that are open. */
async function listedReview(client: ReviewSource, id: string): Promise<{ found?: OpenReview; open: string[] }> {
  let page: string | undefined;
  do {
    const { items, next } = await client.inbox({ text: id, ...defined({ page }) });
    const item = items.find(({ review }) => review?.id === id);
    if (item?.review) return { found: { workflow_id: item.workflow_id, review: item.review }, open: [] };
    page = next;
  } while (page !== undefined);
  const { items } = await client.inbox({ size: NAMED_IDS });
  return { open: items.flatMap(({ review }) => (review === undefined ? [] : [review.id])).slice(0, NAMED_IDS) };
}
