/** Navigator as a library: define tools, agents, graphs and plans, run workers, start work and read what it did. */

export type { EmailOptions } from "./activities/notify/email";
export type { NotifyOptions } from "./activities/notify/notifier";
export {
  AgentHandle,
  type ChatAnswer,
  type EffectEntry,
  type EffectState,
  type EventsAnswer,
  FailedStepError,
  NavigatorClient,
  NavigatorError,
  PlanHandle,
  type PlanRunResult,
  type PlanStatus,
  ReviewedHandle,
  runOrThrow,
  type ScheduleAgent,
  type ShownEvent,
  type StartAgent,
  type StartPlan,
  type StartTask,
  scheduledRunId,
  TaskHandle,
  TaskService,
  type TaskServiceOptions,
  thenOrThrow,
} from "./client";
export type { Budget } from "./core/agent/definition/agent-input";
export type { AgentDefinition } from "./core/agent/definition/definition";
export type { RunOptions } from "./core/agent/definition/run-options";
export type { AnyAgent, ContextOf, ReturnOf, StepOf, TypedAgent } from "./core/agent/definition/typed-agent";
export { failedStep, okStep } from "./core/agent/result/make-step";
export type { Step, Usage } from "./core/agent/result/step";
export { failureTurn, successTurn, type Turn, type TurnParams } from "./core/agent/result/turn";
// Not as `then`: a module with one is treated as a promise, and importing it would never end.
export { type Chained, contextOf, isStep, then as chain } from "./core/agent/run/chain";
export type { Duration } from "./core/base/duration";
export { ERROR_CODES, type ErrorCode } from "./core/base/error-codes";
export type { Failure, Reason, Result } from "./core/base/failure";
export type { Json, JsonObject } from "./core/base/json";
export type { EffectLookup } from "./core/calls/host";
export type { CallSettings } from "./core/calls/model-settings";
export type { ToolSpec } from "./core/calls/tool";
export type { DeclaredInput } from "./core/effects/declared-input";
export type { Definition } from "./core/graph/definition/schema";
export type { Task } from "./core/graph/task/task";
export type { LedgerVerdict } from "./core/history/export/verdict";
export { type Projection, projectJournal } from "./core/history/read/project";
export { projectEffects } from "./core/history/read/project-effects";
export type { TimelineEntry } from "./core/history/read/timeline";
export type { RecordView } from "./core/journal/view";
export type { Plan } from "./core/plan/definition/plan";
export type { PeopleFile } from "./core/review/people/people-file";
export type { Decision, Review } from "./core/review/review";
export type { DefaultSettings } from "./models/default-settings";
export type { Chunk, ChunkListener, ChunkListeners } from "./models/listener";
export { type CallOptions, type Model, type ModelCall, ModelError, type ModelErrorClass } from "./models/model";
export type { ModelFunction, ModelRegistry, ModelSource } from "./models/model-source";
export { createModels, type ModelOptions, type ModelResolver } from "./models/resolver";
export type { Script, ScriptedReply } from "./models/scripted";
export { type LoggedIn, loggedIn } from "./node/identity/key-store";
export type { PrivateKey } from "./node/identity/keys";
export { verifyExportedLedger } from "./node/identity/ledger-signature";
export { readPeople } from "./node/identity/people-on-disk";
export { signDecision } from "./node/identity/sign-decision";
export type { TelemetryInput } from "./node/telemetry/settings";
export { type RunningTelemetry, startTelemetry } from "./node/telemetry/start-telemetry";
export { type CompiledAgent, compileAgent } from "./project/authoring/compile-agent";
export {
  type AgentModel,
  type AgentSource,
  defineAgent,
  type TypedAgentSource,
} from "./project/authoring/define-agent";
export { defineGraph } from "./project/authoring/define-graph";
export { definePlan } from "./project/authoring/define-plan";
export { defineConfig } from "./project/define-config";
export { loadProject, type Project } from "./project/load";
export { ensureSearchAttributes } from "./server/search-attributes";
export { type LispResult, type RunLispOptions, runLisp } from "./simulate/run-lisp";
export type { AiSdkTool, AiSdkToolSettings } from "./tools/ai-sdk-tool";
export { absent, type EffectOptions, found, unknown } from "./tools/effect-options";
export { ToolFailure, ToolRetry, UnknownOutcome } from "./tools/errors";
export type { GivenTools, ToolMap } from "./tools/given-tools";
export { McpSettings } from "./tools/mcp/settings";
export { McpSource } from "./tools/mcp/source";
export { OpenApiSettings } from "./tools/openapi/settings";
export { OpenApiSource } from "./tools/openapi/source";
export { ToolRegistry } from "./tools/registry";
export type { FromJsonSchema, JsonSchema } from "./tools/schema/json-schema";
export type { LeftOut, OpenedSource, ToolSource } from "./tools/source";
export { type DefineTool, defineTool, LATER, type Tool, type ToolContext, type UndoContext } from "./tools/tool";
export type { ApprovalOptions } from "./tools/tool-options";
export type { AiSdkSchema, ToolSchema } from "./tools/tool-schema";
export { createWorker, type NavigatorWorkerOptions, serveWorkerHealth, type WorkerHealth } from "./worker";
export { NavigatorPlugin, type NavigatorPluginOptions } from "./worker/plugin/navigator-plugin";
export type { NexusOptions } from "./worker/plugin/nexus-handlers";
