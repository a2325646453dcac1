/** `navigator-agents/graph`: graphs and their tasks as plain data, for tools that need no server. */
export { checkWorkflow, type WorkflowFinding, type WorkflowWorld } from "../core/graph/cost/check-workflow";
export { type ParsedDefinition, parseDefinition } from "../core/graph/definition/parse";
export type { Definition, Edge, Node, NodeType } from "../core/graph/definition/schema";
export type { Finding } from "../core/graph/nodes/findings";
export { type ExecutionPlan, executionPlan } from "../core/graph/show/levels";
export { renderMermaid } from "../core/graph/show/mermaid";
export { type TaskProgress, taskProgress } from "../core/graph/show/progress";
export { renderWay } from "../core/graph/show/text-diagram";
export {
  type Advance,
  type AdvanceAnswer,
  type Advanced,
  advanceTask,
  newTask,
  type Task,
  type TaskInput,
  type TaskStatus,
} from "../core/graph/task/task";
