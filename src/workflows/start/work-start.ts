import type { Priority, SearchAttributePair } from "@temporalio/common";
import { defined } from "../../core/base/defined";
import { agentWorkflowId, type ProjectName, planWorkflowId, taskWorkflowId } from "../../core/base/ids";
import { presentFormat } from "../../core/base/run-format";
import type { AgentRunInput } from "../agent-run-input";
import type { NavigatorTaskInput } from "../navigator-task-input";
import type { PlanRunInput } from "../plan-run-input";
import { agentAttributes, formatAttributes, planAttributes, taskAttributes } from "../search-attributes";
import { type Intent, planIntent, runIntent, taskIntent } from "./intent";
import { type WorkShare, workPriority } from "./priority";

/**
 * The start of a mission, a task or a plan, by a client or as the child of another workflow: lists, the inbox, costs
 * and Mission Control find it by its id and attributes.
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

/** The share of busy workers that the work has: the given one, else its project's. */
export interface ShareOfStart extends WorkShare {
  /** It is a child workflow: what is not given it inherits from its parent. */
  isChild?: boolean;
}

const priorityOf = ({ isChild = false, ...share }: ShareOfStart, project: ProjectName) =>
  defined({ priority: workPriority(share, isChild ? null : project) });

/** A run of an agent. @param id without its kind and project */
export function startOfAgent(
  id: string,
  project: ProjectName,
  input: AgentRunInput,
  share: ShareOfStart = {},
): WorkStart<AgentRunInput> {
  const { agent } = input;
  const name = agent.name ?? "agent";
  return {
    workflowId: agentWorkflowId(id, project),
    args: [input],
    typedSearchAttributes: [...agentAttributes({ agent: name }), ...formatAttributes(input)],
    staticSummary: `agent ${name}`,
    staticDetails: agent.description ?? "",
    ...priorityOf(share, project),
    named: { what: "run", id },
    intent: runIntent(input),
  };
}

/** A task on a graph. Its priority is its own, unless another is given. */
export function startOfTask(
  project: ProjectName,
  input: NavigatorTaskInput,
  { isChild = false, ...share }: ShareOfStart = {},
): WorkStart<NavigatorTaskInput> {
  const { task, definition } = input;
  return {
    workflowId: taskWorkflowId(task.id, project),
    args: [input],
    typedSearchAttributes: [...taskAttributes(task), ...formatAttributes(input)],
    staticSummary: `task ${task.id} on ${task.workflowType}`,
    staticDetails: definition?.description ?? "",
    ...defined({
      priority: workPriority({ priority: task.priority, ...share }, isChild ? null : (project ?? task.issueId)),
    }),
    named: { what: "task", id: task.id },
    intent: taskIntent(input),
  };
}

/** A plan. @param id without its kind and project */
export function startOfPlan(
  id: string,
  project: ProjectName,
  asked: PlanRunInput,
  share: ShareOfStart = {},
): WorkStart<PlanRunInput> {
  const input = { ...presentFormat(), ...asked };
  return {
    workflowId: planWorkflowId(id, project),
    args: [input],
    typedSearchAttributes: [...planAttributes(), ...formatAttributes(input)],
    staticSummary: `plan ${id}`,
    staticDetails: input.mission ?? "",
    ...priorityOf(share, project),
    named: { what: "plan", id },
    intent: planIntent(input),
  };
}
