import { defined } from "../../core/base/defined";
import { startableProject } from "../../core/base/input/project";
import { isObject } from "../../core/base/is-object";
import { NavigatorError } from "../../core/base/navigator-error";
import type { StoredVersion } from "../../core/graph/definition/stored";
import type { Task } from "../../core/graph/task/task";
import type { NavigatorTaskInput } from "../../workflows/navigator-task-input";
import { checkSendable, checkSize } from "../../workflows/start/sendable";
import type { NavigatorClient } from "../client";
import { inBatches } from "./concurrency";
import type { Definitions } from "./definitions";
import { byStatus, readTask, readTasks, removeTasks, workflowTypeOf } from "./load-tasks";
import { knownOf, type TaskReader } from "./reader";
import { putTask, startTask } from "./start";
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
    const { client, definitions, tree, reader, syncs } = this.parts;
    startableProject(client.project);
    const types = raw.map(workflowTypeOf).filter((type) => type !== undefined);
    const loaded = await definitions.findAll(types);
    const { tasks, warnings } = readTasks(raw, loaded, Date.now());
    const ids = new Set(tasks.map(({ task }) => task.id));
    const inputs = tasks.map(({ task, stored }) => this.input(task, stored, drive));
    const base = await tree.base();
    const before = await reader.inTree(base);
    const first = await tree.allocate(tasks.length);

    let done = 0;
    await inBatches(
      inputs.map((input, index) => {
        const order = (mode === "merge" ? before.get(input.task.id)?.order : undefined) ?? first + index;
        // Of a task that runs already, this asks nothing anew: it keeps who has asked for it.
        return { task: input.task, order, input: { ...input, order, ...defined({ requested_by }) } };
      }),
      async ({ task, order, input }) => {
        syncs.note(task.id, await putTask(client, input, by));
        reader.touched.note(task.id, knownOf(task, order));
        done += 1;
      },
      ({ task }) => reader.find(task.id),
    ).catch((error: unknown) => {
      throw incomplete(error, done, tasks.length);
    });
    if (mode === "replace") {
      await tree.replace(first);
      const gone = [...before.values()].filter(({ id, order, running }) => running && order !== null && !ids.has(id));
      const stray = await reader.leftBehind(first, ids);
      const unwanted = new Set([...gone.map(({ id }) => id), ...stray]);
      await removeTasks(client, [...unwanted], (id, open) => syncs.note(id, open));
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

  /** The tasks of the tree that a list does not have. */
  async removedByReplace(raw: readonly unknown[]): Promise<string[]> {
    const { tree, reader } = this.parts;
    const ids = new Set(raw.map((one) => (isObject(one) ? one.id : undefined)));
    const there = await reader.inTree(await tree.base());
    return [...there.values()].filter(({ id, order }) => order !== null && !ids.has(id)).map(({ id }) => id);
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

  /** What the task's workflow is started with, besides its order. @throws `invalid_input`, `payload_too_large` */
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

/** What was loaded stays: repeating the load puts the same tasks into the same state, and adds the rest. */
function incomplete(error: unknown, loaded: number, total: number): NavigatorError {
  const { code = "server_error", message } = error as Partial<NavigatorError> & Error;
  if (error instanceof NavigatorError && code === "agents_may_not_decide")
    return new NavigatorError(code, `Loaded ${loaded} of ${total} tasks, then: ${message}`, {
      hint: "Leave that task where it is: the people who are named there decide. The other tasks can be loaded.",
      details: { loaded, total },
      cause: error,
    });
  return new NavigatorError("load_incomplete", `Loaded ${loaded} of ${total} tasks, then: ${message}`, {
    hint: "Repeat the same load: it finishes. Until then the tree has the earlier tasks and those that were loaded.",
    details: { loaded, total, code },
    cause: error,
    exitCode: 3,
  });
}
