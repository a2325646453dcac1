import { randomUUID } from "node:crypto";
import * as z from "zod";
import { refuseLosses } from "../../client/tasks/load-losses";
import type { TaskDetails } from "../../client/tasks/types";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { versionOf } from "../../core/graph/task/task";
import { TASK_STATUSES } from "../../core/graph/task/task-schema";
import { openReviewOf } from "../client-features/elicitation";
import { pollUntil } from "../client-features/wait";
import { sessionAgent, taskRequester } from "../context/session-agent";
import { type Call, CHANGE, LONGEST_CALL_MS, READ, REPLACE, RUN, tool } from "../context/tool";
import { errorOfTask } from "../results/errors";
import { describeWaiting } from "../results/run-answer";
import { Counts, FindingsData, Status, TaskData, taskIdArgument, taskInput, Waiting } from "../results/schemas";

export const loadTaskTreeTool = tool({
  name: "load_task_tree",
  title: "Load the task tree",
  description:
    "Loads tasks from the primary store: `merge` (default) adds to the tree and overwrites by id, `replace` also removes the other tasks. A task without currentStep and status keeps its place, history and claim. All tasks are checked before any is loaded; an interrupted load can be repeated. Unconfirmed moves stay.",
  input: z.strictObject({
    tasks: z.array(taskInput).describe("The tasks; id, issueId and workflowType are required"),
    mode: z.enum(["replace", "merge"]).default("merge").describe("Effect on existing tasks"),
    confirm: z.boolean().default(false).describe("Required to remove tasks or to set them back"),
  }),
  data: z.object({
    loaded: z.int(),
    replaced: z.int(),
    total: z.int(),
    byStatus: Counts,
    warnings: FindingsData,
  }),
  scope: "start",
  hints: REPLACE,
  errors: [
    "invalid_task",
    "duplicate_task_id",
    "confirmation_required",
    "payload_too_large",
    "load_incomplete",
    "agents_may_not_decide",
  ],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ tasks, mode, confirm }, call) => {
    const { taskService } = call;
    if (!confirm) await refuseLosses("Call again with confirm: true.", taskService, tasks, mode);
    return taskService.loadTasks(tasks, mode, { by: sessionAgent(call) });
  },
});

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
  scope: "start",
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
  scope: "start",
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

export const getTaskTool = tool({
  name: "get_task",
  title: "One task",
  description: "A task with its context, counters, history, and the version for advance_task.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ task: TaskData, version: z.int(), error: z.string().optional() }),
  hints: READ,
  errors: ["task_not_found"],
  run: async ({ taskId: id }, { taskService }) => {
    const task = await taskService.task(id);
    return { task, version: versionOf(task), ...errorOfTask(task) };
  },
});

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

export const getTasksByStatusTool = tool({
  name: "get_tasks_by_status",
  title: "Tasks by status",
  description: "Counts tasks by status and lists them, of one status or of all.",
  input: z.strictObject({ status: z.enum(TASK_STATUSES).describe("Only tasks of this status").optional() }),
  data: z.object({
    counts: Counts,
    unconfirmed: z.array(z.string()).describe("Ids of tasks whose worker does not answer").optional(),
    tasks: z.partialRecord(Status, z.array(TaskData)),
  }),
  hints: READ,
  limit_ms: LONGEST_CALL_MS,
  run: ({ status }, { taskService }) => taskService.tasksByStatus(status),
});

export const getNextTasksFromTreeTool = tool({
  name: "get_next_tasks_from_tree",
  title: "Next tasks",
  description:
    "The most important PENDING tasks, by priority, then by order of loading. Several orchestrators use claim_next_tasks.",
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
  }),
  data: z.object({ count: z.int(), tasks: z.array(TaskData), unconfirmed: z.array(z.string()).optional() }),
  hints: READ,
  run: async ({ limit }, { taskService }) => {
    const unconfirmed: string[] = [];
    const tasks = await taskService.nextTasks(limit, unconfirmed);
    return { count: tasks.length, tasks, ...(unconfirmed.length === 0 ? {} : { unconfirmed }) };
  },
});

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
