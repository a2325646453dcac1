import path from "node:path";
import * as z from "zod";
import type { WorkflowListing } from "../../client/tasks/types";
import { NavigatorError } from "../../core/base/navigator-error";
import { renderDiagram } from "../../core/graph/show/diagram";
import { copyWorkflows, listCatalog, readDefinitionFolder } from "../../project/catalog/index";
import { workflowsFolder } from "../../server/backend/project-workflows";
import { askForChoice } from "../client-features/elicitation";
import type { ServerContext } from "../context/server-context";
import { CHANGE, LONGEST_CALL_MS, READ, REPLACE, SETTLE, tool } from "../context/tool";
import { FindingsData, workflowId } from "../results/schemas";

/** The shared code of the tools that read and write workflow files (graph reference, section 9.7). */

const Listed = z.looseObject({ id: z.string(), name: z.string(), description: z.string() });
const FileErrors = z.array(z.looseObject({ id: z.string(), code: z.string(), message: z.string() }));
const workflowIds = z.array(z.string().min(1)).describe("Ids of workflows");

/** @throws NavigatorError `forbidden` */
function folderOf({ project, files }: ServerContext, given?: string): string {
  if (given === undefined) return workflowsFolder(project);
  if (files) return path.resolve(project.folder, given);
  throw new NavigatorError("forbidden", "Callers over HTTP cannot name files of the server's machine.", {
    hint: "Leave `path` out: the project's own folder is read.",
  });
}

const Source = z.enum(["catalog", "project", "external"]);

export const listWorkflowsTool = tool({
  name: "list_workflows",
  title: "List workflows",
  description:
    "Lists loaded workflow definitions with their source. Without `source`: the project's own if there are any (`leftOut` counts the others), else all.",
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
  run: async ({ source }, { taskService }) => {
    const all = await taskService.listWorkflows(source);
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

/** A project's own definitions, if it has any: the catalog's are then left out (graph reference, section 9.7). */
function ownFirst(all: readonly WorkflowListing[]): readonly WorkflowListing[] {
  const own = all.filter(({ source }) => source === "project");
  return own.length === 0 ? all : own;
}

export const loadWorkflowTool = tool({
  name: "load_workflow",
  title: "Load a workflow",
  description:
    "Loads a workflow definition or a new version of it. A definition with mistakes (`issues`) is refused. Running tasks keep their definition.",
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
    warnings: FindingsData,
  }),
  scope: "start",
  hints: REPLACE,
  errors: ["invalid_workflow", "invalid_id", "id_mismatch"],
  run: async ({ id, definition }, { taskService, serverContext, server }) => {
    const { name, stepCount, edgeCount, replaced, warnings } = await taskService.loadWorkflow(
      id,
      definition,
      "external",
    );
    (serverContext.announce ?? (() => server.sendResourceListChanged()))();
    return { id, name, stepCount, edgeCount, replaced, warnings };
  },
});

export const loadWorkflowsTool = tool({
  name: "load_workflows",
  title: "Load the project's workflows",
  description:
    "Loads workflows from files: <id>.json, <id>.yaml or <id>/workflow.json in the project's folder (or `path`). Without `workflowIds` it only lists them. `errors` has broken files.",
  input: z.strictObject({
    workflowIds: workflowIds.optional(),
    path: z.string().min(1).describe("Another folder of this machine").optional(),
  }),
  data: z.object({
    folder: z.string(),
    available: z.array(Listed),
    loaded: z.array(z.looseObject({ id: z.string(), version: z.int() })),
    errors: FileErrors,
  }),
  scope: "start",
  hints: SETTLE,
  errors: ["not_found", "forbidden"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ workflowIds: ids, path: given }, { taskService, serverContext, server }) => {
    const folder = folderOf(serverContext, given);
    const { definitions, errors } = readDefinitionFolder(folder, ids);
    const available = definitions.map(({ definition: { id, name, description } }) => ({ id, name, description }));
    const loaded = [];
    for (const { id, definition } of ids === undefined ? [] : definitions)
      loaded.push(await taskService.loadWorkflow(id, definition, "project"));
    if (loaded.length > 0) (serverContext.announce ?? (() => server.sendResourceListChanged()))();
    return { folder, available, loaded, errors };
  },
});

