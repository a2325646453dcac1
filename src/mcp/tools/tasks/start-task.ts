import { randomUUID } from "node:crypto";
import * as z from "zod";
import { taskWorkflowId } from "../../../core/base/ids";
import { taskRequester } from "../../context/session-agent";
import { type Call, RUN, tool } from "../../context/tool";
import { TaskData } from "../../results/schemas";

const StartInput = z.strictObject({
  workflowId: z.string().min(1).describe("Id of the workflow"),
  taskId: z.string().min(1).describe("Default: a new id").optional(),
  issueId: z.string().min(1).describe("Its subject; default: the task's id").optional(),
  context: z.looseObject({}).describe("Input of the task").default({}),
  priority: z.number().default(0).describe("Bigger is more important"),
});
type StartArguments = z.infer<typeof StartInput>;

export const startTaskTool = tool({
  name: "start_task",
  title: "Start a task",
  description:
    "Starts a task that runs automatically: the project's agents do their steps, people decide at gates, other steps wait for advance_task. Returns at once; see wait_for_task.",
  input: StartInput,
  data: z.object({ task: TaskData }),
  hints: RUN,
  errors: ["already_exists", "workflow_not_found"],
  run: async (args, call) => ({ task: await createStartedTask(args, call) }),
  begin: async (args, call) => taskWorkflowId((await createStartedTask(args, call)).id),
});

function createStartedTask(
  args: StartArguments,
  { taskService, extra, serverContext }: Pick<Call, "taskService" | "extra" | "serverContext">,
) {
  const { workflowId, taskId: id = randomUUID(), issueId = id, context, priority } = args;
  return taskService.createTask(
    { id, issueId, workflowType: workflowId, context, priority },
    { drive: "agent", ...taskRequester({ extra, serverContext }) },
  );
}
