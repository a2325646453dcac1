import { defineSearchAttributeKey, type SearchAttributePair } from "@temporalio/common";
import type { Task } from "../core/graph/task/task";

/**
 * Search attributes as workflows and clients set them (engine reference, section 2). They travel in the clear: no
 * business data goes in.
 *
 * An agent run sets `NavigatorStatus` only where Temporal's own status cannot say it: WAITING for a person, RUNNING
 * again after that, FAILED as a value. Each upsert is an event, and a run that simply works needs none.
 */
const KIND = defineSearchAttributeKey("NavigatorKind", "KEYWORD");
const STATUS = defineSearchAttributeKey("NavigatorStatus", "KEYWORD");
const WORKFLOW = defineSearchAttributeKey("NavigatorWorkflow", "KEYWORD");
const STEP = defineSearchAttributeKey("NavigatorStep", "KEYWORD");
const ISSUE = defineSearchAttributeKey("NavigatorIssue", "KEYWORD");
const AGENT = defineSearchAttributeKey("NavigatorAgent", "KEYWORD");
const PRIORITY = defineSearchAttributeKey("NavigatorPriority", "INT");
const PENDING_SYNCS = defineSearchAttributeKey("NavigatorPendingSyncs", "INT");
const ORDER = defineSearchAttributeKey("NavigatorOrder", "DOUBLE");
const SYNCS = defineSearchAttributeKey("NavigatorSyncs", "KEYWORD_LIST");
const OPEN_REVIEWS = defineSearchAttributeKey("NavigatorOpenReviews", "INT");

export function agentAttributes(run: { agent: string }): SearchAttributePair[] {
  return [
    { key: KIND, value: "agent" },
    { key: AGENT, value: run.agent },
  ];
}

export function planAttributes(): SearchAttributePair[] {
  return [{ key: KIND, value: "plan" }];
}

export function definitionAttributes(id: string): SearchAttributePair[] {
  return [
    { key: KIND, value: "definition" },
    { key: WORKFLOW, value: id },
  ];
}

export function statusAttributes(status: string): SearchAttributePair[] {
  return [{ key: STATUS, value: status }];
}

/** What changes as a run asks people and is answered. */
export function askingAttributes(openReviews: number): SearchAttributePair[] {
  return [
    { key: STATUS, value: openReviews > 0 ? "WAITING" : "RUNNING" },
    { key: OPEN_REVIEWS, value: openReviews },
  ];
}

/** @param order its place in the tree, for a task that is in it */
export function taskAttributes(task: Task, order?: number): SearchAttributePair[] {
  return [
    { key: KIND, value: "task" },
    { key: WORKFLOW, value: task.workflowType },
    { key: ISSUE, value: task.issueId },
    // Visibility stores whole numbers; a finer priority still decides in the task itself.
    { key: PRIORITY, value: Math.trunc(task.priority) },
    ...(order === undefined ? [] : [{ key: ORDER, value: order }]),
    ...positionAttributes(task, 0),
  ];
}

/** All of one value may be so large in Visibility. */
const MAX_SYNC_CHARS = 1_500;

/** What is not confirmed yet: the oldest ids as far as they find room, and how many there are. */
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

/** What changes as a task moves. */
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
