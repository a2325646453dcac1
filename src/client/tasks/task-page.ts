import type { WorkflowExecutionInfo } from "@temporalio/client";
import { bareId, isTopTask } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import type { TaskStatus } from "../../core/graph/task/task";
import type { NavigatorClient } from "../client";
import { listWorkflows } from "../list-workflows";
import { inProject } from "../listing/project-filter";
import { quoted, TASKS } from "./visibility";

/** Tasks as the server lists them, page by page: from Visibility alone, without a worker. */

/** What a list of tasks is narrowed to, and which page of it. */
export interface TaskListOptions {
  status?: TaskStatus;
  graph?: string;
  step?: string;
  /** Exactly this priority. */
  priority?: number;
  /** The id, the graph, the step or the issue has this text, in any case. */
  text?: string;
  /** Only tasks that no other task started. */
  top?: boolean;
  /** `next` of the page before, for the same filter. */
  page?: string;
  /** 1 to 200 (default 50). */
  size?: number;
}

/** One task of a list. */
export interface TaskRow {
  task_id: string;
  workflow_id: string;
  status: string;
  /** How its workflow stands: `running`, `completed`, `failed`, `cancelled`, `terminated`, `timed_out`. */
  execution: string;
  graph: string;
  step: string;
  issue: string;
  priority: number;
  /** A branch or a subflow of another task. */
  is_child: boolean;
  open_reviews: number;
  pending_syncs: number;
  /** Ms since 1970. */
  started_at: number;
  closed_at?: number;
}

/** A page, the newest first. A page with `next` may have no items, if few fit the text. */
export interface TaskPage {
  tasks: TaskRow[];
  next?: string;
}

const SIZE = 50;
const MAX_SIZE = 200;
/** Tasks that are looked at for one page, if the filter takes most of them away. */
const MAX_LOOKED_AT = 2_000;
const OPEN: readonly TaskStatus[] = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL"];

/** @throws NavigatorError `invalid_input` */
export async function listTasks(client: NavigatorClient, options: TaskListOptions = {}): Promise<TaskPage> {
  const { size = SIZE, text, top = false } = options;
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    throw new NavigatorError("invalid_input", `A page of tasks has 1 to ${MAX_SIZE} items, not ${size}.`, {
      details: { path: "size" },
    });
  const query = `${inProject(client.project)} AND (${listedTasksQuery(options)})`;
  const filters = text !== undefined || top;
  const tasks: TaskRow[] = [];
  let page = options.page;
  for (let lookedAt = 0; tasks.length < size && lookedAt < MAX_LOOKED_AT; ) {
    // A page of the server is never cut: its token leads to the place after all of it.
    const { workflows, next } = await listWorkflows(client.temporal, {
      query,
      size: filters ? Math.max(size, MAX_SIZE) : size,
      page,
    });
    lookedAt += workflows.length;
    tasks.push(...workflows.map(taskRow).filter((row) => hasText(row, text) && !(top && row.is_child)));
    page = next;
    if (next === undefined || !filters) break;
  }
  return page === undefined ? { tasks } : { tasks, next: page };
}

/** The query of Visibility for a filter, within every project. */
export function listedTasksQuery({ status, graph, step, priority }: TaskListOptions): string {
  return [
    TASKS,
    'ExecutionStatus != "ContinuedAsNew"',
    ...(status === undefined ? [`${ATTRIBUTE.status} != "REMOVED"`] : [`${ATTRIBUTE.status} = ${quoted(status)}`]),
    // A task that was terminated keeps the status that it had.
    ...(status !== undefined && OPEN.includes(status) ? ['ExecutionStatus = "Running"'] : []),
    ...(graph === undefined ? [] : [`${ATTRIBUTE.workflow} = ${quoted(graph)}`]),
    ...(step === undefined ? [] : [`${ATTRIBUTE.step} = ${quoted(step)}`]),
    ...(priority === undefined ? [] : [`${ATTRIBUTE.priority} = ${Math.trunc(priority)}`]),
  ].join(" AND ");
}

function taskRow({ workflowId, searchAttributes, status, startTime, closeTime }: WorkflowExecutionInfo): TaskRow {
  const of = (name: string) => searchAttributes[name]?.[0];
  return {
    task_id: bareId("task", workflowId),
    workflow_id: workflowId,
    status: String(of(ATTRIBUTE.status) ?? ""),
    execution: status.name.toLowerCase(),
    graph: String(of(ATTRIBUTE.workflow) ?? ""),
    step: String(of(ATTRIBUTE.step) ?? ""),
    issue: String(of(ATTRIBUTE.issue) ?? ""),
    priority: Number(of(ATTRIBUTE.priority) ?? 0),
    is_child: !isTopTask(workflowId),
    open_reviews: Number(of(ATTRIBUTE.openReviews) ?? 0),
    pending_syncs: Number(of(ATTRIBUTE.pendingSyncs) ?? 0),
    started_at: startTime.getTime(),
    ...(closeTime === undefined ? {} : { closed_at: closeTime.getTime() }),
  };
}

function hasText({ task_id, graph, step, issue }: TaskRow, text: string | undefined): boolean {
  if (text === undefined) return true;
  const sought = text.toLowerCase();
  return [task_id, graph, step, issue].some((field) => field.toLowerCase().includes(sought));
}
