import { isAbsent, NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { type Definition, nodeOf } from "../../core/graph/definition/schema";
import { type ExecutionPlan, executionPlan } from "../../core/graph/show/levels";
import type { TaskProgress } from "../../core/graph/show/progress";
import type { ClaimToken } from "../../core/graph/task/claim-input";
import { repeatedMove, versionOf } from "../../core/graph/task/repeat";
import type { SyncRecord } from "../../core/graph/task/sync";
import type { Advance, AdvanceAnswer, Task, TaskStatus } from "../../core/graph/task/task";
import * as messages from "../../workflows/messages";
import type { TaskAnswer } from "../../workflows/navigator-task-input";
import { askQuery } from "../ask-query";
import type { NavigatorClient } from "../client";
import { Definitions } from "./definitions";
import { TaskLoader } from "./loader";
import { knownOf, notFound, TaskReader } from "./reader";
import { Syncs } from "./syncs";
import { Tree } from "./tree";
import type {
  ClaimedTask,
  ClaimRequest,
  LoadedTasks,
  LoadedWorkflow,
  Source,
  StoredWorkflow,
  TaskDetails,
  TaskOptions,
  TaskServiceApi,
  TaskServiceOptions,
  TasksByStatus,
  WorkflowListing,
} from "./types";
import { inTree, quoted, Visibility } from "./visibility";

/**
 * A queue of tasks: loads definitions and tasks, lists, claims, moves and closes tasks. It is stateless: each task and
 * definition is a workflow, and lists come from Visibility and are checked with the workflows they name. Any number of
 * processes may serve the same tasks.
 */
export class TaskService implements TaskServiceApi {
  readonly visibility: Visibility;
  private readonly definitions: Definitions;
  private readonly tree: Tree;
  private readonly reader: TaskReader;
  private readonly syncs: Syncs;
  private readonly pool: ClaimPool;
  private readonly loader: TaskLoader;

  constructor(
    private readonly client: NavigatorClient,
    private readonly options: TaskServiceOptions = {},
  ) {
    this.visibility = new Visibility(client);
    this.definitions = new Definitions(client, this.visibility);
    this.tree = new Tree(client);
    this.reader = new TaskReader(client, this.visibility, this.tree);
    this.syncs = new Syncs(client, this.visibility);
    this.pool = new ClaimPool(() => this.reader.candidates(POOL_SIZE));
    const { definitions, tree, reader, syncs } = this;
    this.loader = new TaskLoader({ client, definitions, tree, reader, syncs }, options);
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

  loadTasks(tasks: readonly unknown[], mode: "replace" | "merge", options: TaskOptions = {}): Promise<LoadedTasks> {
    return this.loader.load(tasks, mode, options);
  }

  removedByReplace(tasks: readonly unknown[]): Promise<string[]> {
    return this.loader.removedByReplace(tasks);
  }

  losingProgress(tasks: readonly unknown[], mode: "replace" | "merge"): Promise<string[]> {
    return this.loader.losingProgress(tasks, mode);
  }

  createTask(task: unknown, { drive = "agent", requested_by, retry }: TaskOptions = {}): Promise<Task> {
    return this.loader.create(task, drive, requested_by, retry);
  }

  nextTasks(limit: number, unconfirmed?: string[]): Promise<Task[]> {
    return this.reader.next(limit, unconfirmed);
  }

  tasksByStatus(status?: TaskStatus): Promise<TasksByStatus> {
    return this.reader.byStatus(status);
  }

  async task(taskId: string): Promise<TaskDetails> {
    const { task, claim } = await this.reader.view(taskId);
    return claim === null ? task : { ...task, claim };
  }

  async progress(taskId: string): Promise<TaskProgress> {
    const { workflow } = this.client.task(taskId);
    const view = await this.reader.view(taskId);
    const known = view.hasDefinition || (await this.adopt(view.task));
    const found = known ? await askQuery(workflow, messages.taskProgressQuery) : null;
    if (found === null) throw notLoaded(view.task);
    return found;
  }

  async definitionOf(taskId: string): Promise<Definition> {
    const view = await this.reader.view(taskId);
    if (!view.hasDefinition && !(await this.adopt(view.task))) throw notLoaded(view.task);
    return this.client.task(taskId).definition();
  }

  async advance(taskId: string, step: Advance, request?: string): Promise<AdvanceAnswer> {
    const update = () => this.client.task(taskId).advance(step, request, this.options.lists);
    const answer = await this.onTask(taskId, update).catch(async (error: unknown) => {
      if (error instanceof NavigatorError && error.code === "task_closed") return this.lastMove(taskId, step, error);
      // The definition was loaded after the task; the task takes it now.
      if (!(error instanceof NavigatorError) || error.code !== "workflow_not_found") throw error;
      if (!(await this.adopt((await this.reader.view(taskId)).task))) throw error;
      return update();
    });
    const { syncs, order = null, ...rest } = answer as AdvanceAnswer & { syncs?: string[]; order?: number | null };
    if (syncs !== undefined) this.syncs.note(taskId, syncs);
    if (!rest.success) return rest;
    this.reader.touched.note(taskId, knownOf(rest.task, order));
    const { waitingFor = [], parentTaskId } = rest.task;
    for (const id of [...waitingFor, ...(parentTaskId === undefined ? [] : [parentTaskId])])
      this.reader.touched.note(id, null);
    return rest as AdvanceAnswer;
  }

  /** The answer of the move that ended a task, when the same call is sent again. A task that has ended takes no updates. */
  private async lastMove(taskId: string, step: Advance, closed: NavigatorError): Promise<AdvanceAnswer> {
    if (step.version === undefined) throw closed;
    const { task } = await this.reader.view(taskId);
    const repeated = repeatedMove(await this.definitionOf(taskId), task, step);
    if (repeated === null) throw closed;
    return { ...valueOrThrow(repeated), version: versionOf(task) };
  }

  async claim(taskId: string, claim: ClaimRequest): Promise<ClaimedTask> {
    const { order, ...claimed } = await this.onTask(taskId, () =>
      this.client.task(taskId).update(messages.claim, [claim]),
    );
    this.reader.touched.note(taskId, knownOf(claimed.task, order));
    return claimed;
  }

  async claimNext(limit: number, claim: ClaimRequest): Promise<ClaimedTask[]> {
    const claimed: ClaimedTask[] = [];
    const until = Date.now() + CLAIM_PATIENCE_MS;
    const silent: unknown[] = [];
    while (claimed.length < limit && (claimed.length === 0 || Date.now() < until)) {
      const id = await this.pool.take();
      if (id === null) break;
      try {
        claimed.push(await this.claim(id, claim));
      } catch (error) {
        const code = error instanceof NavigatorError ? error.code : "";
        // One task whose worker is silent must not keep the others.
        if (code === "no_worker") silent.push(error);
        if (TAKEN.has(code) || (code === "no_worker" && silent.length < MOST_SILENT)) continue;
        // The caller must get the tasks that are already claimed, or nobody works on them until the lease ends.
        if (claimed.length === 0) throw error;
        break;
      }
    }
    if (claimed.length === 0 && silent.length > 0) throw silent[0];
    return claimed;
  }

  async release(taskId: string, token: ClaimToken): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.release, [token]));
  }

  pause(taskId: string, note?: string): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.pauseTask, [noteOf(note)]));
  }

  resume(taskId: string): Promise<Task> {
    return this.change(taskId, () => this.client.task(taskId).update(messages.resumeTask, []));
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

  private async stepsRemoved(definition: Definition): Promise<LoadedWorkflow["warnings"]> {
    const base = await this.tree.base();
    const using = await this.visibility.tasks(
      `${inTree(base)} AND ${ATTRIBUTE.workflow} = ${quoted(definition.id)} AND ExecutionStatus = "Running"`,
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
    this.reader.touched.note(taskId, knownOf(task, order));
    return task;
  }

  private async onTask<T>(taskId: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw isAbsent(error) ? notFound(taskId) : error;
    }
  }
}

