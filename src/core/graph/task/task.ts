/**
 * All of a task: its data, how it advances, how people redirect it. Workflows drive it, so it keeps clear of the
 * schemas: what comes from outside is read by `parseTaskInput` and `parseAdvance`, at the boundary that it crosses.
 */

export { type AdvanceAnswer, type Advanced, advanceTask } from "./advance";
export type { Advance } from "./advance-input";
export { newTask, retriesUsedAt } from "./new-task";
export { closeTask, sendTo } from "./redirect";
export type { Task, TaskEntry, TaskInput, TaskStatus } from "./task-schema";
