/** Navigator as a library: define tools and agents, run workers, start missions and tasks, read what they did. */
export {
  AgentHandle,
  type ChatAnswer,
  NavigatorClient,
  NavigatorError,
  ReviewedHandle,
  type StartAgent,
  type StartTask,
  TaskHandle,
} from "./client";
export { type CompiledAgent, compileAgent } from "./compile-agent";
export { defaultFormatOptions, textReturn } from "./core/agent/app-view";
export { estimateTokens } from "./core/agent/budget";
// Not as `then`: a module that has one is taken for a promise, and importing it would never end.
export { contextOf, isStep, then as chain } from "./core/agent/chain";
export type { AgentDefinition } from "./core/agent/definition";
export { parseAgent } from "./core/agent/parse-agent";
export { type PromptPreview, previewPrompt } from "./core/agent/preview";
export type { Budget } from "./core/agent/purse";
export type { RunOptions } from "./core/agent/run-options";
export type { Step, Turn, Usage } from "./core/agent/step";
export { expandBuiltinTools, toolSpecs as effectiveTools } from "./core/agent/tools/run-tools";
export type { Failure, Result } from "./core/failure";
export { parseDefinition } from "./core/graph/parse";
export { newTask, type Task } from "./core/graph/task";
export { type Projection, projectJournal } from "./core/journal/project";
export type { TimelineEntry } from "./core/journal/timeline";
export type { JournalRow } from "./core/journal/view";
export type { Json, JsonObject } from "./core/json";
export type { Decision, Review } from "./core/review/review";
export type { ToolSpec } from "./core/tool";
export {
  filterTrace,
  slowestSpans,
  type TimelineRow,
  type TraceNode,
  type TraceSummary,
  traceSummary,
  traceTimeline,
  traceTree,
} from "./core/trace/analyse";
export { type TraceLine, type TraceLog, traceText } from "./core/trace/line";
export { loadTrace, TraceFormatError } from "./core/trace/load";
export { type MissionHistories, missionLogs } from "./core/trace/mission-logs";
export { type AgentSource, defineAgent } from "./define-agent";
export { flatten, type MissionTree, missionHistories, missionTrace, missionTree } from "./missions";
export * from "./models";
export { FailedStepError, runOrThrow, thenOrThrow } from "./or-throw";
export {
  type EventsAnswer,
  PlanHandle,
  type PlanRunResult,
  type PlanStatus,
  type StartPlan,
  type ToldEvent,
} from "./plan-client";
export { type PrintOptions, printChain, printTrace } from "./print-trace";
export { type ScheduleAgent, scheduledRunId } from "./schedule";
export { ensureSearchAttributes } from "./server/search-attributes";
export * from "./tools";
export * from "./tracer";
export { createWorker, type NavigatorWorkerOptions } from "./worker";
