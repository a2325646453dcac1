import { z } from "zod";
import { atOnce } from "../../client/tasks/concurrency";
import { countOpenTasks, tasksBySteps } from "../../client/tasks/overview";
import type { StoredWorkflow } from "../../client/tasks/types";
import { NavigatorError } from "../../core/base/navigator-error";
import { checkWorkflow } from "../../core/graph/cost/check-workflow";
import { parseDefinition } from "../../core/graph/definition/parse";
import type { Definition } from "../../core/graph/definition/schema";
import { subflowsOf } from "../../core/graph/nodes/subflow";
import { graphDrawing } from "../../core/graph/show/drawing";
import { workflowWorld } from "../../project/workflow-world";
import { actorOf } from "../requests/callers";
import { type EndpointCall, endpoint } from "./endpoint";

const TAG = "Graphs";

const Source = z.enum(["catalog", "project", "external"]).meta({ description: "Where the definition came from" });

const ListedGraph = z
  .object({
    id: z.string().meta({ example: "order-fulfilment" }),
    name: z.string(),
    description: z.string(),
    version: z.int(),
    stepCount: z.int().meta({ description: "Nodes" }),
    source: Source,
    openTasks: z.int().meta({ description: "Tasks on it that have not ended" }),
  })
  .meta({ id: "ListedGraph" });

/** A graph as data for a drawing, without places. */
export const GraphDrawingData = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), type: z.string(), maxRetries: z.int() })),
    edges: z.array(z.looseObject({ number: z.int(), from: z.string(), to: z.string(), on: z.string().optional() })),
  })
  .meta({ id: "GraphDrawing" });

const FindingData = z.looseObject({
  code: z.string(),
  message: z.string(),
  nodeId: z.string().optional(),
  edgeIndex: z.int().optional(),
});

/** What the check of a graph found. */
const GraphCheck = z
  .object({
    ok: z.boolean(),
    errors: z.array(FindingData),
    warnings: z.array(FindingData),
    projectWarnings: z
      .array(FindingData)
      .meta({ description: "About agents and tools of this project; empty for a definition with errors" }),
    worst: z
      .looseObject({})
      .nullable()
      .meta({ description: "The most that one task can run and cost; null for a definition with errors" }),
  })
  .meta({ id: "GraphCheck" });

const graphId = z.object({ id: z.string().meta({ example: "order-fulfilment" }) });
const Raw = z
  .looseObject({ nodes: z.unknown().optional(), edges: z.unknown().optional() })
  .meta({ description: "A graph: nodes and edges, optionally id, name, description" });

export const listGraphsEndpoint = endpoint({
  method: "get",
  path: "/api/graphs",
  needs: ["read"],
  operation: "listGraphs",
  summary: "Lists loaded graphs, in the order of loading",
  tag: TAG,
  query: z.object({ source: Source.optional() }),
  answer: z.object({ graphs: z.array(ListedGraph) }),
  tagged: true,
  run: async ({ query, call: { client, taskService } }) => {
    const graphs = await taskService.listWorkflows(query.source);
    const counts = await atOnce(graphs, ({ id }) => countOpenTasks(client, id));
    return { graphs: graphs.map((graph, i) => ({ ...graph, openTasks: counts[i] as number })) };
  },
});

export const showGraphEndpoint = endpoint({
  method: "get",
  path: "/api/graphs/{id}",
  needs: ["read"],
  operation: "showGraph",
  summary: "A graph: definition, drawing, and its check in this project",
  tag: TAG,
  params: graphId,
  query: z.object({ version: z.coerce.number().int().min(1).optional() }),
  answer: z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      version: z.int(),
      source: Source,
      definition: z.looseObject({}),
      drawing: GraphDrawingData,
      check: GraphCheck,
    })
    .meta({ id: "Graph" }),
  errors: ["workflow_not_found", "not_found", "no_worker"],
  tagged: true,
  run: async ({ params, query, call }) => {
    const { definition, version, source } = await call.taskService.workflow(params.id, query.version);
    const { id, name, description } = definition;
    const check = await checked(call, definition, id);
    return {
      id,
      name,
      description,
      version,
      source,
      definition: { ...definition },
      drawing: drawingOf(definition),
      check,
    };
  },
});

