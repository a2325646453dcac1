import { defineSearchAttributeKey, type SearchAttributePair } from "@temporalio/common";
import type { Task } from "../core/graph/task";

/**
 * Search attributes as workflows and clients set them (design section 2). They travel in the clear: no business
 * data goes in.
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
const OPEN_REVIEWS = defineSearchAttributeKey("NavigatorOpenReviews", "INT");

export function agentAttributes(run: { agent: string }): SearchAttributePair[] {
  return [
    { key: KIND, value: "agent" },
    { key: AGENT, value: run.agent },
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

export function taskAttributes(task: Task): SearchAttributePair[] {
  return [
    { key: KIND, value: "task" },
    { key: WORKFLOW, value: task.workflowType },
    { key: ISSUE, value: task.issueId },
    // Visibility stores whole numbers; a finer priority still decides in the task itself.
    { key: PRIORITY, value: Math.trunc(task.priority) },
    ...positionAttributes(task, 0),
  ];
}

/** What changes as a task moves. */
export function positionAttributes(
  task: Pick<Task, "status" | "currentStep">,
  openReviews: number,
): SearchAttributePair[] {
  return [
    { key: STATUS, value: task.status },
    { key: STEP, value: task.currentStep },
    { key: OPEN_REVIEWS, value: openReviews },
  ];
}
