import * as z from "zod";
import { NavigatorError } from "../../../core/base/navigator-error";
import { sessionAgent } from "../../context/session-agent";
import { LONGEST_CALL_MS, REPLACE, tool } from "../../context/tool";
import { Counts, FindingsData, taskInput } from "../../results/schemas";

export const loadTaskTreeTool = tool({
  name: "load_task_tree",
  title: "Load the task tree",
  description:
    "Loads tasks from the primary store: `merge` (default) adds to the tree and overwrites by id, `replace` also removes the other tasks. All tasks are checked before any is loaded; an interrupted load can be repeated. Unconfirmed moves stay.",
  input: z.strictObject({
    tasks: z.array(taskInput).describe("The tasks; id, issueId and workflowType are required"),
    mode: z.enum(["replace", "merge"]).default("merge").describe("Effect on existing tasks"),
    confirm: z.boolean().default(false).describe("Required for `replace` if it removes tasks"),
  }),
  data: z.object({
    loaded: z.int(),
    replaced: z.int(),
    total: z.int(),
    byStatus: Counts,
    warnings: FindingsData,
  }),
  hints: REPLACE,
  errors: [
    "invalid_task",
    "duplicate_task_id",
    "confirmation_required",
    "payload_too_large",
    "load_incomplete",
    "agents_may_not_decide",
  ],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ tasks, mode, confirm }, call) => {
    const { taskService } = call;
    if (mode === "replace" && !confirm) refuseRemoval(await taskService.removedByReplace(tasks));
    return taskService.loadTasks(tasks, mode, { by: sessionAgent(call) });
  },
});

/** @throws NavigatorError `confirmation_required` that names the tasks */
function refuseRemoval(removed: string[]): void {
  if (removed.length === 0) return;
  const shown = removed.slice(0, 20).join(", ") + (removed.length > 20 ? ", ..." : "");
  throw new NavigatorError(
    "confirmation_required",
    `mode "replace" removes ${removed.length} task(s) that the list does not have: ${shown}. Nothing was loaded.`,
    {
      hint: 'Call again with confirm: true to remove them, or with mode "merge" to keep them.',
      details: { removes: removed.length, tasks: removed.slice(0, 1_000) },
    },
  );
}
