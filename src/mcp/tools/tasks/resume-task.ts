import * as z from "zod";
import { SETTLE, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";

export const resumeTaskTool = tool({
  name: "resume_task",
  title: "Resume a paused task",
  description: "Resumes a paused task. (A task that waits for a person: decide_review.)",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ task: TaskData }),
  hints: SETTLE,
  errors: ["task_not_found", "not_paused"],
  run: async ({ taskId: id }, { taskService }) => ({ task: await taskService.resume(id) }),
});
