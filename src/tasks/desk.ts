import { askQuery } from "../ask-query";
import { type NavigatorClient, taskWorkflowId } from "../client";
import { ask, NavigatorError } from "../client-errors";
import type { AgentDefinition } from "../core/agent/definition";
import { type ExecutionPlan, executionPlan } from "../core/graph/levels";
import type { TaskProgress } from "../core/graph/progress";
import { type Definition, nodeOf } from "../core/graph/schema";
import type { StoredVersion } from "../core/graph/stored";
import type { SyncRecord } from "../core/graph/sync";
import type { AdvanceAnswer, Task, TaskStatus } from "../core/graph/task";
import * as messages from "../workflows/messages";
import type { NavigatorTaskInput, TaskAnswer, TaskViewAnswer } from "../workflows/navigator-task-input";
import { atOnce, inBatches } from "./at-once";
import { ClaimPool, POOL_SIZE } from "./claim-pool";
import { Definitions } from "./definitions";
import { byStatus, readTask, readTasks, removeTasks, workflowTypeOf } from "./load-tasks";
import { Queue } from "./queue";
import { Recent } from "./recent";
import { putTask, startTask } from "./start";
import { isAbsent, Syncs } from "./syncs";
import { Tree } from "./tree";
import type {
  AdvanceWith,
  Claimed,
  ClaimRequest,
  Desk,
  LoadedTasks,
  LoadedWorkflow,
  Source,
  StoredWorkflow,
  TaskOptions,
  TasksByStatus,
  TaskView,
  WorkflowListing,
} from "./types";
import { inTree, quoted, TASKS, Visibility } from "./visibility";

export interface DeskOptions {
  /** Agents by name, for tasks whose nodes drive themselves. */
  agents?: { [name: string]: AgentDefinition };
  /** Of agents that name none. */
  model?: string;
}

/**
 * Definitions and tasks of one namespace, on Temporal. Holds nothing that matters: each task and definition is a
 * workflow, lists come from Visibility and are confirmed by the workflows they name, and what this process itself just did is
 * laid over what lists do not show yet. Any number of desks work on the same tasks.
 */
export class TaskDesk implements Desk {
  readonly visibility: Visibility;
  private readonly definitions: Definitions;
  private readonly tree: Tree;
  private readonly queue: Queue;
  private readonly syncs: Syncs;
  private readonly pool: ClaimPool;
  /** Tasks that this process changed a moment ago, as it left them; null = only that something happened to them. */
  private readonly touched = new Recent<Known | null>();

  constructor(
    private readonly client: NavigatorClient,
    private readonly options: DeskOptions = {},
  ) {
    this.visibility = new Visibility(client.temporal);
    this.definitions = new Definitions(client, this.visibility);
    this.tree = new Tree(client);
    this.queue = new Queue(this.visibility);
    this.syncs = new Syncs(client, this.visibility);
    this.pool = new ClaimPool(async () => this.candidates(await this.tree.base(), POOL_SIZE));
  }

  async listWorkflows(source?: Source): Promise<WorkflowListing[]> {
    const all = await this.definitions.list();
    return source === undefined ? all : all.filter((one) => one.source === source);
  }

  async loadWorkflow(id: string | undefined, raw: unknown, source: Source = "external"): Promise<LoadedWorkflow> {
    const { definition, ...loaded } = await this.definitions.load(id, raw, source);
    if (!loaded.replaced) return loaded;
    return { ...loaded, warnings: [...loaded.warnings, ...(await this.stepsRemoved(definition))] };
  }

  workflow(id: string, version?: number): Promise<StoredWorkflow> {
    return this.definitions.get(id, version);
  }

  async executionPlan(workflowId: string): Promise<ExecutionPlan> {
    return executionPlan((await this.workflow(workflowId)).definition);
  }

