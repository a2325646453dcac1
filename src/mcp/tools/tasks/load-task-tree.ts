import * as z from "zod";
import { LONGEST_CALL_MS, REPLACE, tool } from "../../context/tool";
import { Counts, FindingsData, taskInput } from "../../results/schemas";

export const loadTaskTreeTool = tool({
  name: "load_task_tree",
  title: "Load the task tree",
  description:
    "Loads tasks from the primary store: `replace` (default) puts this list in place of the tree, `merge` adds to it and overwrites by id. All or nothing. Unconfirmed moves stay on record.",
  input: z.strictObject({
    tasks: z.array(taskInput).describe("The tasks; id, issueId and workflowType are required"),
    mode: z.enum(["replace", "merge"]).default("replace").describe("What becomes of the tasks that are there"),
  }),
  data: z.object({
    loaded: z.int(),
    replaced: z.int(),
    total: z.int(),
    byStatus: Counts,
    warnings: FindingsData,
  }),
  hints: REPLACE,
  errors: ["invalid_task", "duplicate_task_id"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ tasks, mode }, { taskService }) => taskService.loadTasks(tasks, mode),
});
