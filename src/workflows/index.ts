/** The workflows: entry of the bundle. */
export { agentRun } from "./agent/agent-run";
export { scheduledAgent } from "./agent/scheduled-agent";
export { effectGuard } from "./effect-guard";
export { planRun } from "./plan/plan-run";
export { navigatorTask } from "./task/navigator-task";
export { taskTree } from "./task-tree";
export { undoRun } from "./undo/undo-run";
export { workflowDefinition } from "./workflow-definition";