  async loadTasks(
    raw: readonly unknown[],
    mode: "replace" | "merge",
    { drive = "external" }: TaskOptions = {},
  ): Promise<LoadedTasks> {
    const types = raw.map(workflowTypeOf).filter((type) => type !== undefined);
    const loaded = await this.definitions.findAll(types);
    const { tasks, warnings } = readTasks(raw, loaded, Date.now());
    const ids = new Set(tasks.map(({ task }) => task.id));
    const base = await this.tree.base();
    const before = await this.inTreeNow(base);
    const first = await this.tree.allocate(tasks.length);

    await inBatches(
      tasks.map(({ task, stored }, index) => {
        const order = (mode === "merge" ? before.get(task.id)?.order : undefined) ?? first + index;
        return { task, order, input: this.input(task, stored, order, drive) };
      }),
      async ({ task, order, input }) => {
        this.syncs.note(task.id, await putTask(this.client, input));
        this.touched.note(task.id, knownOf(task, order));
      },
      ({ task }) => this.find(task.id),
    );
    if (mode === "replace") {
      await this.tree.replace(first);
      const gone = [...before.values()].filter(({ id, order, running }) => running && order !== null && !ids.has(id));
      await this.remove([...gone.map(({ id }) => id), ...(await this.leftBehind(first, ids))]);
    }
    const left = mode === "replace" ? [] : [...before.values()].filter(({ id }) => !ids.has(id));
    const statuses = [...tasks.map(({ task }) => task.status), ...left.map(({ status }) => status)];
    const wereThere = [...before.values()].filter(
      ({ id, order }) => ids.has(id) || (mode === "replace" && order !== null),
    );
    return {
      loaded: tasks.length,
      replaced: wereThere.length,
      total: statuses.length,
      byStatus: byStatus(statuses),
      warnings,
    };
  }

  async createTask(raw: unknown, { drive = "agent" }: TaskOptions = {}): Promise<Task> {
    const type = workflowTypeOf(raw);
    const stored = type === undefined ? undefined : await this.definitions.get(type);
    const task = readTask(raw, stored?.definition, undefined, Date.now());
    const order = await this.tree.allocate(1);
    if (!(await startTask(this.client, this.input(task, stored as StoredVersion | undefined, order, drive), "never")))
      throw new NavigatorError("task_exists", `There is a task "${task.id}" already.`, {
        details: { taskId: task.id },
      });
    this.touched.note(task.id, knownOf(task, order));
    return task;
  }

  async nextTasks(limit: number): Promise<Task[]> {
    const base = await this.tree.base();
    const pending: TaskViewAnswer[] = [];
    const seen = new Set<string>();
    for (let wanted = limit; ; wanted *= 2) {
      const { ids, more } = await this.candidates(base, wanted);
      const left = ids.filter((id) => !seen.has(id));
      // Most important first, and no more are asked than are needed: the list is seldom wrong.
      while (left.length > 0 && pending.length < limit) {
        const asked = left.splice(0, limit - pending.length);
        for (const id of asked) seen.add(id);
        const views = await atOnce(asked, (id) => this.find(id));
        pending.push(
          ...views
            .filter((view) => view?.task.status === "PENDING" && belongs(view, base))
            .map((view) => view as TaskViewAnswer),
        );
      }
      if (pending.length >= limit || !more) return pending.sort(byImportance).map(({ task }) => task);
    }
  }

  /** Ids of tasks that are most likely pending, most important first: the list, with what this process did laid over it. */
  private async candidates(base: number, wanted: number): Promise<{ ids: string[]; more: boolean; equal: number }> {
    const listed = await this.queue.candidates(base, wanted);
    const known = new Map<string, Known | null>(
      listed.map(({ id, priority, order }) => [id, { at: 0, status: "PENDING", priority, order }]),
    );
    for (const [id, own] of this.touched.all()) {
      const old = own !== null && own.status !== "PENDING" && Date.now() - own.at > LAG_MS;
      // What the list says of it now may be newer: a claim that ran out, a branch that came to its end.
      if (!old) known.set(id, own);
    }
    const tasks = [...known].filter(([, own]) => own === null || own.status === "PENDING");
    tasks.sort(([, a], [, b]) => (b?.priority ?? 0) - (a?.priority ?? 0) || (a?.order ?? 0) - (b?.order ?? 0));
    const best = tasks[0]?.[1]?.priority;
    const equal = tasks.filter(([, own]) => own?.priority === best).length;
    return { ids: tasks.map(([id]) => id), more: listed.length >= wanted, equal };
  }

  async task(taskId: string): Promise<TaskView> {
    const { task, claim } = await this.view(taskId);
    return claim === null ? task : { ...task, claim };
  }

  async progress(taskId: string): Promise<TaskProgress> {
    const progress = async () => ask(() => askQuery(this.client.task(taskId).workflow, messages.taskProgressQuery));
    const view = await this.view(taskId);
    const found = view.hasDefinition || (await this.adopt(view.task)) ? await progress() : null;
    if (found === null) throw notLoaded(view.task);
    return found;
  }

