import * as z from "zod";
import { TASK_STATUSES } from "../../core/graph/task/task-schema";
import { Counts, Findings, Status, Task, taskId, taskInput, Waiting } from "../answers/schemas";
import { afterMove } from "../asking/elicitation";
import { tellClient } from "../asking/progress";
import { CHANGE, LONGEST_CALL_MS, READ, REPLACE, tool } from "../tool";

/** The task tree and the moves in it (graph reference, sections 4, 5 and 8). */

const loadTaskTree = tool({
  name: "load_task_tree",
  title: "Load the task tree",
  description:
    "Loads tasks from the primary store: `replace` (default) puts this list in place of the tree, `merge` adds to it and overwrites by id. All or nothing. Unconfirmed moves stay on record.",
  input: z.strictObject({
    tasks: z.array(taskInput).describe("The tasks; id, issueId and workflowType are required"),
    mode: z.enum(["replace", "merge"]).default("replace").describe("What becomes of the tasks that are there"),
  }),
  data: z.object({
    loaded: z.int(),
    replaced: z.int(),
    total: z.int(),
    byStatus: Counts,
    warnings: Findings,
  }),
  hints: REPLACE,
  errors: ["invalid_task", "duplicate_task_id"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ tasks, mode }, { desk }) => desk.loadTasks(tasks, mode),
});

const getNextTasks = tool({
  name: "get_next_tasks_from_tree",
  title: "Next tasks",
  description:
    "The PENDING tasks that matter most, by priority, then by order of loading. Does not reserve them: where several orchestrators work on one tree, use claim_next_tasks.",
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
  }),
  data: z.object({ count: z.int(), tasks: z.array(Task) }),
  hints: READ,
  run: async ({ limit }, { desk }) => {
    const tasks = await desk.nextTasks(limit);
    return { count: tasks.length, tasks };
  },
});

export const Advanced = z.looseObject({
  success: z.boolean(),
  previousStep: z.string(),
  nextStep: z.string().nullable(),
  action: z.string(),
  task: Task,
  waitingFor: Waiting.optional(),
});

const advanceTask = tool({
  name: "advance_task",
  title: "Advance a task",
  description:
    "Says how the task's present step ended and moves the task along the edge that fits. A failed step is retried while it has retries left, then escalated. `success: false` means that no edge fits: nothing moved. Callers that may send twice give `expectedStep`.",
  input: z.strictObject({
    taskId,
    result: z
      .string()
      .describe("How the step ended, e.g. passed or failed; not needed where an edge has no `on`")
      .optional(),
    output: z
      .unknown()
      .describe("What the step gave: kept in the history and the sync record, never steers")
      .optional(),
    expectedStep: z.string().describe("Moves only if the task is still at this step").optional(),
    claim: z.int().describe("Token of the claim, where the task is claimed").optional(),
    force: z.boolean().describe("On a fork: go on although branches are open").optional(),
  }),
  data: Advanced,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "workflow_not_found",
    "step_not_found",
    "step_changed",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "result_required",
    "reserved_result",
    "invalid_result",
    "child_active",
    "task_claimed",
    "claim_lost",
  ],
  run: async ({ taskId: id, ...step }, call) => {
    const answer = await call.desk.advance(id, step as Parameters<typeof call.desk.advance>[1]);
    const { previousStep, nextStep, action } = answer;
    tellClient(call, { event: "task_advanced", taskId: id, from: previousStep, to: nextStep, action });
    return afterMove(answer, call);
  },
});

const getTask = tool({
  name: "get_task",
  title: "One task",
  description: "A task with its context, counters and history.",
  input: z.strictObject({ taskId }),
  data: z.object({ task: Task }),
  hints: READ,
  errors: ["task_not_found"],
  run: async ({ taskId: id }, { desk }) => ({ task: await desk.task(id) }),
});

const getTaskProgress = tool({
  name: "get_task_progress",
  title: "Progress of a task",
  description: "Where a task is on its workflow: step, level, percent, steps visited, retries left and ways on.",
  input: z.strictObject({ taskId }),
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
  }),
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: ({ taskId: id }, { desk }) => desk.progress(id),
});

const getTasksByStatus = tool({
  name: "get_tasks_by_status",
  title: "Tasks by status",
  description: "How many tasks have each status, and the tasks themselves: of one status, or of all.",
  input: z.strictObject({ status: z.enum(TASK_STATUSES).describe("Only tasks of this status").optional() }),
  data: z.object({ counts: Counts, tasks: z.partialRecord(Status, z.array(Task)) }),
  hints: READ,
  limit_ms: LONGEST_CALL_MS,
  run: ({ status }, { desk }) => desk.tasksByStatus(status),
});

export const TASK_TOOLS = [loadTaskTree, getNextTasks, advanceTask, getTask, getTaskProgress, getTasksByStatus];
