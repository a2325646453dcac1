import * as z from "zod";
import { REPLACE, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";
import { note } from "./task-arguments";

export const cancelTaskTool = tool({
  name: "cancel_task",
  title: "Cancel a task",
  description: "Ends a task as FAILED, with the end result cancelled. Its effects stay.",
  input: z.strictObject({ taskId: taskIdArgument, note }),
  data: z.object({ task: TaskData }),
  hints: REPLACE,
  errors: ["task_not_found", "task_closed"],
  run: async ({ taskId: id, note: why }, { taskService }) => ({ task: await taskService.cancel(id, why) }),
});