/** If at least one task is claimed, there is no further attempt. */
const CLAIM_PATIENCE_MS = 5_000;

/** If the workers of so many tasks do not answer, no other task is tried. */
const MOST_SILENT = 3;

/** Somebody else was faster, or the task cannot be claimed. */
const TAKEN = new Set([
  "task_claimed",
  "task_closed",
  "task_paused",
  "task_in_hitl",
  "task_waiting",
  "child_active",
  "task_not_found",
]);

const noteOf = (note: string | undefined) => (note === undefined ? {} : { note });

function notLoaded({ id, workflowType }: Task): NavigatorError {
  return new NavigatorError("workflow_not_found", `Workflow "${workflowType}" of task "${id}" is not loaded.`, {
    details: { workflowId: workflowType },
  });
}

/** A list older than this may miss new tasks, or offer too many that others have taken. */
const FRESH_MS = 500;
/** Candidates of one list, enough for many clients of this process. */
const POOL_SIZE = 64;

/**
 * Tasks that may be claimed, shared by all clients of this process. One list serves many clients, and no two of them try
 * the same task. If another process has claimed a task, the task itself refuses the claim.
 */
class ClaimPool {
  private ids: string[] = [];
  private listedAt = 0;
  private listing: Promise<void> | null = null;
  private readonly handedOut = new Map<string, number>();

  /** @param list gives candidates, best first; `equal`: this many of them are as good as the first */
  constructor(private readonly list: () => Promise<{ ids: string[]; equal: number }>) {}

  /** The best candidate that no client of this process has just tried; null = there is none. */
  async take(): Promise<string | null> {
    if (this.ids.length === 0 || Date.now() - this.listedAt > FRESH_MS) await this.refresh();
    const id = this.ids.shift() ?? null;
    if (id !== null) this.handedOut.set(id, Date.now());
    return id;
  }

  private refresh(): Promise<void> {
    this.listing ??= this.fill().finally(() => {
      this.listing = null;
    });
    return this.listing;
  }

  private async fill(): Promise<void> {
    const began = Date.now();
    const { ids, equal } = await this.list();
    // Longer than the lag of lists.
    for (const [id, at] of this.handedOut) if (began - at > 4 * FRESH_MS) this.handedOut.delete(id);
    const free = spread(ids, equal).filter((id) => !this.handedOut.has(id));
    this.ids = free;
    this.listedAt = Date.now();
  }
}

/** Starts at a random one of the `equal` best, so that processes that list at the same time try different tasks. */
function spread(ids: readonly string[], equal: number): string[] {
  const at = Math.floor(Math.random() * equal);
  return [...ids.slice(at, equal), ...ids.slice(0, at), ...ids.slice(equal)];
}
