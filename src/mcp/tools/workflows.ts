import * as z from "zod";
import { NavigatorError } from "../../core/base/navigator-error";

import { renderDiagram } from "../../core/graph/show/diagram";
import type { WorkflowListing } from "../../queue/types";
import { Findings, workflowId } from "../answers/schemas";
import { READ, REPLACE, tool } from "../tool";

/** Definitions: what tasks walk on (graph reference, sections 1, 2, 6 and 8). */

const Source = z.enum(["catalog", "project", "external"]);

/** A project's own definitions, where it has any: then the others are in the way (graph reference, section 9.7). */
export function ownFirst(all: readonly WorkflowListing[]): readonly WorkflowListing[] {
  const own = all.filter(({ source }) => source === "project");
  return own.length === 0 ? all : own;
}

const listWorkflows = tool({
  name: "list_workflows",
  title: "List workflows",
  description:
    "The workflow definitions that are loaded, in order of loading. Each says its source. With `source`, only those; without, the project's own where there are any (`leftOut` counts the others), else all.",
  input: z.strictObject({ source: Source.describe("Where a definition came from").optional() }),
  data: z.object({
    count: z.int(),
    workflows: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        stepCount: z.int(),
        source: Source,
      }),
    ),
    leftOut: z.int().optional(),
  }),
  hints: READ,
  run: async ({ source }, { desk }) => {
    const all = await desk.listWorkflows(source);
    const offered = source === undefined ? ownFirst(all) : all;
    const leftOut = all.length - offered.length;
    const workflows = offered.map(({ id, name, description, stepCount, source: from }) => ({
      id,
      name,
      description,
      stepCount,
      source: from,
    }));
    return { count: workflows.length, workflows, ...(leftOut === 0 ? {} : { leftOut }) };
  },
});

const loadWorkflow = tool({
  name: "load_workflow",
  title: "Load a workflow",
  description:
    "Loads a workflow definition under an id, or a new version over the one that is there. Refused with every mistake it has (`issues`); then the earlier one stays. Tasks that run keep the definition they began with.",
  input: z.strictObject({
    id: z.string().describe("Lower-case kebab, e.g. bug-fix"),
    definition: z
      .looseObject({
        nodes: z.unknown().describe("Node id -> {type: start|end|task|gate|subflow|fork|join, ...}").optional(),
        edges: z.unknown().describe("List of {from, to, on?, label?}").optional(),
      })
      .describe("The graph: nodes and edges, optionally id, name, description"),
  }),
  data: z.object({
    id: z.string(),
    name: z.string(),
    stepCount: z.int(),
    edgeCount: z.int(),
    replaced: z.boolean(),
    warnings: Findings,
  }),
  hints: REPLACE,
  errors: ["invalid_workflow", "invalid_id", "id_mismatch"],
  run: async ({ id, definition }, { desk, parts, server }) => {
    const { name, stepCount, edgeCount, replaced, warnings } = await desk.loadWorkflow(id, definition, "external");
    (parts.announce ?? (() => server.sendResourceListChanged()))();
    return { id, name, stepCount, edgeCount, replaced, warnings };
  },
});

const getExecutionPlan = tool({
  name: "get_execution_plan",
  title: "Execution plan of a workflow",
  description:
    "The steps of a workflow in levels: each one's longest distance from the start, without the edges that go back (`backEdges`). Steps of one level could run side by side.",
  input: z.strictObject({ workflowId }),
  data: z.object({
    workflowId: z.string(),
    levels: z.array(z.array(z.string())),
    levelCount: z.int(),
    stepCount: z.int(),
    backEdges: z.array(z.looseObject({ from: z.string(), to: z.string(), kind: z.string() })),
  }),
  hints: READ,
  errors: ["workflow_not_found"],
  run: ({ workflowId: id }, { desk }) => desk.executionPlan(id),
});

const getDiagram = tool({
  name: "get_diagram",
  title: "Diagram of a workflow",
  description:
    "A workflow as a Mermaid flowchart with a table of its steps (Markdown). The present step is marked: `currentStep`, or where the task `taskId` is.",
  input: z.strictObject({
    workflowId: workflowId.optional(),
    currentStep: z.string().describe("Step to mark").optional(),
    taskId: z.string().describe("Task whose workflow and step are drawn").optional(),
  }),
  data: z.object({ workflowId: z.string(), diagram: z.string() }),
  hints: READ,
  errors: ["workflow_not_found", "task_not_found", "invalid_arguments"],
  run: async ({ workflowId: id, currentStep, taskId }, { desk }) => {
    if (taskId !== undefined) {
      const [definition, task] = await Promise.all([desk.definitionOf(taskId), desk.task(taskId)]);
      return { workflowId: definition.id, diagram: renderDiagram(definition, task.currentStep) };
    }
    if (id === undefined) throw new NavigatorError("invalid_arguments", "Give workflowId or taskId.");
    const { definition } = await desk.workflow(id);
    return { workflowId: definition.id, diagram: renderDiagram(definition, currentStep) };
  },
});

export const WORKFLOW_TOOLS = [listWorkflows, loadWorkflow, getExecutionPlan];
export const DIAGRAM_TOOLS = [getDiagram];
