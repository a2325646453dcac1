import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { delay } from "../../node/delay";
import { type Extra, extraOf } from "../context/request";
import { isOver, type McpTaskSource, type McpTaskState, POLL_MS } from "../context/task-source";

/** Tasks of protocol 2025-11-25, which are experimental there: the client asks for one, and fetches its result (mcp reference, section 6). */

const ERA = "2025-11-25";
/** The server's declaration of tasks at `initialize`. */
export const TASKS_CAPABILITY = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

const TaskId = z.looseObject({ taskId: z.string() });

/** A task as this era writes it. */
export const taskOf2025 = ({ taskId, status, statusMessage, createdAt, lastUpdatedAt }: McpTaskState) => ({
  ...{ taskId, status, ttl: null, createdAt, lastUpdatedAt, pollInterval: POLL_MS },
  ...(statusMessage === undefined ? {} : { statusMessage }),
});

/** Serves `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`. */
export function registerTasks2025(server: McpServer, source: McpTaskSource): void {
  const on = <P extends z.ZodType>(
    method: string,
    params: P,
    answer: (given: z.output<P>, extra: Extra) => Promise<object>,
  ) =>
    server.server.setRequestHandler(method, { params }, async (given, ctx) => ({
      ...(await answer(given as z.output<P>, extraOf(ctx, server, ERA))),
    }));
  on("tasks/get", TaskId, async ({ taskId }, extra) => taskOf2025(await known(source, taskId, extra)));
  on("tasks/list", z.looseObject({}), async (_, extra) => ({ tasks: (await source.list(extra)).map(taskOf2025) }));
  on("tasks/cancel", TaskId, async ({ taskId }, extra) => {
    const task = await known(source, taskId, extra);
    if (isOver(task))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Task ${taskId} is ${task.status}: it cannot be cancelled.`,
      );
    await source.cancel(taskId, extra);
    // What it did until then counts: a run may have completed in the meantime.
    return taskOf2025(await known(source, taskId, extra));
  });
  on("tasks/result", TaskId, async ({ taskId }, extra) => {
    const task = await ended(source, taskId, extra);
    if (task.error !== undefined) throw new ProtocolError(task.error.code, task.error.message);
    const { _meta, ...result } = await source.result(taskId);
    return { ...result, _meta: { ..._meta, "io.modelcontextprotocol/related-task": { taskId } } };
  });
}

async function known(source: McpTaskSource, taskId: string, extra: Extra): Promise<McpTaskState> {
  const task = await source.get(taskId, extra);
  if (task === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Task ${taskId} not found`);
  return task;
}

/** The result of a task is asked for once, and comes when there is one. */
async function ended(source: McpTaskSource, taskId: string, extra: Extra): Promise<McpTaskState> {
  for (;;) {
    const task = await known(source, taskId, extra);
    if (isOver(task) || extra.signal.aborted) return task;
    await delay(POLL_MS, extra.signal).catch(() => {});
  }
}
