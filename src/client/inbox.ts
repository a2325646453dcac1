import type { Client } from "@temporalio/client";
import type { ProjectName } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { Review } from "../core/review/review";
import { reviewsQuery } from "../workflows/messages";
import { askQuery } from "./ask-query";
import { ask } from "./errors";
import { inProject } from "./project-filter";

/** The reviews that wait for a person. */
export interface Inbox {
  open: OpenReview[];
  /** Tasks that wait for a person but could not be asked: they have no worker, or its code fails on them. */
  unanswered: { workflow_id: string; code: string; message: string }[];
}

/** A review that waits for a decision, and the workflow that asked for it. */
export interface OpenReview {
  workflow_id: string;
  review: Review;
}

/** Queries at a time: an unanswered one takes the server ten seconds. */
const AT_ONCE = 16;

/**
 * The open reviews of one workflow, or of all running tasks. The list of workflows is eventually consistent, so each
 * one on it is asked itself; one that cannot answer does not hide the others.
 */
export async function readInbox(
  { temporal, project }: { temporal: Client; project: ProjectName },
  workflowId: string | undefined,
): Promise<Inbox> {
  if (workflowId !== undefined)
    return { open: openOf(workflowId, await reviewsOf(temporal, workflowId)), unanswered: [] };
  const inbox: Inbox = { open: [], unanswered: [] };
  const ids = await waiting(temporal, project);
  for (let at = 0; at < ids.length; at += AT_ONCE)
    await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => addTo(inbox, temporal, id)));
  inbox.open.sort(byAge);
  return inbox;
}

async function addTo(inbox: Inbox, temporal: Client, workflow_id: string): Promise<void> {
  try {
    inbox.open.push(...openOf(workflow_id, await reviewsOf(temporal, workflow_id)));
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    inbox.unanswered.push({ workflow_id, code: error.code, message: error.message });
  }
}

/** Oldest question first. */
function byAge(a: OpenReview, b: OpenReview): number {
  return a.review.createdAt - b.review.createdAt;
}

async function waiting(temporal: Client, project: ProjectName): Promise<string[]> {
  const ids: string[] = [];
  await ask(async () => {
    for await (const { workflowId } of temporal.workflow.list({
      query: `${ATTRIBUTE.openReviews} > 0 AND ExecutionStatus = "Running" AND ${inProject(project)}`,
    }))
      ids.push(workflowId);
  });
  return ids;
}

function reviewsOf(temporal: Client, workflowId: string): Promise<Review[]> {
  return askQuery(temporal.workflow.getHandle(workflowId), reviewsQuery);
}

function openOf(workflow_id: string, reviews: readonly Review[]): OpenReview[] {
  return reviews.filter((review) => review.status === "open").map((review) => ({ workflow_id, review }));
}
