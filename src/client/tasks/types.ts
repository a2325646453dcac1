import type { AgentDefinition } from "../../core/agent/definition/definition";
import type { Definition } from "../../core/graph/definition/schema";
import type { DefinitionSource } from "../../core/graph/definition/stored";
import type { Finding } from "../../core/graph/nodes/findings";
import type { ExecutionPlan } from "../../core/graph/show/levels";
import type { TaskProgress } from "../../core/graph/show/progress";
import type { Claim } from "../../core/graph/task/claim";
import type { ClaimRequest, ClaimToken } from "../../core/graph/task/claim-input";
import type { SyncRecord } from "../../core/graph/task/sync";
import type { Advance, AdvanceAnswer, Task, TaskStatus } from "../../core/graph/task/task";
import type { Mover } from "../../core/review/people/mover";
import type { Claimed, NavigatorTaskInput } from "../../workflows/navigator-task-input";

/**
 * What can be done with definitions and tasks, as plain data: the contract between the command line, the MCP server
 * and `TaskService`, which does it on Temporal. Shapes are those of the graph reference, section 8. Every refusal is a
 * `NavigatorError` with a stable `code`.
 */
export interface TaskServiceApi {
  listWorkflows(source?: Source): Promise<WorkflowListing[]>;
  /** @throws invalid_workflow, invalid_id, id_mismatch; `details.issues` has all findings. */
  loadWorkflow(id: string | undefined, definition: unknown, source?: Source): Promise<LoadedWorkflow>;
  /** The newest version, or the one asked for. @throws workflow_not_found, not_found */
  workflow(id: string, version?: number): Promise<StoredWorkflow>;
  /** @throws workflow_not_found */
  executionPlan(workflowId: string): Promise<ExecutionPlan>;

  /**
   * All tasks are checked before any is loaded. A load that is interrupted later can be repeated: it finishes what is
   * missing.
   *
   * @throws invalid_task (details.index, details.field), duplicate_task_id, load_incomplete (details.loaded,
   *   details.total)
   */
  loadTasks(tasks: readonly unknown[], mode: "replace" | "merge", options?: TaskOptions): Promise<LoadedTasks>;
  /** The ids of the tasks that loading this list with `replace` would take out of the tree. */
  removedByReplace(tasks: readonly unknown[]): Promise<string[]>;
  /** The ids of the tasks that would lose moves or a claim, because this list names their step or status. Ask before you load it. */
  losingProgress(tasks: readonly unknown[], mode: "replace" | "merge"): Promise<string[]>;
  /** Adds one task and starts it. @throws invalid_task, already_exists, workflow_not_found */
  createTask(task: unknown, options?: TaskOptions): Promise<Task>;
  /**
   * Pending tasks, the most important first.
   *
   * @param unconfirmed a list that gets the ids of those whose worker does not answer: they are left out
   */
  nextTasks(limit: number, unconfirmed?: string[]): Promise<Task[]>;
  /** @throws task_not_found */
  task(taskId: string): Promise<TaskDetails>;
  /** @throws task_not_found, workflow_not_found */
  progress(taskId: string): Promise<TaskProgress>;
  /** The definition that the task keeps. @throws task_not_found, workflow_not_found */
  definitionOf(taskId: string): Promise<Definition>;
  tasksByStatus(status?: TaskStatus): Promise<TasksByStatus>;

  /**
   * @param request id of the call: two calls with the same id are one
   * @throws the codes of graph reference, section 4
   */
  advance(taskId: string, step: Advance, request?: string): Promise<AdvanceAnswer>;
  /** @throws task_not_found, task_claimed, task_closed, task_paused, task_in_hitl, task_waiting, child_active */
  claim(taskId: string, claim: ClaimRequest): Promise<ClaimedTask>;
  /** Claims the most important free tasks: at most `limit`, fewer if there are no more. */
  claimNext(limit: number, claim: ClaimRequest): Promise<ClaimedTask[]>;
  /** Gives a claim back before its lease ends. @throws task_not_found, claim_lost */
  release(taskId: string, token: ClaimToken): Promise<Task>;
  /** @throws task_not_found, task_closed */
  pause(taskId: string, note?: string): Promise<Task>;
  /** @throws task_not_found, not_paused */
  resume(taskId: string): Promise<Task>;
  /** Ends the task where it is: FAILED, endResult cancelled. @throws task_not_found, task_closed */
  cancel(taskId: string, note?: string): Promise<Task>;

