import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import type { Definition } from "../../core/graph/definition/schema";
import { nodeOf } from "../../core/graph/definition/schema";
import type { StoredVersion } from "../../core/graph/definition/stored";
import { parseNewTask } from "../../core/graph/task/task-input";
import { TASK_STATUSES, type Task } from "../../core/graph/task/task-schema";
import * as messages from "../../workflows/messages";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { atOnce } from "./concurrency";
import type { LoadedTasks } from "./types";

/** A list of tasks after reading. It is loaded only if all tasks are valid. */
export interface ReadTasks {
  tasks: { task: Task; stored: StoredVersion | undefined }[];
  warnings: LoadedTasks["warnings"];
}

/** @throws NavigatorError invalid_task with `index` and `field`, duplicate_task_id */
export function readTasks(
  raw: readonly unknown[],
  loaded: ReadonlyMap<string, StoredVersion>,
  nowMs: number,
): ReadTasks {
  const seen = new Map<string, number>();
  const warnings: LoadedTasks["warnings"] = [];
  const tasks = raw.map((one, index) => {
    const stored = loaded.get(workflowTypeOf(one) ?? "");
    const task = readTask(one, stored?.definition, index, nowMs);
    const first = seen.get(task.id);
    if (first !== undefined)
      throw new NavigatorError(
        "duplicate_task_id",
        `tasks[${index}] and tasks[${first}] have the same id "${task.id}".`,
        {
          details: { index, id: task.id },
        },
      );
    seen.set(task.id, index);
    warnings.push(...warningsOf(task, stored?.definition));
    return { task, stored };
  });
  return { tasks, warnings };
}

/** @param index position in the list; undefined = a single task */
export function readTask(
  raw: unknown,
  definition: Definition | undefined,
  index: number | undefined,
  nowMs: number,
): Task {
  const read = parseNewTask(raw, definition, nowMs);
  const at = index === undefined ? "" : `tasks[${index}]: `;
  const place: JsonObject = defined({ index });
  if (!read.ok) {
    const issues = (read.fail.details?.issues ?? []) as { field: string; message: string }[];
    throw new NavigatorError("invalid_task", `${at}${read.fail.message}`, {
      details: { ...place, field: issues[0]?.field ?? "", issues: issues as never },
    });
  }
  return read.value;
}

/** Reads the graph that an unchecked task names; undefined = it names none. */
export function workflowTypeOf(raw: unknown): string | undefined {
  return isObject(raw) && typeof raw.workflowType === "string" ? raw.workflowType : undefined;
}

function warningsOf(task: Task, definition: Definition | undefined): LoadedTasks["warnings"] {
  const { id, workflowType, currentStep } = task;
  if (!definition)
    return [
      {
        code: "workflow_not_loaded",
        message: `Workflow "${workflowType}" of task "${id}" is not loaded: load it before you advance the task.`,
        taskId: id,
      },
    ];
  if (nodeOf(definition, currentStep)) return [];
  return [
    {
      code: "unknown_step",
      message: `Task "${id}" is at "${currentStep}", which is not a step of workflow "${workflowType}".`,
      taskId: id,
    },
  ];
}

/** Takes tasks out of the tree. A task that is over is left as it is. */
export async function removeTasks(
  client: NavigatorClient,
  ids: readonly string[],
  removed: (id: string, syncs: string[]) => void,
): Promise<void> {
  await atOnce(ids, async (id) => {
    try {
      const { syncs } = await ask(() => client.task(id).workflow.executeUpdate(messages.remove));
      removed(id, syncs);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  });
}

/** All six statuses, also those without tasks. */
export function byStatus(statuses: Iterable<string>): LoadedTasks["byStatus"] {
  const counts = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as LoadedTasks["byStatus"];
  for (const status of statuses) if (Object.hasOwn(counts, status)) counts[status as keyof typeof counts] += 1;
  return counts;
}