  async definitionOf(taskId: string): Promise<Definition> {
    const view = await this.view(taskId);
    if (!view.hasDefinition && !(await this.adopt(view.task))) throw notLoaded(view.task);
    return this.client.task(taskId).definition();
  }

  async tasksByStatus(status?: TaskStatus): Promise<TasksByStatus> {
    const base = await this.tree.base();
    const ids = [...new Set([...(await this.inTreeNow(base)).keys(), ...this.touched.all().keys()])];
    const views = (await atOnce(ids, (id) => this.find(id))).filter((view) => view !== null);
    const there = views.filter((view) => belongs(view, base)).sort(byImportance);
    const tasks: TasksByStatus["tasks"] = {};
    for (const { task } of there)
      if (status === undefined || task.status === status) tasks[task.status] = [...(tasks[task.status] ?? []), task];
    return { counts: byStatus(there.map(({ task }) => task.status)), tasks };
  }

  async advance(taskId: string, step: AdvanceWith): Promise<AdvanceAnswer> {
    const update = () => this.client.task(taskId).advance(step);
    const answer = await this.onTask(taskId, update).catch(async (error: unknown) => {
      // Loaded after the task was: it takes the definition now.
      if (!(error instanceof NavigatorError) || error.code !== "workflow_not_found") throw error;
      if (!(await this.adopt((await this.view(taskId)).task))) throw error;
      return update();
    });
    const { syncs, order = null, ...rest } = answer as AdvanceAnswer & { syncs?: string[]; order?: number | null };
    if (syncs !== undefined) this.syncs.note(taskId, syncs);
    if (!rest.success) return rest;
    this.touched.note(taskId, knownOf(rest.task, order));
    const { waitingFor = [], parentTaskId } = rest.task;
    for (const id of [...waitingFor, ...(parentTaskId === undefined ? [] : [parentTaskId])])
      this.touched.note(id, null);
    return rest as AdvanceAnswer;
  }

  async claim(taskId: string, claim: ClaimRequest): Promise<Claimed> {
    const { order, ...claimed } = await this.onTask(taskId, () =>
      this.client.task(taskId).update(messages.claim, [claim]),
    );
    this.touched.note(taskId, knownOf(claimed.task, order));
    return claimed;
  }

  async claimNext(limit: number, claim: ClaimRequest): Promise<Claimed[]> {
    const claimed: Claimed[] = [];
    while (claimed.length < limit) {
      const id = await this.pool.take();
      if (id === null) break;
      try {
        claimed.push(await this.claim(id, claim));
      } catch (error) {
        if (!(error instanceof NavigatorError) || !TAKEN.has(error.code)) throw error;
      }
    }
    return claimed;
  }