  /** Records that are not confirmed, oldest first, at most `limit` of them (default: all). */
  pendingSyncs(limit?: number): Promise<{ total: number; pending: SyncRecord[] }>;
  /** Only the ids: cheap enough for every answer. */
  syncReminder(limit: number): Promise<{ total: number; pending: { id: string; taskId: string }[] }>;
  confirmSyncs(ids: readonly string[]): Promise<{ confirmed: string[]; notFound: string[]; remaining: number }>;
  confirmSyncsOfTask(taskId: string): Promise<{ taskId: string; confirmed: string[]; remaining: number }>;
}

/** Where a definition came from (graph reference, section 9.7). */
export type Source = DefinitionSource;

/** A definition in a list. */
export interface WorkflowListing {
  id: string;
  name: string;
  description: string;
  stepCount: number;
  source: Source;
  version: number;
}

/** What loading a definition gave. */
export interface LoadedWorkflow {
  id: string;
  name: string;
  /** 1 for the first version. Loading the same text again makes no new version. */
  version: number;
  stepCount: number;
  edgeCount: number;
  /** Whether there was a definition with this id before. */
  replaced: boolean;
  warnings: (Finding | { code: "step_removed"; message: string; taskId: string; nodeId: string })[];
}

/** A definition as the queue keeps it. */
export interface StoredWorkflow {
  definition: Definition;
  version: number;
  source: Source;
}

/** Agents and models for tasks whose nodes run agents. */
export interface TaskServiceOptions {
  /** Agents by name, for tasks whose nodes drive themselves. */
  agents?: { [name: string]: AgentDefinition };
  /** The model of agents that name none. */
  model?: string;
  /**
   * Of a process that ends with its worker: lists are updated after each of its moves. Default `soon`: once a second,
   * while a worker lives.
   */
  lists?: "soon" | "at_once";
}

export interface TaskOptions {
  /** Who asks for it (of a single task): that principal decides none of its reviews, unless their terms allow it. */
  requested_by?: string;
  /**
   * `agent`: nodes whose agent is known run automatically (default: external for loaded tasks, agent for created ones).
   */
  drive?: "external" | "agent";
  /** Of a task that is tried again: which one, what that has done, the agents that it had, and who asked for it. */
  retry?: Partial<Pick<NavigatorTaskInput, "retry" | "effects" | "agents" | "model" | "requested_by">>;
  /** Who loads them, if an agent does: it may not load a task past the people who are asked there. */
  by?: Mover;
}

/** What loading a list of tasks gave. */
export interface LoadedTasks {
  loaded: number;
  /** Earlier tasks that were removed or overwritten. */
  replaced: number;
  total: number;
  byStatus: { [status in TaskStatus]: number };
  warnings: { code: "workflow_not_loaded" | "unknown_step"; message: string; taskId: string }[];
}

/**
 * How many tasks are in each state, and the tasks that were asked for. A task whose worker does not answer is listed as
 * Visibility knows it, without its history, and its id is in `unconfirmed`.
 */
export interface TasksByStatus {
  /** Ids of tasks that no worker confirmed: nobody serves their task queue, or it is stuck. */
  unconfirmed?: string[];
  counts: { [status in TaskStatus]: number };
  tasks: { [status in TaskStatus]?: Task[] };
}

/** A task with its claim. Only the holder knows the claim's token. */
export interface TaskDetails extends Task {
  claim?: Omit<Claim, "token">;
}

export type { ClaimRequest } from "../../core/graph/task/claim-input";

/** A claimed task. Any other token than this one is refused as `claim_lost`. */
export type ClaimedTask = Omit<Claimed, "order">;
