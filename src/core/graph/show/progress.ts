import { defined } from "../../base/defined";
import { type Definition, edgesFrom, maxRetriesOf, nodeName, nodeOf, workOf } from "../definition/schema";
import { endingAt } from "../nodes/end";
import { retriesUsedAt } from "../task/new-task";
import type { Task, TaskEntry, TaskStatus } from "../task/task-schema";
import { executionPlan } from "./levels";

/** Where a task is on its graph, as `get_task_progress` answers (graph reference, section 8). */
export interface TaskProgress {
  taskId: string;
  workflowType: string;
  currentStep: string;
  stepName: string;
  stage: string | null;
  agent: string | null;
  status: TaskStatus;
  /** null: the definition no longer has the step. */
  level: number | null;
  levelCount: number;
  /** 0..100, by level; 100 at any end. */
  percent: number;
  visited: Pick<TaskEntry, "step" | "result" | "action" | "at">[];
  retryCount: number;
  stepRetries: Task["stepRetries"];
  /** For the current step. */
  retriesRemaining: number;
  nextSteps: { to: string; on?: string; label?: string }[];
  terminal?: "success" | "failure" | "hitl";
  /** At a wait node: when the task continues, ms since 1970. */
  waitingUntil?: number;
}

/** How far a task has come on its graph, and what may come next (graph reference, section 8). */
export function taskProgress(definition: Definition, task: Task): TaskProgress {
  const step = task.currentStep;
  const node = nodeOf(definition, step);
  const work = workOf(node);
  const { levels, levelCount } = executionPlan(definition);
  const level = levels.findIndex((ids) => ids.includes(step));
  const { terminal } = endingAt(definition, step);
  return {
    taskId: task.id,
    workflowType: task.workflowType,
    currentStep: step,
    stepName: nodeName(definition, step),
    stage: work?.stage ?? null,
    agent: work?.agent ?? null,
    status: task.status,
    level: level === -1 ? null : level,
    levelCount,
    percent: terminal ? 100 : Math.floor((Math.max(level, 0) * 100) / Math.max(levelCount - 1, 1)),
    visited: task.history.map(({ step: from, result, action, at }) => ({ step: from, result, action, at })),
    retryCount: task.retryCount,
    stepRetries: task.stepRetries,
    retriesRemaining: node ? Math.max(maxRetriesOf(node) - retriesUsedAt(task, step), 0) : 0,
    nextSteps: edgesFrom(definition, step).map(({ to, on, label }) => ({
      to,
      ...defined({ on, label }),
    })),
    ...defined({ terminal, waitingUntil: task.waitingUntil }),
  };
}
