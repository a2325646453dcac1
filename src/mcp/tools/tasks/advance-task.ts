import * as z from "zod";
import { afterMove } from "../../client-features/elicitation";
import { logToClient } from "../../client-features/progress";
import { movedOnce } from "../../client-features/questions";
import { mayRepeat } from "../../context/known-tasks";
import { requestIdOf } from "../../context/request-id";
import { sessionAgent } from "../../context/session-agent";
import { CHANGE, tool } from "../../context/tool";
import { TaskData, taskIdArgument, Waiting } from "../../results/schemas";
import { errorOfTask } from "../../results/task-error";

const Advanced = z.looseObject({
  success: z.boolean(),
  previousStep: z.string(),
  nextStep: z.string().nullable(),
  action: z.string(),
  version: z.int().optional(),
  task: TaskData,
  waitingFor: Waiting.optional(),
  error: z.string().optional(),
});

export const advanceTaskTool = tool({
  name: "advance_task",
  title: "Advance a task",
  description:
    "Reports the result of the current step and moves the task along the matching edge. A failed step is retried while it has retries left, then escalated. `success: false`: no edge matches, nothing moved. If a review names people, only they decide. With `version` from the last answer a repeated call moves once.",
  input: z.strictObject({
    taskId: taskIdArgument,
    result: z.string().describe("E.g. passed or failed; not needed for an edge without `on`").optional(),
    output: z.unknown().describe("Output of the step, kept in the history and the sync record").optional(),
    expectedStep: z.string().describe("Moves only from this step").optional(),
    version: z.int().describe("Version of the task in the last answer").optional(),
    claim: z.string().describe("Token of the claim, if the task is claimed").optional(),
    force: z.boolean().describe("Continue at a fork with open branches, or at a wait").optional(),
  }),
  data: Advanced,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "workflow_not_found",
    "step_not_found",
    "step_changed",
    "stale_version",
    "version_required",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "agents_may_not_decide",
    "result_required",
    "reserved_result",
    "invalid_result",
    "child_active",
    "task_waiting",
    "task_claimed",
    "claim_lost",
  ],
  run: async ({ taskId: id, ...step }, call) => {
    const request = requestIdOf(call.extra, { id, ...step });
    const advance = { ...step, by: sessionAgent(call), ...mayRepeat(id, call) } as Parameters<
      typeof call.taskService.advance
    >[1];
    const answer = await movedOnce(id, call, async () => {
      const moved = await call.taskService.advance(id, advance, request);
      const { previousStep, nextStep, action } = moved;
      logToClient(call, { event: "task_advanced", taskId: id, from: previousStep, to: nextStep, action });
      return moved;
    });
    const asked = await afterMove(answer, call);
    return { ...asked, ...errorOfTask(asked.task) };
  },
});
