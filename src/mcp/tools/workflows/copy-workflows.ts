import * as z from "zod";
import { copyWorkflows } from "../../../project/catalog";
import { SETTLE, tool } from "../../context/tool";
import { FileErrors, folderOf, workflowIds } from "./workflow-files";

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
  hints: SETTLE,
  run: async ({ workflowIds: ids }, { serverContext }) => {
    const folder = folderOf(serverContext);
    return { folder, ...copyWorkflows(ids, folder) };
  },
});
