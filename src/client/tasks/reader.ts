import { ALL_PROJECTS, taskWorkflowId } from "../../core/base/ids";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { newTask, type Task, type TaskStatus } from "../../core/graph/task/task";
import * as messages from "../../workflows/messages";
import type { TaskViewAnswer } from "../../workflows/navigator-task-input";
import { askQuery, askQuerySoon } from "../ask-query";
import type { NavigatorClient } from "../client";
import { atOnce } from "./concurrency";
import { byStatus } from "./load-tasks";
import { Recent } from "./own-writes";
import { Queue } from "./queue";
import type { Tree } from "./tree";
import type { TasksByStatus } from "./types";
import { inTree, type ListedTask, TASKS, type Visibility } from "./visibility";

/** Reads tasks: lists from Visibility, updated with the latest writes of this process, and confirmed by each task's workflow. */
export class TaskReader {
  /** Tasks that this process has just changed, in their new state; null = changed, but the state is not known. */
  readonly touched = new Recent<Known | null>();
  private readonly queue: Queue;

  constructor(
    private readonly client: NavigatorClient,
    private readonly visibility: Visibility,
    private readonly tree: Tree,
  ) {
    this.queue = new Queue(visibility);
  }

  /** @param unconfirmed gets the ids of tasks whose worker does not answer: they cannot be claimed or moved now */
  async next(limit: number, unconfirmed: string[] = []): Promise<Task[]> {
    const base = await this.tree.base();
    const pending: TaskViewAnswer[] = [];
    const seen = new Set<string>();
    for (let wanted = limit; ; wanted *= 2) {
      const { ids, more, listed } = await this.candidatesFrom(base, wanted);
      const left = ids.filter((id) => !seen.has(id));
      // Most important first. Only as many tasks are asked as are needed, because the list is rarely wrong.
      while (left.length > 0 && pending.length < limit) {
        const asked = left.splice(0, limit - pending.length);
        for (const id of asked) seen.add(id);
        const { confirmed, unconfirmed: silent } = await this.confirmed(asked, listed);
        unconfirmed.push(...silent.map(({ task }) => task.id));
        pending.push(...confirmed.filter((view) => view.task.status === "PENDING" && belongs(view, base)));
      }
      if (pending.length >= limit || !more) return pending.sort(byImportance).map(({ task }) => task);
    }
  }

  /** Ids of tasks that are probably pending, most important first: the list, updated with the writes of this process. */
  private async candidatesFrom(
    base: number,
    wanted: number,
  ): Promise<{ ids: string[]; more: boolean; equal: number; listed: ReadonlyMap<string, ListedTask> }> {
    const listed = await this.queue.candidates(base, wanted);
    const known = new Map<string, Known | null>(
      listed.map(({ id, priority, order }) => [id, { at: 0, status: "PENDING", priority, order }]),
    );
    for (const [id, own] of this.touched.all()) {
      const old = own !== null && own.status !== "PENDING" && Date.now() - own.at > LAG_MS;
      // The list may be newer than our write: a claim has expired, or a branch has ended.
      if (!old) known.set(id, own);
    }
    const tasks = [...known].filter(([, own]) => own === null || own.status === "PENDING");
    tasks.sort(([, a], [, b]) => (b?.priority ?? 0) - (a?.priority ?? 0) || (a?.order ?? 0) - (b?.order ?? 0));
    const best = tasks[0]?.[1]?.priority;
    const equal = tasks.filter(([, own]) => own?.priority === best).length;
    const byId = new Map(listed.map((one) => [one.id, one]));
    return { ids: tasks.map(([id]) => id), more: listed.length >= wanted, equal, listed: byId };
  }

  /** The same for claims: a claim asks the task itself. */
  async candidates(wanted: number): Promise<{ ids: string[]; equal: number }> {
    return this.candidatesFrom(await this.tree.base(), wanted);
  }

  async byStatus(status?: TaskStatus): Promise<TasksByStatus> {
    const base = await this.tree.base();
    const listed = new Map((await this.listed(base)).map((one) => [one.id, one]));
    const ids = [...new Set([...listed.keys(), ...this.touched.all().keys()])];
    const { confirmed, unconfirmed } = await this.confirmed(ids, listed);
    const there = [...confirmed.filter((view) => belongs(view, base)), ...unconfirmed].sort(byImportance);
    const tasks: TasksByStatus["tasks"] = {};
    for (const { task } of there) {
      if (status !== undefined && task.status !== status) continue;
      const alike = tasks[task.status] ?? [];
      tasks[task.status] = alike;
      alike.push(task);
    }
    const silent = unconfirmed.map(({ task }) => task.id);
    return {
      counts: byStatus(there.map(({ task }) => task.status)),
      tasks,
      ...(silent.length === 0 ? {} : { unconfirmed: silent }),
    };
  }

