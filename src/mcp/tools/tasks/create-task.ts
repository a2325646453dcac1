import { randomUUID } from "node:crypto";
import * as z from "zod";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { versionOf } from "../../../core/graph/task/task";
import { taskRequester } from "../../context/session-agent";
import { CHANGE, tool } from "../../context/tool";
import { TaskData, taskInput } from "../../results/schemas";

export const createTaskTool = tool({
  name: "create_task",
  title: "Create a task",
  description: "Adds one task to the queue; start and next, or advance_task, drive it.",
  input: z.strictObject({
    workflowType: z.string().min(1).describe("Id of the workflow").optional(),
    id: z.string().min(1).describe("Default: a new id").optional(),
    issueId: z.string().min(1).describe("Its subject; default: the task's id").optional(),
    context: z.looseObject({}).describe("Input: title, description, anything").optional(),
    priority: z.number().describe("Bigger is more important").optional(),
    task: taskInput.describe("Instead of these: the whole task").optional(),
  }),
  data: z.object({ task: TaskData, version: z.int() }),
  hints: CHANGE,
  errors: ["invalid_input", "invalid_task", "already_exists", "workflow_not_found", "payload_too_large"],
  run: async ({ task: whole, ...given }, { taskService, extra, serverContext }) => {
    const flat = Object.values(given).some((value) => value !== undefined);
    if (flat === (whole !== undefined))
      throw new NavigatorError(
        "invalid_input",
        "Give either workflowType with id, issueId, context and priority, or task.",
        { details: { path: "task" } },
      );
    const task = await taskService.createTask(whole ?? flatTask(given), {
      drive: "external",
      ...taskRequester({ extra, serverContext }),
    });
    return { task, version: versionOf(task) };
  },
});

function flatTask({
  id = randomUUID(),
  issueId = id,
  ...rest
}: {
  id?: string | undefined;
  issueId?: string | undefined;
}) {
  return { id, issueId, ...defined(rest) };
}
