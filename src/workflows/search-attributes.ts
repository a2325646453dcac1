import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeUpdatePair } from "@temporalio/common";
import { formatWord, type RunFormat } from "../core/base/run-format";
import { ATTRIBUTE, SEARCH_ATTRIBUTES, type SearchAttributeName } from "../core/base/search-attributes";
import { headWord } from "../core/effects/chain/head";
import type { Task } from "../core/graph/task/task";
import type { InboxAttributes } from "../core/review/inbox/inbox-entry";

/**
 * Search attributes as workflows and clients set them (engine reference, section 2). They are not encrypted, so they
 * contain no business data.
 *
 * An agent run sets `NavigatorStatus` only if Temporal's own status does not show it: WAITING for a person, PAUSED,
 * BLOCKED because no worker has what a call needs, RUNNING again after that, FAILED as a value. Each upsert is an
 * event, and a run that simply works needs none.
 */
const KIND = keyOf(ATTRIBUTE.kind);
const STATUS = keyOf(ATTRIBUTE.status);
const WORKFLOW = keyOf(ATTRIBUTE.workflow);
const STEP = keyOf(ATTRIBUTE.step);
const ISSUE = keyOf(ATTRIBUTE.issue);
const AGENT = keyOf(ATTRIBUTE.agent);
const PRIORITY = keyOf(ATTRIBUTE.priority);
const PENDING_SYNCS = keyOf(ATTRIBUTE.pendingSyncs);
const ORDER = keyOf(ATTRIBUTE.order);
const SYNCS = keyOf(ATTRIBUTE.syncs);
const OPEN_REVIEWS = keyOf(ATTRIBUTE.openReviews);
const ASSIGNEES = keyOf(ATTRIBUTE.assignees);
const REVIEW_DUE = keyOf(ATTRIBUTE.reviewDue);
const ASKED_AT = keyOf(ATTRIBUTE.askedAt);
const LEDGER_HEAD = keyOf(ATTRIBUTE.ledgerHead);
const FORMAT = keyOf(ATTRIBUTE.format);

function keyOf<Name extends SearchAttributeName>(name: Name) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}

/** Attributes that a run of an agent is started with. */
export function agentAttributes(run: { agent: string }): SearchAttributePair[] {
  return [
    { key: KIND, value: "agent" },
    { key: AGENT, value: run.agent },
  ];
}

/** Attributes that a plan is started with. */
export function planAttributes(): SearchAttributePair[] {
  return [{ key: KIND, value: "plan" }];
}

/** Attributes that the workflow of a stored graph is started with. */
export function definitionAttributes(id: string): SearchAttributePair[] {
  return [
    { key: KIND, value: "definition" },
    { key: WORKFLOW, value: id },
  ];
}

/** The conventions that a run is started with: workers that do not know them are found before they fail at it. */
export const formatAttributes = (run: RunFormat): SearchAttributePair[] => [{ key: FORMAT, value: formatWord(run) }];

/** The states that Temporal's own status does not have. */
export function statusAttributes(status: string): SearchAttributePair[] {
  return [{ key: STATUS, value: status }];
}

/** Where the chain of a workflow ends: a copy of its ledger whose tail was cut off is found out. */
export function ledgerAttributes({ seq, head }: { seq: number; head: string }): SearchAttributePair[] {
  return [{ key: LEDGER_HEAD, value: headWord(seq, head) }];
}

/**
 * The attributes that change when a run asks people and gets answers.
 *
 * @param stopped BLOCKED or PAUSED: people see that first
 */
export function askingAttributes(openReviews: number, stopped?: string): SearchAttributePair[] {
  return [
    { key: STATUS, value: stopped ?? (openReviews > 0 ? "WAITING" : "RUNNING") },
    { key: OPEN_REVIEWS, value: openReviews },
  ];
}

/** The attributes by which the inbox finds the work that waits for a person. null removes an attribute. */
export function inboxAttributePairs({ assignees, due, asked_at }: InboxAttributes): SearchAttributeUpdatePair[] {
  return [
    { key: ASSIGNEES, value: assignees },
    { key: REVIEW_DUE, value: due === null ? null : new Date(due) },
    { key: ASKED_AT, value: asked_at === null ? null : new Date(asked_at) },
  ];
}

/**
 * Attributes that a task is started or loaded again with.
 *
 * @param order its place in the tree, for a task that is in it
 */
export function taskAttributes(task: Task, order?: number): SearchAttributePair[] {
  return [
    { key: KIND, value: "task" },
    { key: WORKFLOW, value: task.workflowType },
    { key: ISSUE, value: task.issueId },
    { key: PRIORITY, value: wholePriority(task.priority) },
    ...(order === undefined ? [] : [{ key: ORDER, value: order }]),
    ...positionAttributes(task, 0),
  ];
}

/** Visibility stores whole numbers of 64 bits. A finer or larger priority still decides in the task itself. */
const wholePriority = (priority: number): number =>
  Math.trunc(Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, priority)));

/** The limit of one value in Visibility. */
const MAX_SYNC_CHARS = 1_500;

/** The records that are not confirmed: their number, and the oldest ids, as many as fit. */
export function syncAttributes(ids: readonly string[]): SearchAttributePair[] {
  let chars = 0;
  const listed = ids.filter((id) => {
    chars += id.length;
    return chars <= MAX_SYNC_CHARS;
  });
  return [
    { key: PENDING_SYNCS, value: ids.length },
    { key: SYNCS, value: listed },
  ];
}

/** The attributes that change when a task moves. */
export function positionAttributes(
  task: { status: Task["status"] | "REMOVED"; currentStep: string },
  openReviews: number,
): SearchAttributePair[] {
  return [
    { key: STATUS, value: task.status },
    { key: STEP, value: task.currentStep },
    { key: OPEN_REVIEWS, value: openReviews },
  ];
}
