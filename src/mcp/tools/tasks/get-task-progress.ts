import * as z from "zod";
import { READ, tool } from "../../context/tool";
import { Status, taskIdArgument } from "../../results/schemas";

export const getTaskProgressTool = tool({
  name: "get_task_progress",
  title: "Progress of a task",
  description: "The progress of a task: step, level, percent, visited steps, retries left and possible edges.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.looseObject({
    taskId: z.string(),
    workflowType: z.string(),
    currentStep: z.string(),
    stepName: z.string(),
    stage: z.string().nullable(),
    agent: z.string().nullable(),
    status: Status,
    level: z.int().nullable(),
    levelCount: z.int(),
    percent: z.int(),
    visited: z.array(z.looseObject({ step: z.string() })),
    retryCount: z.int(),
    stepRetries: z.looseObject({}),
    retriesRemaining: z.int(),
    nextSteps: z.array(z.looseObject({ to: z.string() })),
    terminal: z.string().optional(),
    waitingUntil: z.number().optional(),
  }),
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: ({ taskId: id }, { taskService }) => taskService.progress(id),
});
