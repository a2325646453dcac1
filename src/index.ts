/** Navigator as a library: define tools and agents, run workers, start missions and tasks, read what they did. */

export { type CompiledAgent, compileAgent } from "./authoring/compile-agent";
export { type AgentSource, defineAgent } from "./authoring/define-agent";
export { type PrintOptions, printChain, printTrace } from "./authoring/print-trace";
export * from "./authoring/tracer";
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
export { flatten, type MissionTree, missionHistories, missionTrace, missionTree } from "./client/mission-tree";
export {
  type EventsAnswer,
  PlanHandle,
  type PlanRunResult,
  type PlanStatus,
  type StartPlan,
  type ToldEvent,
} from "./client/plan-client";
export { FailedStepError, runOrThrow, thenOrThrow } from "./client/run-or-throw";
export { type ScheduleAgent, scheduledRunId } from "./client/schedule";
export { estimateTokens } from "./core/agent/budget/token-counts";
export { defaultFormatOptions } from "./core/agent/definition/agent-file";
export type { Budget } from "./core/agent/definition/agent-input";
export type { AgentDefinition } from "./core/agent/definition/definition";
export { parseAgent } from "./core/agent/definition/parse-agent";
export type { RunOptions } from "./core/agent/definition/run-options";
export { textReturn } from "./core/agent/prompt/text-prompt";
export type { Step, Turn, Usage } from "./core/agent/result/step";
// Not as `then`: a module that has one is taken for a promise, and importing it would never end.
export { contextOf, isStep, then as chain } from "./core/agent/run/chain";
export { type PromptPreview, previewPrompt } from "./core/agent/run/preview";
export { expandBuiltinTools, toolSpecs as effectiveTools } from "./core/agent/tools/run-tools";
export type { Failure, Result } from "./core/base/failure";
export type { Json, JsonObject } from "./core/base/json";
export type { ToolSpec } from "./core/calls/tool";
export { parseDefinition } from "./core/graph/definition/parse";
export { newTask, type Task } from "./core/graph/task/task";
export { type Projection, projectJournal } from "./core/journal/project";
export type { TimelineEntry } from "./core/journal/timeline";
export type { JournalRow } from "./core/journal/view";
export type { Decision, Review } from "./core/review/review";
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
export * from "./models";
export { ensureSearchAttributes } from "./server/search-attributes";
export * from "./tools";
export { createWorker, type NavigatorWorkerOptions } from "./worker";
