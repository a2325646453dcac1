import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from "@temporalio/client";
import { shownDetails } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import { startableProject } from "../../core/base/input/project";
import { isObject } from "../../core/base/is-object";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import { presentFormat } from "../../core/base/run-format";
import type { StoredVersion } from "../../core/graph/definition/stored";
import type { TaskReload } from "../../core/graph/task/machine/setup";
import { movesOf } from "../../core/graph/task/recent-moves";
import type { Task } from "../../core/graph/task/task";
import { namesPlace } from "../../core/graph/task/task-book";
import type { Mover } from "../../core/review/people/mover";
import type { navigatorTask } from "../../workflows/index";
import * as messages from "../../workflows/messages";
import type { NavigatorTaskInput, TaskAnswer } from "../../workflows/navigator-task-input";
import { formatAttributes, taskAttributes } from "../../workflows/search-attributes";
import { workPriority } from "../../workflows/start/priority";
import { checkSendable, checkSize } from "../../workflows/start/sendable";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { atOnce, inBatches } from "./concurrency";
import type { Definitions } from "./definitions";
import { byStatus, readTask, readTasks, removeTasks, workflowTypeOf } from "./load-tasks";
import { knownOf, type TaskReader } from "./reader";
import type { Syncs } from "./syncs";
import type { Tree } from "./tree";
import type { LoadedTasks, TaskOptions, TaskServiceOptions } from "./types";

type Drive = NonNullable<TaskOptions["drive"]>;

interface Parts {
  client: NavigatorClient;
  definitions: Definitions;
  tree: Tree;
  reader: TaskReader;
  syncs: Syncs;
}

/** Loads tasks into the tree: a list that replaces the earlier one or is added to it, or a single task. */
export class TaskLoader {
  constructor(
    private readonly parts: Parts,
    private readonly options: TaskServiceOptions,
  ) {}

