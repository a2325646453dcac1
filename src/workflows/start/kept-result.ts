import { isObject } from "../../core/base/is-object";
import type { Task } from "../../core/graph/task/task";
import type { PlanRunResult } from "../plan-run-input";

/** The details of the failure of a task or plan that failed its workflow (docs/decisions/0015): its result. */

/** A task as it ended. */
export const isTaskResult = (result: unknown): result is Task => isObject(result) && "workflowType" in result;

/** The result of a plan that failed. */
export const isFailedPlan = (result: unknown): result is PlanRunResult =>
  isObject(result) && result.status === "error" && Array.isArray(result.task_results);
