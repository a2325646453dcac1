import * as z from "zod";
import { SETTLE, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";
import { note } from "./task-arguments";

export const pauseTaskTool = tool({
  name: "pause_task",
  title: "Pause a task",
  description: "Pauses a task: it is not offered and cannot be advanced until it is resumed.",
  input: z.strictObject({ taskId: taskIdArgument, note }),
  data: z.object({ task: TaskData }),
  hints: SETTLE,
  errors: ["task_not_found", "task_closed"],
  run: async ({ taskId: id, note: why }, { taskService }) => ({ task: await taskService.pause(id, why) }),
});
