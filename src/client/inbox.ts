import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { defined } from "../core/base/defined";
import type { ProjectName } from "../core/base/ids";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import { type InboxItem, itemsOfMemo, reviewItem } from "../core/review/inbox/inbox-item";
import { hasVotes, mayHaveMoreUndelivered, shortReview } from "../core/review/inbox/short-review";
import type { Review } from "../core/review/review";
import { reviewsQuery } from "../workflows/messages";
import { askQuerySoon } from "./ask-query";
import { ask } from "./errors";
import { atOrBelow, inProject } from "./listing/project-filter";

/** The reviews that wait for a person. */
export interface Inbox {
  open: OpenReview[];
  /** Workflows with more open reviews than their memo has, and that could not be asked for the others. */
  unanswered: Unanswered[];
}

/** A review that waits for a decision, and the workflow that asked for it. */
export interface OpenReview {
  workflow_id: string;
  review: Review;
  /** No worker answers, and only the beginning of the body is known without one. */
  cut?: true;
  /** No worker answers, and of the votes so far only the choices are known: not the changes and the reasons. */
  bare_votes?: true;
}

/** A workflow that waits for a person, but could not be asked what else for: it has no worker, or its code fails on it. */
export interface Unanswered {
  workflow_id: string;
  code: string;
  message: string;
}

/** Whose work is listed. */
export interface InboxPlace {
  temporal: Client;
  project: ProjectName;
}

/** A workflow as the server knows it, without its worker. */
export type KnownWorkflow = Pick<WorkflowExecutionInfo, "workflowId" | "taskQueue" | "memo" | "searchAttributes">;

/** Calls at a time. */
const AT_ONCE = 16;

/**
 * The open reviews of one workflow (`only`), of a workflow and all runs below it (`within`), or of all running work,
 * the oldest first. They stand in the memos of the workflows, so no worker is needed (approvals reference, section 7).
 * A workflow with more of them than its memo has is asked, for a short time; the others are listed even if it cannot
 * answer.
 */
export async function readInbox(
  place: InboxPlace,
  { only, within }: { only?: string | undefined; within?: string | undefined },
): Promise<Inbox> {
  if (only !== undefined) return { open: await openReviewsOf(place.temporal, only), unanswered: [] };
  const inbox: Inbox = { open: [], unanswered: [] };
  const among = within === undefined ? inProject(place.project) : atOrBelow(within);
  const listed = await listKnown(place.temporal, `${ATTRIBUTE.openReviews} > 0 AND ${RUNNING} AND ${among}`);
  const worker = new Worker(place.temporal);
  await eachOf(listed, async (one) => {
    // The list is late by some milliseconds; a reader who follows one mission must not see a review again that is
    // decided.
    const known = within === undefined ? one : await described(place.temporal, one);
    const { items, unanswered } = await itemsOf(known, worker);
    inbox.open.push(...items.flatMap(openReviewOf));
    inbox.unanswered.push(...unanswered);
  });
  inbox.open.sort((a, b) => a.review.createdAt - b.review.createdAt);
  return inbox;
}

export const RUNNING = 'ExecutionStatus = "Running"';

const openReviewOf = ({ workflow_id, review, cut }: InboxItem): OpenReview[] =>
  review === undefined ? [] : [{ workflow_id, review, ...defined({ cut }) }];

/**
 * The open reviews of one workflow: from its memo if that has all of them whole, from its worker otherwise.
 *
 * @throws NavigatorError `not_found`
 */
async function openReviewsOf(temporal: Client, workflowId: string): Promise<OpenReview[]> {
  const handle = temporal.workflow.getHandle(workflowId);
  const known = await ask(() => handle.describe());
  const { items, left_out } = itemsOfMemo(workflowId, known.memo ?? {});
  const inMemo = items.flatMap(openReviewOf);
  const isWhole = ({ cut, review }: OpenReview) =>
    cut === undefined && !mayHaveMoreUndelivered(review) && !hasVotes(review);
  if (left_out === 0 && inMemo.every(isWhole)) return inMemo;
  const whole = await askQuerySoon(handle, reviewsQuery);
  if (whole === undefined)
    return inMemo.map((one) => (hasVotes(one.review) ? { ...one, bare_votes: true as const } : one));
  return whole.filter(isOpen).map((review) => ({ workflow_id: workflowId, review }));
}

const isOpen = ({ status }: Review): boolean => status === "open";

/** When the first question of all that waits in a workflow was asked, ms since 1970; 0 if nothing waits. */
export function askedAt({ searchAttributes }: KnownWorkflow): number {
  // An attribute that was removed appears as the beginning of time.
  const [at] = searchAttributes[ATTRIBUTE.askedAt] ?? [];
  return at instanceof Date ? at.getTime() : 0;
}

/** The workflows that a query finds, newest first, with what the server knows of them. */
export async function listKnown(temporal: Client, query: string): Promise<KnownWorkflow[]> {
  return ask(async () => {
    const listed: KnownWorkflow[] = [];
    for await (const one of temporal.workflow.list({ query, pageSize: 1_000 })) listed.push(one);
    return listed;
  });
}

async function described(temporal: Client, listed: KnownWorkflow): Promise<KnownWorkflow> {
  try {
    return await ask(() => temporal.workflow.getHandle(listed.workflowId).describe());
  } catch (error) {
    if (isAbsent(error)) return listed;
    throw error;
  }
}

/** Works on some at a time, so that a long list does not open thousands of calls at once. */
export async function eachOf<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < list.length; at += AT_ONCE) await Promise.all(list.slice(at, at + AT_ONCE).map(work));
}

/** Asks workflows themselves. If nobody serves the task queue of one, the others of that queue are not asked. */
export class Worker {
  private readonly silent = new Set<string>();

  constructor(private readonly temporal: Client) {}

  /** The open reviews of the workflow, as its worker knows them; undefined if no worker answers soon. */
  async asked({ workflowId, taskQueue }: KnownWorkflow): Promise<InboxItem[] | undefined> {
    if (this.silent.has(taskQueue)) return undefined;
    const reviews = await askQuerySoon(this.temporal.workflow.getHandle(workflowId), reviewsQuery);
    if (reviews === undefined) this.silent.add(taskQueue);
    return reviews?.filter(isOpen).map((review) => reviewItem(workflowId, shortReview(review)));
  }
}

/** Everything that waits in a workflow. */
export async function itemsOf(
  known: KnownWorkflow,
  worker: Worker,
): Promise<{ items: InboxItem[]; unanswered: Unanswered[] }> {
  const { workflowId: workflow_id, taskQueue } = known;
  const { items: inMemo, left_out } = itemsOfMemo(workflow_id, known.memo ?? {});
  if (left_out === 0) return { items: inMemo, unanswered: [] };
  const unanswered = (code: string, message: string) => ({
    items: inMemo,
    unanswered: [{ workflow_id, code, message }],
  });
  try {
    const asked = await worker.asked(known);
    if (asked === undefined)
      return unanswered(
        "no_worker",
        `No worker answered: none serves the task queue "${taskQueue}", or it is stuck. ${left_out} more reviews are open.`,
      );
    return { items: [...asked, ...inMemo.filter(({ review }) => review === undefined)], unanswered: [] };
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    return unanswered(error.code, error.message);
  }
}
