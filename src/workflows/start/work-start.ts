import type { Priority, SearchAttributePair } from "@temporalio/common";
import { agentWorkflowId, type ProjectName, planWorkflowId, taskWorkflowId } from "../../core/base/ids";
import { RUN_FORMAT } from "../../core/base/run-format";
import type { AgentRunInput } from "../agent-run-input";
import type { NavigatorTaskInput } from "../navigator-task-input";
import type { PlanRunInput } from "../plan-run-input";
import { agentAttributes, planAttributes, taskAttributes } from "../search-attributes";
import { type Intent, planIntent, runIntent, taskIntent } from "./intent";
import { workflowPriority } from "./priority";

/**
 * What a mission, a task or a plan is started with, by a client or as the child of somebody's workflow: lists, the inbox,
 * costs and Mission Control find it by its id and attributes.
 */
export interface WorkStart<Input> {
  workflowId: string;
  args: [Input];
  typedSearchAttributes: SearchAttributePair[];
  staticSummary: string;
  staticDetails: string;
  priority?: Priority;
  /** The kind of work and its id, for messages. */
  named: { what: string; id: string };
  intent: Intent;
}

/** A run of an agent. @param id without its kind and project */
export function startOfAgent(id: string, project: ProjectName, input: AgentRunInput): WorkStart<AgentRunInput> {
  const { agent } = input;
  const name = agent.name ?? "agent";
  return {
    workflowId: agentWorkflowId(id, project),
    args: [input],
    typedSearchAttributes: agentAttributes({ agent: name }),
    staticSummary: `agent ${name}`,
    staticDetails: agent.description ?? "",
    named: { what: "run", id },
    intent: runIntent(input),
  };
}

/** A task on a graph. */
export function startOfTask(project: ProjectName, input: NavigatorTaskInput): WorkStart<NavigatorTaskInput> {
  const { task, definition } = input;
  return {
    workflowId: taskWorkflowId(task.id, project),
    args: [input],
    typedSearchAttributes: taskAttributes(task),
    staticSummary: `task ${task.id} on ${task.workflowType}`,
    staticDetails: definition?.description ?? "",
    priority: workflowPriority(task),
    named: { what: "task", id: task.id },
    intent: taskIntent(input),
  };
}

/** A plan. @param id without its kind and project */
export function startOfPlan(id: string, project: ProjectName, input: PlanRunInput): WorkStart<PlanRunInput> {
  return {
    workflowId: planWorkflowId(id, project),
    args: [{ ...input, format: RUN_FORMAT }],
    typedSearchAttributes: planAttributes(),
    staticSummary: `plan ${id}`,
    staticDetails: input.mission ?? "",
    named: { what: "plan", id },
    intent: planIntent(input),
  };
}