  async release(taskId: string, token: number): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.release, [token]));
  }

  pause(taskId: string, note?: string): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.pause, [noteOf(note)]));
  }

  resume(taskId: string): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.resume, []));
  }

  cancel(taskId: string, note?: string): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.cancelTask, [noteOf(note)]));
  }

  pendingSyncs(limit?: number): Promise<{ total: number; pending: SyncRecord[] }> {
    return this.syncs.pending(limit);
  }

  syncReminder(limit: number): Promise<{ total: number; pending: { id: string; taskId: string }[] }> {
    return this.syncs.reminder(limit);
  }

  confirmSyncs(ids: readonly string[]): Promise<{ confirmed: string[]; notFound: string[]; remaining: number }> {
    return this.syncs.confirm(ids);
  }

  confirmSyncsOfTask(taskId: string): Promise<{ taskId: string; confirmed: string[]; remaining: number }> {
    return this.syncs.confirmTask(taskId);
  }

  private input(
    task: Task,
    stored: StoredVersion | undefined,
    order: number,
    drive: "agent" | "external",
  ): NavigatorTaskInput {
    const { agents = {}, model = "" } = this.options;
    return {
      task,
      ...(stored === undefined ? {} : { definition: stored.definition, version: stored.version }),
      agents: drive === "agent" ? agents : {},
      model,
      drive,
      order,
    };
  }

  /** Tasks of the tree as lists show them, and those that this process put there a moment ago. */
  private async inTreeNow(base: number) {
    const listed = (await this.visibility.tasks(inTree(base))).filter(({ status }) => status !== "REMOVED");
    const known = new Map(listed.map((one) => [one.id, one]));
    for (const id of this.touched.all().keys()) {
      if (known.has(id)) continue;
      const view = await this.find(id);
      if (!view || !belongs(view, base)) continue;
      const { status, currentStep: step, workflowType: workflow, priority } = view.task;
      const rest = { syncs: view.syncs, pendingSyncs: view.syncs.length, running: true, startedAt: 0 };
      known.set(id, { id, status, step, workflow, priority, order: view.order, ...rest });
    }
    return known;
  }

  /** Tasks that an interrupted load left behind outside the tree. */
  private async leftBehind(base: number, but: ReadonlySet<string>): Promise<string[]> {
    const query = `${TASKS} AND NavigatorOrder < ${base} AND ExecutionStatus = "Running" AND NavigatorStatus != "REMOVED"`;
    return (await this.visibility.tasks(query)).map(({ id }) => id).filter((id) => !but.has(id));
  }

  private async remove(ids: readonly string[]): Promise<void> {
    await removeTasks(this.client, [...new Set(ids)], (id, syncs) => this.syncs.note(id, syncs));
  }

  private async stepsRemoved(definition: Definition): Promise<LoadedWorkflow["warnings"]> {
    const base = await this.tree.base();
    const using = await this.visibility.tasks(
      `${inTree(base)} AND NavigatorWorkflow = ${quoted(definition.id)} AND ExecutionStatus = "Running"`,
    );
    return using
      .filter(({ step, status }) => status !== "REMOVED" && !nodeOf(definition, step))
      .map(({ id, step }) => ({
        code: "step_removed" as const,
        message: `Task "${id}" is at "${step}", which this version does not have: it keeps the version it was loaded with.`,
        taskId: id,
        nodeId: step,
      }));
  }

  /** Gives a task the definition that was loaded after it; false = there is none. */
  private async adopt({ id, workflowType }: Task): Promise<boolean> {
    const stored = await this.definitions.find(workflowType);
    if (!stored) return false;
    const { definition, version } = stored;
    await this.onTask(id, () => this.client.task(id).update(messages.adoptDefinition, [{ definition, version }]));
    return true;
  }

  private async change(taskId: string, update: () => Promise<TaskAnswer>): Promise<Task> {
    const { task, syncs, order } = await this.onTask(taskId, update);
    this.syncs.note(taskId, syncs);
    this.touched.note(taskId, knownOf(task, order));
    return task;
  }

  /** A task that is not there, or not any more. */
  private async view(taskId: string): Promise<TaskViewAnswer> {
    const view = await this.find(taskId);
    if (view === null || view.removed) throw notFound(taskId);
    return view;
  }

  private async find(taskId: string): Promise<TaskViewAnswer | null> {
    try {
      return await askQuery(this.client.task(taskId).workflow, messages.taskViewQuery);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  private async onTask<T>(taskId: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw isAbsent(error) ? notFound(taskId) : error;
    }
  }
}

/** Somebody else was quicker, or it is not to be had. */
const TAKEN = new Set(["task_claimed", "task_closed", "task_paused", "task_in_hitl", "child_active", "task_not_found"]);

/** Lists are seldom further behind. */
const LAG_MS = 1_000;

/** What lists would show of a task, and when it was so. */
interface Known {
  at: number;
  status: TaskStatus;
  priority: number;
  order: number | null;
}

const knownOf = ({ status, priority }: Task, order: number | null): Known => ({
  at: Date.now(),
  status,
  priority,
  order,
});

const byImportance = (a: TaskViewAnswer, b: TaskViewAnswer): number =>
  b.task.priority - a.task.priority || (a.order ?? 0) - (b.order ?? 0);

const belongs = ({ removed, order }: TaskViewAnswer, base: number): boolean =>
  !removed && (order === null || order >= base);

const noteOf = (note: string | undefined) => (note === undefined ? {} : { note });

function notFound(taskId: string): NavigatorError {
  return new NavigatorError("task_not_found", `There is no task "${taskId}".`, {
    hint: `Its workflow would be ${taskWorkflowId(taskId)}.`,
    details: { taskId },
  });
}

function notLoaded({ id, workflowType }: Task): NavigatorError {
  return new NavigatorError("workflow_not_found", `Workflow "${workflowType}" of task "${id}" is not loaded.`, {
    details: { workflowId: workflowType },
  });
}
