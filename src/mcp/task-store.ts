import type { CreateTaskOptions, TaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import type { Request, Task } from "@modelcontextprotocol/sdk/types.js";
import { NavigatorError } from "../client-errors";
import { success } from "./answer";
import type { ServerParts } from "./parts";
import { runState } from "./run-state";
import { runAnswer } from "./tools/runs";

/**
 * MCP's tasks over Temporal: the id of a task is its workflow's, its state the workflow's, its result what that gave.
 * Nothing is kept here, so a client may ask another server, or the same after a restart. Work belongs to the namespace
 * and not to a session: whoever may call tools may see it.
 */
export class TemporalTaskStore implements TaskStore {
  constructor(private readonly parts: ServerParts) {}

  /** @param context `begin` starts the work and gives its workflow id */
  async createTask({ context }: CreateTaskOptions, _: unknown, request: Request): Promise<Task> {
    // Who asked for no task does not poll. To the SDK it is over at once, or it would hold the call until it is.
    if (request.params?.task === undefined) return NO_TASK;
    const { begin } = context as unknown as { begin(): Promise<string> };
    const task = await this.getTask(await begin());
    if (task === null) throw new Error("What was started is not there.");
    return task;
  }

  async getTask(taskId: string): Promise<Task | null> {
    if (!taskId.startsWith("agent/")) return null;
    const { client } = await this.parts.backend();
    try {
      const { startTime, closeTime, status } = await client.agent(taskId).workflow.describe();
      const state = status.name === "RUNNING" ? await runState(client, taskId) : undefined;
      return {
        taskId,
        status: STATUS[status.name] ?? "failed",
        ...(state?.status === "waiting" ? { statusMessage: "It waits for a person." } : {}),
        ttl: null,
        createdAt: startTime.toISOString(),
        lastUpdatedAt: (closeTime ?? new Date()).toISOString(),
        pollInterval: POLL_MS,
      };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async getTaskResult(taskId: string) {
    const { client } = await this.parts.backend();
    return success(runAnswer(taskId.slice("agent/".length), await runState(client, taskId)), undefined);
  }

  async storeTaskResult(): Promise<void> {
    throw new Error("Results of tasks are those of their workflows.");
  }

  async updateTaskStatus(taskId: string, status: Task["status"]): Promise<void> {
    if (status !== "cancelled") return;
    const { client } = await this.parts.backend();
    const { workflow } = client.agent(taskId);
    await workflow.cancel();
    await workflow.result().catch(() => {});
  }

  async listTasks(): Promise<{ tasks: Task[] }> {
    const { client } = await this.parts.backend();
    const tasks: Task[] = [];
    for await (const { workflowId } of client.temporal.workflow.list({ query: RUNNING })) {
      const task = await this.getTask(workflowId);
      if (task !== null) tasks.push(task);
      if (tasks.length === MAX_LISTED) break;
    }
    return { tasks };
  }
}

const POLL_MS = 1_000;
const BEGINNING = new Date(0).toISOString();
const NO_TASK: Task = { taskId: "", status: "completed", ttl: null, createdAt: BEGINNING, lastUpdatedAt: BEGINNING };
const MAX_LISTED = 100;
const RUNNING = 'WorkflowType = "agentRun" AND ExecutionStatus = "Running"';

const STATUS: { [name: string]: Task["status"] } = {
  RUNNING: "working",
  COMPLETED: "completed",
  CONTINUED_AS_NEW: "working",
  CANCELLED: "cancelled",
  TERMINATED: "cancelled",
};

function isAbsent(error: unknown): boolean {
  if (error instanceof NavigatorError) return error.code === "not_found" || error.code === "run_not_found";
  return (error as Error).name === "WorkflowNotFoundError";
}
