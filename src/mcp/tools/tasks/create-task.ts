import * as z from "zod";
import { CHANGE, tool } from "../../context/tool";
import { TaskData, taskInput } from "../../results/schemas";

export const createTaskTool = tool({
  name: "create_task",
  title: "Create a task",
  description: "Adds one task to the queue; its steps are driven from outside, by advance_task.",
  input: z.strictObject({ task: taskInput.describe("id, issueId and workflowType are required") }),
  data: z.object({ task: TaskData }),
  hints: CHANGE,
  errors: ["invalid_task", "task_exists", "workflow_not_found"],
  run: async ({ task }, { taskService }) => ({ task: await taskService.createTask(task, { drive: "external" }) }),
});