  /**
   * Asks tasks for their state, for a short time. A task whose worker does not answer is as the list has it; if nobody
   * serves its task queue, the other tasks of that queue are not asked.
   */
  private async confirmed(
    ids: readonly string[],
    listed: ReadonlyMap<string, ListedTask>,
  ): Promise<{ confirmed: TaskViewAnswer[]; unconfirmed: Placed[] }> {
    const silent = new Set<string>();
    const unconfirmed: Placed[] = [];
    const views = await atOnce(ids, async (id) => {
      const one = listed.get(id);
      const queue = one?.taskQueue ?? this.client.taskQueue;
      if (!silent.has(queue)) {
        const view = await orNull(askQuerySoon(this.client.task(id).workflow, messages.taskViewQuery));
        // Of all projects: the id names the project of the task.
        if (view !== undefined && view !== null && this.client.project === ALL_PROJECTS)
          return { ...view, task: { ...view.task, id } };
        if (view !== undefined) return view;
        silent.add(queue);
      }
      if (one !== undefined) unconfirmed.push({ task: asListed(one), order: one.order });
      return null;
    });
    return { confirmed: views.filter((view) => view !== null), unconfirmed };
  }

  /** Tasks of the tree from lists, and those that this process has just added. */
  async inTree(base: number): Promise<Map<string, ListedTask>> {
    const known = new Map((await this.listed(base)).map((one) => [one.id, one]));
    const unlisted = [...this.touched.all().keys()].filter((id) => !known.has(id));
    for (const { task, order, syncs } of await this.belonging(unlisted, base)) {
      const { id, status, currentStep: step, workflowType: workflow, issueId: issue, priority } = task;
      const { taskQueue } = this.client;
      const rest = { issue, taskQueue, syncs, pendingSyncs: syncs.length, running: true, startedAt: 0 };
      known.set(id, { id, status, step, workflow, priority, order, ...rest });
    }
    return known;
  }

  private async listed(base: number): Promise<ListedTask[]> {
    return (await this.visibility.tasks(inTree(base))).filter(({ status }) => status !== "REMOVED");
  }

  /** Those of the tasks that are in the tree, according to their own workflows. */
  private async belonging(ids: readonly string[], base: number): Promise<TaskViewAnswer[]> {
    const { confirmed } = await this.confirmed(ids, new Map());
    return confirmed.filter((view) => belongs(view, base));
  }

  /** Tasks outside the tree that an interrupted load left. */
  async leftOver(base: number, but: ReadonlySet<string>): Promise<string[]> {
    const query = `${TASKS} AND ${ATTRIBUTE.order} < ${base} AND ExecutionStatus = "Running" AND ${ATTRIBUTE.status} != "REMOVED"`;
    return (await this.visibility.tasks(query)).map(({ id }) => id).filter((id) => !but.has(id));
  }

  /** A task that does not exist, or not any more. */
  async view(taskId: string): Promise<TaskViewAnswer> {
    const view = await this.find(taskId);
    if (view === null || view.removed) throw notFound(taskId);
    return view;
  }

  find(taskId: string): Promise<TaskViewAnswer | null> {
    return orNull(askQuery(this.client.task(taskId).workflow, messages.taskViewQuery));
  }
}

/** Null for a workflow that does not exist. */
function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
}

/** A task as a list knows it: without its history and its title. */
function asListed({ id, issue, workflow, step, status, priority, startedAt }: ListedTask): Task {
  const about = { id, issueId: issue, workflowType: workflow, currentStep: step, priority };
  return newTask({ ...about, status: status as TaskStatus }, undefined, startedAt);
}

/** Lists rarely lag more than this. */
const LAG_MS = 1_000;

/** The state of a task as lists would show it, and its time. */
export interface Known {
  at: number;
  status: TaskStatus;
  priority: number;
  order: number | null;
}

/** Builds the cache entry of a task from its state. */
export const knownOf = ({ status, priority }: Task, order: number | null): Known => ({
  at: Date.now(),
  status,
  priority,
  order,
});

type Placed = Pick<TaskViewAnswer, "task" | "order">;

const byImportance = (a: Placed, b: Placed): number =>
  b.task.priority - a.task.priority || (a.order ?? 0) - (b.order ?? 0);

const belongs = ({ removed, order }: TaskViewAnswer, base: number): boolean =>
  !removed && (order === null || order >= base);

/** Builds the error for an id without a task. */
export function notFound(taskId: string): NavigatorError {
  return new NavigatorError("task_not_found", `There is no task "${taskId}".`, {
    hint: `Its workflow would be ${taskWorkflowId(taskId)}.`,
    details: { taskId },
  });
}
