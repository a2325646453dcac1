/** All of a task: its data, how it advances, how people redirect it. */
export { Advance, type AdvanceAnswer, type Advanced, advanceTask } from "./advance";
export { closeTask, sendTo } from "./redirect";
export {
  newTask,
  parseTask,
  retriesUsedAt,
  TASK_STATUSES,
  Task,
  TaskEntry,
  type TaskInput,
  type TaskStatus,
} from "./task-schema";
