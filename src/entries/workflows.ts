/**
 * `navigator-agents/workflows`: Navigator inside workflows. `runAgent`, `runTask` and `runPlan` start its work from workflows of
 * your own; the workflows themselves are for bundles that are made without `NavigatorPlugin` (docs/embedding.md).
 */
export {
  agentRun,
  effectGuard,
  navigatorTask,
  planRun,
  scheduledAgent,
  taskTree,
  undoRun,
  workflowDefinition,
} from "../workflows";
export type { ChildWorkOptions } from "../workflows/embedded/child-work";
export {
  type NexusDecide,
  type NexusRunAgent,
  type NexusRunPlan,
  type NexusRunTask,
  navigatorService,
} from "../workflows/embedded/nexus-service";
export { type RunAgent, runChildAgent as runAgent } from "../workflows/embedded/run-agent";
export { type RunPlan, runChildPlan as runPlan } from "../workflows/embedded/run-plan";
export { type RunRemoteAgent, runRemoteAgent } from "../workflows/embedded/run-remote-agent";
export { type RunTask, runChildTask as runTask } from "../workflows/embedded/run-task";
