import * as z from "zod";
import { REPLACE, tool } from "../../context/tool";
import { FindingsData } from "../../results/schemas";

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
