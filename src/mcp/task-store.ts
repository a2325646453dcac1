import type { CreateTaskOptions, TaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import type { Request, Task } from "@modelcontextprotocol/sdk/types.js";
import type { WorkflowExecutionDescription } from "@temporalio/client";
import type { Backend } from "../backend/backend";
import { listKnown } from "../client/inbox";
import { inProject } from "../client/project-filter";
import { bareId, kindOf } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { Task as NavigatorTask } from "../core/graph/task/task";
import { failureText } from "../core/journal/workflow-end";
import type { ServerContext } from "./context/server-context";
import { type RunProgress, runAnswer, runProgress } from "./results/run-state";
import { errorOfTask } from "./results/task-error";
import { reminderOf, successResult } from "./results/tool-result";

/**
 * MCP tasks on Temporal (mcp reference, section 6): the id of a task is its workflow's, its state the workflow's, its
 * result the workflow's. Nothing is stored here, so a client may ask another server, or the same one after a restart.
 * Work belongs to the namespace and not to a session: whoever may call tools may see it.
 */
export class TemporalTaskStore implements TaskStore {
  constructor(private readonly serverContext: ServerContext) {}

  /** @param context `begin` starts the work and returns its workflow id */
  async createTask({ context }: CreateTaskOptions, _: unknown, request: Request): Promise<Task> {
    // A client without a task does not poll. For the SDK the task is over at once; otherwise it would hold the call until the end.
    if (request.params?.task === undefined) return NO_TASK;
    const { begin } = context as unknown as { begin(): Promise<string> };
    const task = await this.getTask(await begin());
    if (task === null) throw new Error("What was started is not there.");
    return task;
  }

  async getTask(taskId: string): Promise<Task | null> {
    const kind = kindOf(taskId);
    if (kind !== "agent" && kind !== "task") return null;
    const backend = await this.serverContext.backend();
    try {
      const run = await backend.client.reviewed(taskId).workflow.describe();
      return {
        taskId,
        ...(kind === "task" ? await statusOfTask(taskId, backend) : await statusOfRun(taskId, run, backend)),
        ttl: null,
        createdAt: run.startTime.toISOString(),
        lastUpdatedAt: (run.closeTime ?? new Date()).toISOString(),
        pollInterval: POLL_MS,
      };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async getTaskResult(taskId: string) {
    const { client, taskService } = await this.serverContext.backend();
    const data =
      kindOf(taskId) === "task"
        ? withError(await taskService.task(bareId("task", taskId)))
        : runAnswer(bareId("agent", taskId), await runProgress(client, taskId));
    return successResult(data, await reminderOf(taskService, this.serverContext));
  }

  async storeTaskResult(): Promise<void> {
    throw new Error("Results of tasks are those of their workflows.");
  }

  async updateTaskStatus(taskId: string, status: Task["status"]): Promise<void> {
    if (status !== "cancelled") return;
    const { client, taskService } = await this.serverContext.backend();
    if (kindOf(taskId) === "task") return void (await taskService.cancel(bareId("task", taskId)));
    const { workflow } = client.agent(taskId);
    await workflow.cancel();
    await workflow.result().catch(() => {});
  }

  async listTasks(): Promise<{ tasks: Task[] }> {
    const { client } = await this.serverContext.backend();
    const query = `${RUNNING} AND ${inProject(client.project)}`;
    const tasks: Task[] = [];
    for (const { workflowId } of await listKnown(client.temporal, query)) {
      const task = await this.getTask(workflowId);
      if (task?.status === "working") tasks.push(task);
      if (tasks.length === MAX_LISTED) break;
    }
    return { tasks };
  }
}

const POLL_MS = 1_000;
const BEGINNING = new Date(0).toISOString();
const NO_TASK: Task = { taskId: "", status: "completed", ttl: null, createdAt: BEGINNING, lastUpdatedAt: BEGINNING };
const MAX_LISTED = 100;
const RUNNING = `(${ATTRIBUTE.kind} = "agent" OR ${ATTRIBUTE.kind} = "task") AND ExecutionStatus = "Running"`;

const WAITS = { status: "working", statusMessage: "It waits for a person." } as const;
type Status = Pick<Task, "status" | "statusMessage">;

/** A task's workflow stays until its moves are confirmed, so it may run although the task has ended. */
const withError = (task: NavigatorTask) => ({ task, ...errorOfTask(task) });

async function statusOfTask(id: string, { taskService }: Backend): Promise<Status> {
  const task = await taskService.task(bareId("task", id));
  if (task.status === "HITL") return WAITS;
  if (task.status !== "COMPLETED" && task.status !== "FAILED") return { status: "working" };
  if (task.endResult === "cancelled") return { status: "cancelled" };
  const { error } = errorOfTask(task);
  return { status: "completed", ...(error === undefined ? {} : { statusMessage: error }) };
}

async function statusOfRun(id: string, run: WorkflowExecutionDescription, { client }: Backend): Promise<Status> {
  switch (run.status.name) {
    case "RUNNING":
    case "CONTINUED_AS_NEW":
      return (await runProgress(client, id)).status === "waiting" ? WAITS : { status: "working" };
    case "COMPLETED":
    case "FAILED":
      return statusOfEnd(await runProgress(client, id));
    case "CANCELLED":
    case "TERMINATED":
      return { status: "cancelled" };
    default:
      return { status: "failed" };
  }
}

/** The call that started a run has an answer, also when the run failed: a client asks for it only if this says so. */
function statusOfEnd({ step }: RunProgress): Status {
  if (!step?.fail) return { status: "completed" };
  return { status: "completed", statusMessage: `The run failed: ${failureText(step.fail)}` };
}

function isAbsent(error: unknown): boolean {
  if (error instanceof NavigatorError) return error.code.endsWith("not_found");
  return (error as Error).name === "WorkflowNotFoundError";
}
