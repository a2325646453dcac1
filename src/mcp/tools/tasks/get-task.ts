import * as z from "zod";
import { READ, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";

export const getTaskTool = tool({
  name: "get_task",
  title: "One task",
  description: "A task with its context, counters and history.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ task: TaskData }),
  hints: READ,
  errors: ["task_not_found"],
  run: async ({ taskId: id }, { taskService }) => ({ task: await taskService.task(id) }),
});
