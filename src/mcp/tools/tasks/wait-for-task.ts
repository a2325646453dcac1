import * as z from "zod";
import type { TaskDetails } from "../../../client/tasks/types";
import { openReviewOf } from "../../client-features/elicitation";
import { pollUntil } from "../../client-features/wait";
import { type Call, LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { TaskData, taskIdArgument, Waiting } from "../../results/schemas";
import { errorOfTask } from "../../results/task-error";
import { describeWaiting } from "../../results/waiting-for";

const WaitArguments = z.strictObject({
  taskId: taskIdArgument,
  waitSeconds: z
    .number()
    .min(0)
    .max(LONGEST_CALL_MS / 1000)
    .default(30)
    .describe("Longest wait for an answer"),
});

export const waitForTaskTool = tool({
  name: "wait_for_task",
  title: "Wait for a task",
  description:
    "Waits until a task has ended or needs a person. `status: running` has the handle to ask again; the task continues.",
  input: WaitArguments,
  data: z.looseObject({
    status: z.enum(["running", "waiting", "ended"]),
    task: TaskData,
    handle: z.object({ tool: z.string(), arguments: z.looseObject({}) }).optional(),
    waitingFor: Waiting.optional(),
    error: z.string().optional(),
  }),
  hints: READ,
  errors: ["task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ taskId: id, waitSeconds }, call) => {
    const settled = async () => {
      const state = await taskState(id, call);
      return state.status === "running" ? null : state;
    };
    const found = await pollUntil(call, waitSeconds * 1000, settled);
    return found ?? { ...(await taskState(id, call)), handle: { tool: "wait_for_task", arguments: { taskId: id } } };
  },
});

/** @throws NavigatorError `task_not_found` */
async function taskState(id: string, call: Call) {
  const task: TaskDetails = await call.taskService.task(id);
  if (task.status === "COMPLETED" || task.status === "FAILED")
    return { status: "ended" as const, task, ...errorOfTask(task) };
  const open = await openReviewOf(task, call);
  if (open === undefined) return { status: "running" as const, task };
  return { status: "waiting" as const, task, waitingFor: describeWaiting(open.review, "not_asked") };
}