  async load(
    raw: readonly unknown[],
    mode: "replace" | "merge",
    { drive = "external", by, requested_by }: TaskOptions,
  ): Promise<LoadedTasks> {
    const { client, definitions, tree, reader } = this.parts;
    startableProject(client.project);
    const types = raw.map(workflowTypeOf).filter((type) => type !== undefined);
    const loaded = await definitions.findAll(types);
    const { tasks, warnings } = readTasks(raw, loaded, Date.now());
    const ids = new Set(tasks.map(({ task }) => task.id));
    const inputs = tasks.map(({ task, stored }) => this.input(task, stored, drive));
    const base = await tree.base();
    const before = await reader.inTree(base);
    const first = await tree.allocate(tasks.length);

    const ordered = inputs.map((input, index) => {
      const there = before.get(input.task.id);
      const order = (mode === "merge" ? there?.order : undefined) ?? first + index;
      const given = Object.keys(raw[index] as object);
      const isKept = there !== undefined && !namesPlace(given) && (mode === "merge" || there.running);
      const kept = isKept ? { given } : {};
      // Of a task that runs already, this asks nothing anew: it keeps who has asked for it.
      return { ...input, order, ...kept, ...defined({ requested_by }) };
    });
    const stored = await this.store(ordered, by);
    if (mode === "replace") await this.removeOthers(before, first, ids);
    const left = mode === "replace" ? [] : [...before.values()].filter(({ id }) => !ids.has(id));
    const statuses = [...stored.map(({ status }) => status), ...left.map(({ status }) => status)];
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

  /** @returns the tasks as they are now */
  private async store(inputs: readonly Loaded[], by: TaskOptions["by"]): Promise<Task[]> {
    const { reader, syncs } = this.parts;
    const tasks: Task[] = [];
    let done = 0;
    await inBatches(
      inputs,
      async (input) => {
        const { task, syncs: open } = await storeTask(this.parts, input, by);
        syncs.note(task.id, open);
        reader.touched.note(task.id, knownOf(task, input.order));
        tasks.push(task);
        done += 1;
      },
      ({ task }) => reader.find(task.id),
    ).catch((error: unknown) => {
      throw incomplete(error, done, inputs.length);
    });
    return tasks;
  }

  /** @param first the order from which the tasks of the list stand in the tree */
  private async removeOthers(
    before: Awaited<ReturnType<TaskReader["inTree"]>>,
    first: number,
    ids: Set<string>,
  ): Promise<void> {
    const { client, tree, reader, syncs } = this.parts;
    await tree.replace(first);
    const gone = [...before.values()].filter(({ id, order, running }) => running && order !== null && !ids.has(id));
    const stray = await reader.leftOver(first, ids);
    const unwanted = new Set([...gone.map(({ id }) => id), ...stray]);
    await removeTasks(client, [...unwanted], (id, open) => syncs.note(id, open));
  }

  /** The tasks of the tree that a list does not have. */
  async removedByReplace(raw: readonly unknown[]): Promise<string[]> {
    const { tree, reader } = this.parts;
    const ids = new Set(raw.map((one) => (isObject(one) ? one.id : undefined)));
    const there = await reader.inTree(await tree.base());
    return [...there.values()].filter(({ id, order }) => order !== null && !ids.has(id)).map(({ id }) => id);
  }

  /**
   * The tasks of the tree that this list would set back: it names their step or status, and has less of their history, or they are
   * claimed. With `replace` also those that have ended.
   */
  async losingProgress(raw: readonly unknown[], mode: "replace" | "merge"): Promise<string[]> {
    const { tree, reader } = this.parts;
    const there = await reader.inTree(await tree.base());
    const named = raw.filter((one): one is Record<string, unknown> => isObject(one) && there.has(String(one.id)));
    const lost = await atOnce(named, async (one) => {
      const listed = there.get(String(one.id));
      const isOther = one.workflowType !== listed?.workflow || (mode === "replace" && listed?.running !== true);
      if (!namesPlace(Object.keys(one)) && !isOther) return [];
      const view = await reader.find(String(one.id));
      const moves = (Array.isArray(one.history) ? one.history.length : 0) + (Number(one.earlierMoves) || 0);
      const isClaimed = (view?.claim?.expiresAt ?? 0) > Date.now();
      return view !== null && (isClaimed || movesOf(view.task) > moves) ? [String(one.id)] : [];
    });
    return lost.flat();
  }

  /** @throws already_exists, and the codes of a task that cannot be read */
  /** @param retry what a task that is tried again has done */
  async create(raw: unknown, drive: Drive, requested_by?: string, retry: TaskOptions["retry"] = {}): Promise<Task> {
    const { client, definitions, tree, reader } = this.parts;
    startableProject(client.project);
    const type = workflowTypeOf(raw);
    const stored = type === undefined ? undefined : await definitions.get(type);
    const task = readTask(raw, stored?.definition, undefined, Date.now());
    const input = this.input(task, stored as StoredVersion | undefined, drive);
    const order = await tree.allocate(1);
    if (!(await startTask(client, { ...input, ...retry, order, ...defined({ requested_by }) }, "never")))
      throw new NavigatorError("already_exists", `Task "${task.id}" already exists.`, {
        details: { path: task.id, kind: "task", taskId: task.id },
        hint: "Choose another id.",
      });
    reader.touched.note(task.id, knownOf(task, order));
    return task;
  }

  /** The input of the task's workflow, besides its order. @throws `invalid_input`, `payload_too_large` */
  private input(task: Task, stored: StoredVersion | undefined, drive: Drive): NavigatorTaskInput {
    const { agents = {}, model = "" } = this.options;
    const input = {
      task,
      ...(stored === undefined ? {} : { definition: stored.definition, version: stored.version }),
      agents: drive === "agent" ? agents : {},
      model,
      drive,
    };
    checkSendable(`task "${task.id}"`, task, { exactIntegers: true });
    checkSize(`task "${task.id}" with its definition and agents`, input);
    return input;
  }
}

/** Loaded tasks stay: repeating the load brings the same tasks into the same state, and adds the rest. */
function incomplete(error: unknown, loaded: number, total: number): NavigatorError {
  const { code = "server_error", message } = error as Partial<NavigatorError> & Error;
  if (error instanceof NavigatorError && code === "agents_may_not_decide")
    return new NavigatorError(code, `Loaded ${loaded} of ${total} tasks, then: ${message}`, {
      hint: "Leave that task where it is: the people who are named there decide. The other tasks can be loaded.",
      details: { loaded, total },
      cause: error,
    });
  const until = "Until then the tree has the earlier tasks and those that were loaded.";
  return new NavigatorError("load_incomplete", `Loaded ${loaded} of ${total} tasks, then: ${message}`, {
    hint: LASTING.has(code)
      ? `Correct what the message names, and load the list again. ${until}`
      : `Repeat the same load: it finishes. ${until}`,
    details: { loaded, total, code },
    cause: error,
    exitCode: 3,
  });
}

/** A repeated load meets these again. */
const LASTING: ReadonlySet<string> = new Set(["invalid_input", "invalid_task", "invalid_id", "payload_too_large"]);

/** Starts a task in the tree; false = a task with this id is running, or must not be started again. */
async function startTask(
  client: NavigatorClient,
  input: NavigatorTaskInput,
  reuse: "again" | "never",
): Promise<boolean> {
  const { task, order, definition } = input;
  const format = presentFormat();
  try {
    await ask(() =>
      client.temporal.workflow.start<typeof navigatorTask>("navigatorTask", {
        workflowId: taskWorkflowId(task.id, client.project),
        args: [{ ...input, ...format }],
        taskQueue: client.taskQueue,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        workflowIdReusePolicy:
          reuse === "again" ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        typedSearchAttributes: [...taskAttributes(task, order), ...formatAttributes(format)],
        staticSummary: `task ${task.id} on ${task.workflowType}`,
        staticDetails: shownDetails(definition?.description ?? ""),
        ...defined({ priority: workPriority(task, client.project ?? task.issueId) }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** A task of a list. `given`: it is in the tree, and the list names neither its step nor its status. */
type Loaded = NavigatorTaskInput & Pick<TaskReload, "given"> & { order: number };

/** Brings a task into the state of the orchestrator's list, whether it exists or not. @returns it, and the records that are not confirmed */
async function storeTask(
  { client, reader }: Pick<Parts, "client" | "reader">,
  { given, ...input }: Loaded,
  by?: Mover,
): Promise<Pick<TaskAnswer, "task" | "syncs">> {
  const { task } = input;
  // The requester of an existing task stays: otherwise a person who loads it again could take the requester's place.
  const { requested_by: _, ...again } = { ...input, ...defined({ given }) };
  // Two attempts: a task that ends between the two calls is started again.
  for (let attempt = 0; ; attempt++) {
    if (given === undefined && (await startTask(client, input, "again"))) return { task, syncs: [] };
    try {
      return await ask(() =>
        client
          .task(task.id)
          .workflow.executeUpdate(messages.reload, { args: by === undefined ? [again] : [again, by] }),
      );
    } catch (error) {
      if (!isAbsent(error) || attempt > 2) throw error;
    }
    if (given === undefined) continue;
    // It has ended, and stays so.
    const ended = await reader.find(task.id);
    if (ended !== null && !ended.removed) return { task: ended.task, syncs: [] };
    if (await startTask(client, input, "again")) return { task, syncs: [] };
  }
}
