import { isAbsent } from "../../core/base/navigator-error";
import { ATTRIBUTE, type SearchAttributeName } from "../../core/base/search-attributes";
import type { TaskStatus } from "../../core/graph/task/task";
import { itemsOfMemo } from "../../core/review/inbox/inbox-item";
import type { Review } from "../../core/review/review";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { notFound } from "./reader";

/** A task as the server knows it, without its worker: not its context, its path and its graph. */
export interface KnownTask {
  id: string;
  status: TaskStatus;
  currentStep: string;
  workflowType: string;
  issueId: string;
  priority: number;
  /** Ms since 1970. */
  createdAt: number;
  /** Those that are open. Of long ones only the beginning. */
  reviews: Review[];
}

/**
 * What the server knows of a task that runs or is over.
 *
 * @throws NavigatorError `task_not_found`
 */
export async function knownTask(client: NavigatorClient, id: string): Promise<KnownTask> {
  const { workflow } = client.task(id);
  try {
    const { searchAttributes, memo, startTime } = await ask(() => workflow.describe());
    const of = (name: SearchAttributeName) => searchAttributes[name]?.[0];
    const { items } = itemsOfMemo(workflow.workflowId, memo ?? {});
    return {
      id,
      status: String(of(ATTRIBUTE.status)) as TaskStatus,
      currentStep: String(of(ATTRIBUTE.step)),
      workflowType: String(of(ATTRIBUTE.workflow)),
      issueId: String(of(ATTRIBUTE.issue)),
      priority: Number(of(ATTRIBUTE.priority) ?? 0),
      createdAt: startTime.getTime(),
      reviews: items.flatMap(({ review }) => (review === undefined ? [] : [review])),
    };
  } catch (error) {
    throw isAbsent(error) ? notFound(id) : error;
  }
}