export const listCatalogTool = tool({
  name: "list_catalog",
  title: "Ready workflows",
  description: "Lists the workflows of Navigator's catalog, for copy_workflows.",
  input: z.strictObject({}),
  data: z.object({ count: z.int(), workflows: z.array(Listed) }),
  hints: READ,
  run: async () => {
    const workflows = listCatalog();
    return { count: workflows.length, workflows };
  },
});

export const copyWorkflowsTool = tool({
  name: "copy_workflows",
  title: "Copy ready workflows",
  description:
    "Copies workflows of the catalog, with subflows and agents, into the project's folder. Existing files stay. `errors` has unknown ids.",
  input: z.strictObject({ workflowIds: workflowIds.min(1) }),
  data: z.object({
    folder: z.string(),
    copied: z.array(z.looseObject({ id: z.string() })),
    agents: z.array(z.looseObject({ name: z.string() })),
    errors: FileErrors,
  }),
  scope: "start",
  hints: SETTLE,
  run: async ({ workflowIds: ids }, { serverContext }) => {
    const folder = folderOf(serverContext);
    return { folder, ...copyWorkflows(ids, folder) };
  },
});

export const selectWorkflowTool = tool({
  name: "select_workflow",
  title: "Choose a workflow",
  description:
    "The workflows of `list_workflows` as choices. If the client can show a form, it asks the person, and `selected` is the choice.",
  input: z.strictObject({ question: z.string().describe("Question for the person").optional() }),
  data: z.object({
    question: z.string(),
    choices: z.array(z.object({ value: z.string(), label: z.string(), description: z.string() })),
    selected: z.string().nullable(),
  }),
  hints: { ...CHANGE, idempotentHint: true },
  run: async ({ question = "Which workflow fits this task?" }, call) => {
    const workflows = ownFirst(await call.taskService.listWorkflows());
    const choices = workflows.map(({ id, name, description }) => ({ value: id, label: name, description }));
    return { question, choices, selected: choices.length === 0 ? null : await askForChoice(question, choices, call) };
  },
});

export const getExecutionPlanTool = tool({
  name: "get_execution_plan",
  title: "Execution plan of a workflow",
  description: "The steps of a workflow by level: the longest distance from the start, without `backEdges`.",
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
  run: ({ workflowId: id }, { taskService }) => taskService.executionPlan(id),
});

export const getDiagramTool = tool({
  name: "get_diagram",
  title: "Diagram of a workflow",
  description:
    "A workflow as a Mermaid flowchart with a table of its steps (Markdown). `currentStep` or the step of `taskId` is marked.",
  input: z.strictObject({
    workflowId: workflowId.optional(),
    currentStep: z.string().describe("Step to mark").optional(),
    taskId: z.string().describe("Task to draw").optional(),
  }),
  data: z.object({ workflowId: z.string(), diagram: z.string() }),
  hints: READ,
  errors: ["workflow_not_found", "task_not_found", "invalid_input"],
  run: async ({ workflowId: id, currentStep, taskId }, { taskService }) => {
    if (taskId !== undefined) {
      const [definition, task] = await Promise.all([taskService.definitionOf(taskId), taskService.task(taskId)]);
      return { workflowId: definition.id, diagram: renderDiagram(definition, task.currentStep) };
    }
    if (id === undefined)
      throw new NavigatorError("invalid_input", "Give workflowId or taskId.", { details: { path: "workflowId" } });
    const { definition } = await taskService.workflow(id);
    return { workflowId: definition.id, diagram: renderDiagram(definition, currentStep) };
  },
});
