import { randomUUID } from "node:crypto";
import * as z from "zod";
import { Task, taskId, taskInput } from "../answers/schemas";
import { type Call, CHANGE, LONGEST_CALL_MS, REPLACE, RUN, SETTLE, tool } from "../tool";

/** One queue for several orchestrators: new tasks, claims with a lease, stopping and going on. */

const DEFAULT_LEASE_S = 300;

const owner = z.string().min(1).describe("Who works on it: shown to others, and given again to renew");
const leaseSeconds = z
  .number()
  .positive()
  .max(86_400)
  .default(DEFAULT_LEASE_S)
  .describe("After this long without a renewal the task is free again");
const Claimed = z.looseObject({ task: Task, token: z.int(), expiresAt: z.number() });

const createTask = tool({
  name: "create_task",
  title: "Create a task",
  description: "Adds one task to the queue; its steps are driven from outside, by advance_task.",
  input: z.strictObject({ task: taskInput.describe("id, issueId and workflowType are required") }),
  data: z.object({ task: Task }),
  hints: CHANGE,
  errors: ["invalid_task", "task_exists", "workflow_not_found"],
  run: async ({ task }, { desk }) => ({ task: await desk.createTask(task, { drive: "external" }) }),
});

const StartInput = z.strictObject({
  workflowId: z.string().min(1).describe("Workflow it walks on"),
  taskId: z.string().min(1).describe("Default: a new id").optional(),
  issueId: z.string().min(1).describe("What it is about; default: the task's id").optional(),
  context: z.looseObject({}).describe("Input of the task").default({}),
  priority: z.number().default(0).describe("Bigger is more important"),
});
export type StartArguments = z.infer<typeof StartInput>;

export const startTask = tool({
  name: "start_task",
  title: "Start a task",
  description:
    "Starts a task that runs by itself: steps whose agent the project has are done by it, people are asked at gates, all other steps wait for advance_task. Returns at once; see wait_for_task.",
  input: StartInput,
  data: z.object({ task: Task }),
  hints: RUN,
  errors: ["task_exists", "workflow_not_found"],
  run: async (args, call) => ({ task: await startedTask(args, call) }),
});

export function startedTask(args: StartArguments, { desk }: Pick<Call, "desk">) {
  const { workflowId, taskId: id = randomUUID(), issueId = id, context, priority } = args;
  return desk.createTask({ id, issueId, workflowType: workflowId, context, priority }, { drive: "agent" });
}

const claimTask = tool({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Takes a task so that nobody else does, or renews the claim with its token. advance_task then needs the token (`claim`). A claim that ran out is lost: a late answer with its token is refused.",
  input: z.strictObject({
    taskId,
    owner,
    leaseSeconds,
    token: z.int().describe("Of the claim to renew").optional(),
  }),
  data: Claimed,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "task_claimed",
    "claim_lost",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "child_active",
    "invalid_arguments",
  ],
  run: ({ taskId: id, owner: who, leaseSeconds: lease, token }, { desk }) =>
    desk.claim(id, { owner: who, leaseMs: lease * 1000, ...(token === undefined ? {} : { token }) }),
});

const claimNextTasks = tool({
  name: "claim_next_tasks",
  title: "Claim the next tasks",
  description: "Takes the most important tasks that nobody holds: at most `limit`, fewer when there are no more.",
  input: z.strictObject({
    owner,
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
    leaseSeconds,
  }),
  data: z.object({ count: z.int(), claimed: z.array(Claimed) }),
  hints: CHANGE,
  limit_ms: LONGEST_CALL_MS,
  errors: ["invalid_arguments"],
  run: async ({ owner: who, limit, leaseSeconds: lease }, { desk }) => {
    const claimed = await desk.claimNext(limit, { owner: who, leaseMs: lease * 1000 });
    return { count: claimed.length, claimed };
  },
});

const releaseClaim = tool({
  name: "release_claim",
  title: "Release a claim",
  description: "Gives a task back before its lease runs out.",
  input: z.strictObject({ taskId, token: z.int().describe("Of the claim") }),
  data: z.object({ task: Task }),
  hints: CHANGE,
  errors: ["task_not_found", "claim_lost"],
  run: async ({ taskId: id, token }, { desk }) => ({ task: await desk.release(id, token) }),
});

const note = z.string().describe("Why; kept in the task's history").optional();

const pauseTask = tool({
  name: "pause_task",
  title: "Pause a task",
  description: "Holds a task where it is: it is not offered and cannot be advanced until it is resumed.",
  input: z.strictObject({ taskId, note }),
  data: z.object({ task: Task }),
  hints: SETTLE,
  errors: ["task_not_found", "task_closed"],
  run: async ({ taskId: id, note: why }, { desk }) => ({ task: await desk.pause(id, why) }),
});

const resumeTask = tool({
  name: "resume_task",
  title: "Resume a paused task",
  description: "Takes a paused task back to where it was. (For one that waits for a person: decide_review.)",
  input: z.strictObject({ taskId }),
  data: z.object({ task: Task }),
  hints: SETTLE,
  errors: ["task_not_found", "task_not_paused"],
  run: async ({ taskId: id }, { desk }) => ({ task: await desk.resume(id) }),
});

const cancelTask = tool({
  name: "cancel_task",
  title: "Cancel a task",
  description: "Ends a task where it is: FAILED, with the end result cancelled. What it did stays done.",
  input: z.strictObject({ taskId, note }),
  data: z.object({ task: Task }),
  hints: REPLACE,
  errors: ["task_not_found", "task_closed"],
  run: async ({ taskId: id, note: why }, { desk }) => ({ task: await desk.cancel(id, why) }),
});

export const QUEUE_TOOLS = [createTask, claimTask, claimNextTasks, releaseClaim, pauseTask, resumeTask, cancelTask];
