/**
 * Everything about a task: its data, how it advances, how people redirect it. Workflows use it, so it does not import
 * the schemas: `parseTaskInput` and `parseAdvance` parse input at the boundary.
 */

export { type AdvanceAnswer, type Advanced, advanceTask } from "./advance";
export type { Advance } from "./advance-input";
export { newTask, retriesUsedAt } from "./new-task";
export { closeTask, sendTo } from "./redirect";
export { versionOf } from "./repeat";
export type { Task, TaskEntry, TaskInput, TaskStatus } from "./task-schema";
