import * as z from "zod";
import { listCatalog } from "../../../project/catalog";
import { READ, tool } from "../../context/tool";
import { Listed } from "./workflow-files";

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
