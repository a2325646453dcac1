/** The workflows: entry of the bundle. */
export { agentRun } from "./agent-run";
export { navigatorTask } from "./navigator-task";
export { planRun } from "./plan/plan-run";
export { scheduledAgent } from "./scheduled-agent";
export { taskTree } from "./task-tree";
export { workflowDefinition } from "./workflow-definition";
