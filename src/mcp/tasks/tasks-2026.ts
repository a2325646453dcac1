import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { defined } from "../../core/base/defined";
import { type Extra, extraOf, type RequestClient } from "../context/request";
import { isOver, type McpTaskSource, type McpTaskState, POLL_MS } from "../context/task-source";

/** Tasks of protocol 2026-07-28, which are an extension: the server answers a call with a task where it wants (mcp reference, section 6). */

const ERA = "2026-07-28";
/** The name of the extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

const TaskId = z.looseObject({ taskId: z.string() });

/** Whether a client takes tasks for answers. */
export const takesTasks = ({ capabilities }: RequestClient): boolean =>
  capabilities.extensions?.[TASKS_EXTENSION] !== undefined;

/** Refuses a client that does not take tasks. */
export const needsTasks = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });

/** A task as this era writes it. */
export const taskOf2026 = ({ taskId, status, statusMessage, createdAt, lastUpdatedAt }: McpTaskState) => ({
  ...{ taskId, status, ttlMs: null, createdAt, lastUpdatedAt, pollIntervalMs: POLL_MS },
  ...defined({ statusMessage }),
});

/** Serves `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function registerTasks2026(server: McpServer, source: McpTaskSource): void {
  const on = (
    method: string,
    answer: (task: McpTaskState, extra: Extra, given: { [name: string]: unknown }) => Promise<object>,
  ) =>
    server.server.setRequestHandler(method, { params: TaskId }, async ({ taskId }, ctx) => {
      const extra = extraOf(ctx, server, ERA);
      if (!takesTasks(extra.client)) throw needsTasks();
      const task = await source.get(taskId, extra);
      if (task === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Task ${taskId} not found`);
      // The SDK takes the answers out of the parameters.
      return { ...(await answer(task, extra, ctx.mcpReq.inputResponses ?? {})) };
    });
  on("tasks/get", async (task) => ({
    ...taskOf2026(task),
    // Clients check it as they would check the answer of the call itself.
    ...(task.status === "completed"
      ? { result: { resultType: "complete", ...(await source.result(task.taskId)) } }
      : {}),
    ...defined({ error: task.error, inputRequests: task.inputRequests }),
  }));
  on("tasks/update", async ({ taskId }, extra, answers) => {
    await source.answer(taskId, answers, extra);
    return {};
  });
  on("tasks/cancel", async (task, extra) => {
    if (!isOver(task)) await source.cancel(task.taskId, extra);
    return {};
  });
}