export const graphStepsEndpoint = endpoint({
  method: "get",
  path: "/api/graphs/{id}/steps",
  needs: ["read"],
  operation: "countTasksBySteps",
  summary: "Counts open tasks by step",
  tag: TAG,
  params: graphId,
  answer: z.object({
    steps: z.array(z.object({ step: z.string(), tasks: z.int() })),
    elsewhere: z.int().meta({ description: "At steps that the present version does not have" }),
  }),
  errors: ["workflow_not_found", "no_worker"],
  tagged: true,
  run: async ({ params, call: { client, taskService } }) => {
    const { definition } = await taskService.workflow(params.id);
    return tasksBySteps(client, definition.id, Object.keys(definition.nodes));
  },
});

export const checkGraphEndpoint = endpoint({
  method: "post",
  path: "/api/graphs/check",
  needs: ["read"],
  operation: "checkGraph",
  summary: "Checks a definition without loading it",
  tag: TAG,
  body: z.strictObject({ definition: Raw, id: z.string().min(1).optional() }),
  answer: GraphCheck.extend({ drawing: GraphDrawingData.optional() }),
  run: async ({ body, call }) => {
    const read = parseDefinition(body.definition, body.id);
    const check = await checked(call, body.definition, body.id);
    return read.ok && check.ok ? { ...check, drawing: drawingOf(read.value.definition) } : check;
  },
});

export const loadGraphEndpoint = endpoint({
  method: "post",
  path: "/api/graphs",
  needs: ["start"],
  operation: "loadGraph",
  summary: "Loads a definition or a new version of it; running tasks keep theirs",
  tag: TAG,
  body: z.strictObject({ definition: Raw, id: z.string().min(1).optional() }),
  answer: z.object({
    id: z.string(),
    name: z.string(),
    version: z.int(),
    stepCount: z.int(),
    edgeCount: z.int(),
    replaced: z.boolean(),
    warnings: z.array(FindingData),
  }),
  status: 201,
  errors: ["invalid_workflow", "invalid_id", "id_mismatch", "no_worker"],
  run: async ({ body, call }) => {
    actorOf(call);
    const { warnings, ...loaded } = await call.taskService.loadWorkflow(body.id, body.definition, "external");
    return { ...loaded, warnings: warnings.map((one) => ({ ...one })) };
  },
});

const drawingOf = (definition: Definition): z.input<typeof GraphDrawingData> =>
  ({ ...graphDrawing(definition) }) as never;

async function checked(
  call: Pick<EndpointCall, "taskService" | "web">,
  definition: unknown,
  id: string | undefined,
): Promise<z.infer<typeof GraphCheck>> {
  const read = parseDefinition(definition, id, await subflowsAround(call, definition));
  if (!read.ok) {
    const { issues = [], warnings = [] } = (read.fail.details ?? {}) as { [part: string]: unknown };
    return { ok: false, errors: issues as never, warnings: warnings as never, projectWarnings: [], worst: null };
  }
  const { findings, worst } = checkWorkflow(read.value.definition, workflowWorld(call.web.project, call.web.model));
  return {
    ok: true,
    errors: [],
    warnings: read.value.warnings.map((one) => ({ ...one })),
    projectWarnings: findings.map((one) => ({ ...one })),
    worst: { ...worst },
  };
}

/** The loaded graphs that a definition reaches as subflows. */
async function subflowsAround(
  { taskService }: Pick<EndpointCall, "taskService">,
  definition: unknown,
): Promise<Map<string, Definition>> {
  const found = new Map<string, Definition>();
  const read = parseDefinition(definition);
  const wanted = new Set(read.ok ? subflowsOf(read.value.definition) : []);
  // A set grows while it is walked.
  for (const id of wanted) {
    const stored = await taskService.workflow(id).catch(unlessMissing);
    if (stored === null) continue;
    found.set(id, stored.definition);
    for (const below of subflowsOf(stored.definition)) wanted.add(below);
  }
  return found;
}

function unlessMissing(error: unknown): StoredWorkflow | null {
  if (error instanceof NavigatorError && error.code === "workflow_not_found") return null;
  throw error;
}

/** All operations on graphs. */
export const graphEndpoints = [
  listGraphsEndpoint,
  checkGraphEndpoint,
  showGraphEndpoint,
  graphStepsEndpoint,
  loadGraphEndpoint,
];
