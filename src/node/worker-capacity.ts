import type { WorkerOptions } from "@temporalio/worker";
import { z } from "zod";
import { defined } from "../core/base/defined";

const count = (least: number, most: number) =>
  z
    .int("must be a whole number")
    .min(least, `must be ${least} to ${most}`)
    .max(most, `must be ${least} to ${most}`)
    .optional();

/** How much a worker does at the same time; Temporal's SDK has a default for each (docs/operations.md). */
export const WorkerCapacity = z.strictObject({
  /** Workflows in the memory of the worker, about 250 kB each. A workflow that is not cached is replayed at its next event. */
  cached_workflows: count(2, 100_000),
  /** Calls of models and tools. */
  concurrent_calls: count(1, 10_000),
  concurrent_workflow_tasks: count(2, 1_000),
  /** Requests for work that are open at the server, for calls and for workflow tasks each. */
  pollers: count(2, 1_000),
});
export type WorkerCapacity = z.output<typeof WorkerCapacity>;

/** The environment's variable, and the option of `navigator worker`, for each. */
export const CAPACITY_SETTINGS: readonly (readonly [keyof WorkerCapacity, variable: string, option: string])[] = [
  ["cached_workflows", "NAVIGATOR_CACHED_WORKFLOWS", "--cached-workflows"],
  ["concurrent_calls", "NAVIGATOR_CONCURRENT_CALLS", "--concurrent-calls"],
  ["concurrent_workflow_tasks", "NAVIGATOR_CONCURRENT_WORKFLOW_TASKS", "--concurrent-workflow-tasks"],
  ["pollers", "NAVIGATOR_POLLERS", "--pollers"],
];

/** The same in the words of Temporal's SDK. */
export const capacityOptions = (capacity: WorkerCapacity): Partial<WorkerOptions> =>
  defined({
    maxCachedWorkflows: capacity.cached_workflows,
    maxConcurrentActivityTaskExecutions: capacity.concurrent_calls,
    maxConcurrentWorkflowTaskExecutions: capacity.concurrent_workflow_tasks,
    maxConcurrentActivityTaskPolls: atMost(capacity.pollers, capacity.concurrent_calls),
    maxConcurrentWorkflowTaskPolls: atMost(capacity.pollers, capacity.concurrent_workflow_tasks),
  });

/** The SDK refuses more open requests than places. */
const atMost = (pollers: number | undefined, places: number | undefined): number | undefined =>
  pollers === undefined ? undefined : Math.min(pollers, places ?? pollers);
