import type { WorkflowExecutionInfo } from "@temporalio/client";
import { ALL_PROJECTS, bareId } from "../../core/base/ids";
import { ATTRIBUTE, type SearchAttributeName } from "../../core/base/search-attributes";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { inProject } from "../listing/project-filter";

/**
 * Lists tasks and definitions. Visibility lags by some milliseconds to seconds, so the results are candidates: ask the
 * workflow itself before you act on one.
 */
export interface ListedTask {
  id: string;
  /** About what it is. */
  issue: string;
  /** Whose workers serve it. */
  taskQueue: string;
  status: string;
  step: string;
  workflow: string;
  priority: number;
  /** null: it was started outside the tree. */
  order: number | null;
  syncs: string[];
  /** May be larger than the number of ids in `syncs`. */
  pendingSyncs: number;
  running: boolean;
  startedAt: number;
}

export const TASKS = `${ATTRIBUTE.kind} = "task"`;
export const DEFINITIONS = `${ATTRIBUTE.kind} = "definition" AND ExecutionStatus = "Running"`;

/** Tasks of the tree that starts at `base`, including ended ones; outside the tree only running ones. */
export function inTree(base: number): string {
  return `${TASKS} AND (${ATTRIBUTE.order} >= ${base} OR (${ATTRIBUTE.order} IS NULL AND ExecutionStatus = "Running"))`;
}

/** Counts the calls, to show the cost of a list. */
export class Visibility {
  calls = 0;

  private readonly within: string;

  constructor(private readonly client: Pick<NavigatorClient, "temporal" | "project">) {
    this.within = inProject(client.project);
  }

  async count(query: string): Promise<number> {
    this.calls += 1;
    return (await ask(() => this.client.temporal.workflow.count(this.inProject(query)))).count;
  }

  /** At most `limit`, each workflow once: the later one of two runs. */
  async tasks(query: string, limit = Number.POSITIVE_INFINITY): Promise<ListedTask[]> {
    const found = new Map<string, ListedTask>();
    for (const info of await this.executions(query, limit)) {
      const task = listedTask(info, this.client.project === ALL_PROJECTS);
      const known = found.get(task.id);
      if (!known || known.startedAt < task.startedAt) found.set(task.id, task);
    }
    return [...found.values()];
  }

  private inProject(query: string): string {
    return `${this.within} AND (${query})`;
  }

  async executions(query: string, limit = Number.POSITIVE_INFINITY): Promise<WorkflowExecutionInfo[]> {
    this.calls += 1;
    return ask(async () => {
      const list: WorkflowExecutionInfo[] = [];
      const pageSize = Math.min(limit, 1_000);
      for await (const info of this.client.temporal.workflow.list({ query: this.inProject(query), pageSize })) {
        list.push(info);
        if (list.length >= limit) break;
        if (list.length % pageSize === 0) this.calls += 1;
      }
      return list;
    });
  }
}

function listedTask(
  { workflowId, searchAttributes, status, startTime, taskQueue }: WorkflowExecutionInfo,
  whole: boolean,
): ListedTask {
  const of = (name: SearchAttributeName) => searchAttributes[name] ?? [];
  return {
    id: whole ? workflowId : bareId("task", workflowId),
    issue: String(of(ATTRIBUTE.issue)[0] ?? ""),
    taskQueue,
    status: String(of(ATTRIBUTE.status)[0] ?? ""),
    step: String(of(ATTRIBUTE.step)[0] ?? ""),
    workflow: String(of(ATTRIBUTE.workflow)[0] ?? ""),
    priority: Number(of(ATTRIBUTE.priority)[0] ?? 0),
    order: of(ATTRIBUTE.order)[0] === undefined ? null : Number(of(ATTRIBUTE.order)[0]),
    syncs: of(ATTRIBUTE.syncs).map(String),
    pendingSyncs: Number(of(ATTRIBUTE.pendingSyncs)[0] ?? 0),
    running: status.name === "RUNNING",
    startedAt: startTime.getTime(),
  };
}

/** A value as a string literal in a query. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
