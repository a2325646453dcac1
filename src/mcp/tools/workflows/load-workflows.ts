import * as z from "zod";
import { readDefinitionFolder } from "../../../project/catalog";
import { LONGEST_CALL_MS, SETTLE, tool } from "../../context/tool";
import { FileErrors, folderOf, Listed, workflowIds } from "./workflow-files";

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
