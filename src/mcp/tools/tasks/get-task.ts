import * as z from "zod";
import { versionOf } from "../../../core/graph/task/repeat";
import { READ, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";
import { errorOfTask } from "../../results/task-error";

export const getTaskTool = tool({
  name: "get_task",
  title: "One task",
  description: "A task with its context, counters, history, and the version for advance_task.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ task: TaskData, version: z.int(), error: z.string().optional() }),
  hints: READ,
  errors: ["task_not_found"],
  run: async ({ taskId: id }, { taskService }) => {
    const task = await taskService.task(id);
    return { task, version: versionOf(task), ...errorOfTask(task) };
  },
});
