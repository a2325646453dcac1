import type { Client } from "@temporalio/client";
import type { ProjectName } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { Review } from "../core/review/review";
import { reviewsQuery } from "../workflows/messages";
import { askQuery, askQuerySoon } from "./ask-query";
import { ask } from "./errors";
import { atOrBelow, inProject } from "./project-filter";

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

/** Queries at a time. */
const AT_ONCE = 16;

/**
 * The open reviews of one workflow, of a workflow and all runs below it (`within`), or of all running tasks. The list of workflows is eventually consistent, so each
 * one on it is asked itself, for a short time; one that cannot answer does not hide the others. If nobody serves its task
 * queue, the others of that queue are not asked.
 */
export async function readInbox(
  { temporal, project }: { temporal: Client; project: ProjectName },
  { only: workflowId, within }: { only?: string | undefined; within?: string | undefined },
): Promise<Inbox> {
  if (workflowId !== undefined)
    return {
      open: openOf(workflowId, await askQuery(temporal.workflow.getHandle(workflowId), reviewsQuery)),
      unanswered: [],
    };
  const inbox: Inbox = { open: [], unanswered: [] };
  const listed = await waiting(temporal, within === undefined ? inProject(project) : atOrBelow(within));
  const silent = new Set<string>();
  for (let at = 0; at < listed.length; at += AT_ONCE)
    await Promise.all(listed.slice(at, at + AT_ONCE).map((one) => addTo(inbox, temporal, one, silent)));
  inbox.open.sort(byAge);
  return inbox;
}

async function addTo(
  inbox: Inbox,
  temporal: Client,
  { workflow_id, queue }: Listed,
  silent: Set<string>,
): Promise<void> {
  try {
    const reviews = silent.has(queue)
      ? undefined
      : await askQuerySoon(temporal.workflow.getHandle(workflow_id), reviewsQuery);
    if (reviews !== undefined) return void inbox.open.push(...openOf(workflow_id, reviews));
    silent.add(queue);
    const message = `No worker answered: none serves the task queue "${queue}", or it is stuck.`;
    inbox.unanswered.push({ workflow_id, code: "no_worker", message });
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    inbox.unanswered.push({ workflow_id, code: error.code, message: error.message });
  }
}

/** Oldest question first. */
function byAge(a: OpenReview, b: OpenReview): number {
  return a.review.createdAt - b.review.createdAt;
}

/** A workflow that has open reviews, and who serves it. */
interface Listed {
  workflow_id: string;
  queue: string;
}

async function waiting(temporal: Client, among: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  await ask(async () => {
    for await (const { workflowId, taskQueue } of temporal.workflow.list({
      query: `${ATTRIBUTE.openReviews} > 0 AND ExecutionStatus = "Running" AND ${among}`,
    }))
      listed.push({ workflow_id: workflowId, queue: taskQueue });
  });
  return listed;
}

function openOf(workflow_id: string, reviews: readonly Review[]): OpenReview[] {
  return reviews.filter((review) => review.status === "open").map((review) => ({ workflow_id, review }));
}
