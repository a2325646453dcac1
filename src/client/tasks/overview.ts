import { isAbsent } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { TASK_STATUSES, type TaskStatus } from "../../core/graph/task/task-schema";
import * as messages from "../../workflows/messages";
import { askQuerySoon } from "../ask-query";
import type { NavigatorClient } from "../client";
import { atOnce } from "./concurrency";
import { listedTasksQuery } from "./task-page";
import { quoted, Visibility } from "./visibility";

/** The queue of tasks in figures, and where the open tasks of a graph are. */

/** How many pending tasks have a priority. */
export interface PriorityCount {
  priority: number;
  tasks: number;
}

/** A task that somebody has claimed. */
export interface TaskInWork {
  task_id: string;
  graph: string;
  step: string;
  priority: number;
  owner: string;
  /** Ms since 1970: then it is free again. */
  expires_at: number;
}

/** How many open tasks are at a step. */
export interface StepCount {
  step: string;
  tasks: number;
}

/** Tasks of a sample, and how many samples there are at most. */
const SAMPLE = 50;
const MAX_SAMPLES = 8;
/** Tasks at work that are asked who has claimed them. */
const MAX_ASKED = 100;

/** How many tasks are in each state. Tasks that ended are counted as long as the server keeps them. */
export async function countTasks(client: NavigatorClient): Promise<{ [status in TaskStatus]: number }> {
  const visibility = new Visibility(client);
  const counts = await atOnce(TASK_STATUSES, async (status) => visibility.count(listedTasksQuery({ status })));
  return Object.fromEntries(TASK_STATUSES.map((status, i) => [status, counts[i]])) as {
    [status in TaskStatus]: number;
  };
}

/**
 * Pending tasks by priority, the most important first. `others`: those of priorities that are too many to count. The priorities are
 * found in samples, each of tasks with none of those that were found before: to list a long queue would take a second.
 */
export async function pendingByPriority(
  client: NavigatorClient,
): Promise<{ priorities: PriorityCount[]; others: number }> {
  const visibility = new Visibility(client);
  const pending = listedTasksQuery({ status: "PENDING" });
  const values = new Set<number>();
  for (let sample = 0; sample < MAX_SAMPLES; sample++) {
    const known = values.size === 0 ? "" : ` AND ${ATTRIBUTE.priority} NOT IN (${[...values].join(", ")})`;
    const listed = await visibility.tasks(`${pending}${known}`, SAMPLE);
    for (const { priority } of listed) values.add(priority);
    if (listed.length < SAMPLE) break;
  }
  const [total, priorities] = await Promise.all([
    visibility.count(pending),
    atOnce([...values], async (priority) => ({
      priority,
      tasks: await visibility.count(listedTasksQuery({ status: "PENDING", priority })),
    })),
  ]);
  const sum = priorities.reduce((all, { tasks }) => all + tasks, 0);
  return {
    priorities: priorities.filter(({ tasks }) => tasks > 0).sort((a, b) => b.priority - a.priority),
    others: Math.max(0, total - sum),
  };
}

/**
 * The tasks that somebody has claimed, by the end of their leases. Each task at work is asked; `unconfirmed`: those
 * whose worker does not answer.
 */
export async function claimedTasks(client: NavigatorClient): Promise<{ held: TaskInWork[]; unconfirmed: string[] }> {
  const working = await new Visibility(client).tasks(listedTasksQuery({ status: "IN_PROGRESS" }), MAX_ASKED);
  const silent = new Set<string>();
  const unconfirmed: string[] = [];
  const claimed = await atOnce(working, async ({ id, taskQueue }): Promise<TaskInWork[]> => {
    const view = silent.has(taskQueue)
      ? undefined
      : await askQuerySoon(client.task(id).workflow, messages.taskViewQuery).catch(unlessAbsent);
    if (view === undefined) {
      silent.add(taskQueue);
      unconfirmed.push(id);
      return [];
    }
    const { task, claim } = view ?? { claim: null };
    if (claim === null || task === undefined) return [];
    const { workflowType: graph, currentStep: step, priority } = task;
    return [{ task_id: id, graph, step, priority, owner: claim.owner, expires_at: claim.expiresAt }];
  });
  return { held: claimed.flat().sort((a, b) => a.expires_at - b.expires_at), unconfirmed };
}

/** Where the open tasks of a graph are. @param steps of the definition; tasks at others are counted as `elsewhere` */
export async function tasksBySteps(
  client: NavigatorClient,
  graph: string,
  steps: readonly string[],
): Promise<{ steps: StepCount[]; elsewhere: number }> {
  const visibility = new Visibility(client);
  const open = `${listedTasksQuery({ graph })} AND ExecutionStatus = "Running"`;
  const total = await visibility.count(open);
  if (total === 0) return { steps: [], elsewhere: 0 };
  const counts = await atOnce(steps, (step) => visibility.count(`${open} AND ${ATTRIBUTE.step} = ${quoted(step)}`));
  const found = steps.flatMap((step, i) => (counts[i] === 0 ? [] : [{ step, tasks: counts[i] as number }]));
  return { steps: found, elsewhere: Math.max(0, total - found.reduce((sum, { tasks }) => sum + tasks, 0)) };
}

/** How many open tasks a graph has. */
export const countOpenTasks = (client: NavigatorClient, graph: string): Promise<number> =>
  new Visibility(client).count(`${listedTasksQuery({ graph })} AND ExecutionStatus = "Running"`);

/** A task that is gone has no claim: null. */
function unlessAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}
