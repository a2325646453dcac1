import * as z from "zod";
import { defined } from "../../core/base/defined";
import { versionOf } from "../../core/graph/task/task";
import { afterMove } from "../client-features/elicitation";
import { logToClient } from "../client-features/progress";
import { movedOnce } from "../client-features/questions";
import { seenBySession } from "../context/known-tasks";
import { requestIdOf } from "../context/request-id";
import { sessionAgent } from "../context/session-agent";
import { CHANGE, LONGEST_CALL_MS, REPLACE, SETTLE, tool } from "../context/tool";
import { errorOfTask } from "../results/errors";
import { TaskData, taskIdArgument, Waiting } from "../results/schemas";

/** Arguments and results of several tools of the queue. */

const DEFAULT_LEASE_S = 300;

const owner = z.string().min(1).describe("Who works on it; the same to renew");
const leaseSeconds = z
  .number()
  .min(1)
  .max(86_400)
  .default(DEFAULT_LEASE_S)
  .describe("Without a renewal the claim ends after this time");
const ClaimData = z.looseObject({ task: TaskData, token: z.string(), expiresAt: z.number() });

const note = z.string().describe("Why; kept in the task's history").optional();

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
    "Reports the result of the current step and moves the task along the matching edge. A failed step is retried while it has retries left, then escalated. `success: false`: no edge matches, nothing moved. If a review names people, only they decide. `version` names the task as you saw it: a repeated call moves once, and one about an earlier version is refused. Required where a person is asked.",
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
    const advance = { ...step, by: sessionAgent(call), ...seenBySession(id, call) } as Parameters<
      typeof call.taskService.advance
    >[1];
    const answer = await movedOnce(id, call, async () => {
      const moved = await call.taskService.advance(id, advance, request);
      const { previousStep, nextStep, action } = moved;
      logToClient(call, { event: "task_advanced", taskId: id, from: previousStep, to: nextStep, action });
      return moved;
    });
    const asked = await afterMove(answer, call);
    // A person at the client may have moved the task since.
    return { ...asked, version: versionOf(asked.task), ...errorOfTask(asked.task) };
  },
});

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

export const cancelTaskTool = tool({
  name: "cancel_task",
  title: "Cancel a task",
  description: "Ends a task as FAILED, with the end result cancelled. Its effects stay.",
  input: z.strictObject({ taskId: taskIdArgument, note }),
  data: z.object({ task: TaskData }),
  hints: REPLACE,
  errors: ["task_not_found", "task_closed"],
  run: async ({ taskId: id, note: why }, { taskService }) => ({ task: await taskService.cancel(id, why) }),
});

export const claimTaskTool = tool({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Claims a task, or renews the claim with its token. advance_task then needs the token (`claim`). The token of an expired claim is refused.",
  input: z.strictObject({
    taskId: taskIdArgument,
    owner,
    leaseSeconds,
    token: z.string().describe("Of the claim to renew").optional(),
  }),
  data: ClaimData,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "task_claimed",
    "claim_lost",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "child_active",
    "task_waiting",
    "invalid_input",
  ],
  run: ({ taskId: id, owner: who, leaseSeconds: lease, token }, { taskService }) =>
    taskService.claim(id, { owner: who, leaseMs: lease * 1000, ...defined({ token }) }),
});

export const claimNextTasksTool = tool({
  name: "claim_next_tasks",
  title: "Claim the next tasks",
  description: "Claims the most important free tasks, at most `limit`.",
  input: z.strictObject({
    owner,
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
    leaseSeconds,
  }),
  data: z.object({ count: z.int(), claimed: z.array(ClaimData) }),
  hints: CHANGE,
  limit_ms: LONGEST_CALL_MS,
  errors: ["invalid_input"],
  run: async ({ owner: who, limit, leaseSeconds: lease }, { taskService }) => {
    const claimed = await taskService.claimNext(limit, { owner: who, leaseMs: lease * 1000 });
    return { count: claimed.length, claimed };
  },
});

export const releaseClaimTool = tool({
  name: "release_claim",
  title: "Release a claim",
  description: "Releases a claim before its lease ends.",
  input: z.strictObject({ taskId: taskIdArgument, token: z.string().describe("Of the claim") }),
  data: z.object({ task: TaskData }),
  hints: CHANGE,
  errors: ["task_not_found", "claim_lost"],
  run: async ({ taskId: id, token }, { taskService }) => ({ task: await taskService.release(id, token) }),
});
