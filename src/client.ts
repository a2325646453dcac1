/** Starts missions, tasks and plans, and talks to those that run. */

export { NavigatorClient, type StartAgent, type StartTask } from "./client/client";
export { AgentHandle, ReviewedHandle, TaskHandle } from "./client/handles";
export {
  type EventsAnswer,
  PlanHandle,
  type PlanRunResult,
  type PlanStatus,
  type ShownEvent,
  type StartPlan,
} from "./client/plan-client";
export type { RetriedMission, RetryOptions, TakenOver } from "./client/retry-mission";
export { FailedStepError, runOrThrow, thenOrThrow } from "./client/run-or-throw";
export { type ScheduleAgent, scheduledRunId } from "./client/schedule";
export { TaskService } from "./client/tasks/task-service";
export type { TaskServiceOptions } from "./client/tasks/types";
export { MissionUndo, type RunUndo, type UndoOptions, type UndoRunResult } from "./client/undo";
export type { ChatAnswer } from "./core/agent/chat/chat-mission";
export { NavigatorError } from "./core/base/navigator-error";
export type { EffectEntry, EffectState } from "./core/effects/entry";
