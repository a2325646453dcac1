import type {
  CreateTaskRequestHandlerExtra,
  TaskRequestHandlerExtra,
} from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { Backend } from "../backend/backend";
import { inCallersTrace } from "../telemetry/callers-trace";
import { viewMeta } from "./apps/views";
import { sendProgress } from "./client-features/progress";
import type { ServerContext } from "./context/server-context";
import { AnswerForView, type Call, type Extra, type McpTool } from "./context/tool";
import { failureOf } from "./results/failure";
import { errorResult, type Reminder, reminderOf, successResult } from "./results/tool-result";

const USUAL_CALL_MS = 20_000;

const SyncReminder = z.object({
  message: z.string(),
  pending: z.array(z.object({ id: z.string(), taskId: z.string() })),
  total: z.int().optional(),
});

export function outputOf({ data, reminder }: McpTool): z.ZodObject {
  return reminder === false ? z.object({ data }) : z.object({ data, _sync_reminder: SyncReminder.optional() });
}

/** The SDK's description of a tool. It names a view only if the server has it. */
function configOf(spec: McpTool, { appFolder }: Pick<ServerContext, "appFolder">) {
  const { title, description, input, hints } = spec;
  const _meta = appFolder === undefined ? {} : viewMeta(spec);
  return {
    ...{ title, description, inputSchema: input, outputSchema: outputOf(spec), annotations: { title, ...hints } },
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  };
}

/**
 * Registers every tool. A tool that starts a workflow takes long: a client with MCP tasks gets a task at once and polls
 * it; any other gets an answer within the length of a call, with the handle to ask again.
 */
export function registerToolCalls(server: McpServer, serverContext: ServerContext, tools: readonly McpTool[]): void {
  for (const spec of tools)
    if (spec.begin === undefined)
      server.registerTool(spec.name, configOf(spec, serverContext), (args, extra) =>
        runToolCall(spec, args, { serverContext, server, extra }),
      );
    else registerLongTool(server, serverContext, spec, spec.begin);
}

function registerLongTool(
  server: McpServer,
  serverContext: ServerContext,
  spec: McpTool,
  begin: Required<McpTool>["begin"],
): void {
  server.experimental.tasks.registerToolTask(
    spec.name,
    { ...configOf(spec, serverContext), execution: { taskSupport: "optional" } },
    {
      createTask: async (args: unknown, extra: CreateTaskRequestHandlerExtra) => {
        const start = async () =>
          begin(args as { [name: string]: unknown }, { ...(await serverContext.backend()), server, serverContext });
        const context = { begin: () => inCallersTrace(carrierOfCall(extra), start) };
        const task = await extra.taskStore.createTask({ ttl: null, context });
        // No task was requested: the call is answered like any other, through the store that the SDK made for it.
        if (task.taskId === "")
          extra.taskStore.getTaskResult = () =>
            runToolCall(spec, args as object as never, { serverContext, server, extra });
        return { task };
      },
      getTask: (_: unknown, extra: TaskRequestHandlerExtra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_: unknown, extra: TaskRequestHandlerExtra) =>
        (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
    },
  );
}

/** Runs one call and returns its answer; never throws. */
export async function runToolCall(
  spec: McpTool,
  args: { [name: string]: unknown },
  context: Omit<Call, keyof Backend>,
): Promise<CallToolResult> {
  const { log } = context.serverContext;
  let backend: Backend | undefined;
  try {
    backend = await context.serverContext.backend();
    const { data, reminder } = await answered(spec, args, { ...context, ...backend });
    return data instanceof AnswerForView
      ? { ...successResult(data.data, reminder), _meta: data.meta }
      : successResult(data, reminder);
  } catch (error) {
    const failure = await failureOf(error, backend, log);
    log.info("mcp_tool_refused", { tool: spec.name, code: failure.code });
    const reachable = failure.code !== "temporal_unavailable" ? backend : undefined;
    return errorResult(failure, spec.reminder === false ? undefined : await quietReminder(reachable, context));
  }
}

async function answered(spec: McpTool, args: { [name: string]: unknown }, call: Call) {
  const within = <T>(work: () => Promise<T>) =>
    call.client.temporal.withDeadline(Date.now() + (spec.limit_ms ?? USUAL_CALL_MS), work);
  const run = async () => {
    const stop = sendProgress(call, () => `${spec.title}: under way`);
    try {
      return await inCallersTrace(carrierOfCall(call.extra), () => within(() => spec.run(args, call)));
    } finally {
      stop();
    }
  };
  const remind = () => (spec.reminder === false ? undefined : quietReminder(call, call));
  // The answer lists what is pending after the call, so the two run in parallel only if the call changes nothing.
  if (spec.hints.readOnlyHint) {
    const [data, reminder] = await Promise.all([run(), remind()]);
    return { data, reminder };
  }
  // Lists are read at most once a second. They are read while the call works, so nobody waits for them after it; the
  // call's own changes are added to them.
  const reminded = spec.reminder !== false && call.serverContext.primaryStore !== undefined;
  if (reminded) void within(() => call.taskService.syncReminder(0)).catch(() => {});
  const data = await run();
  return { data, reminder: await remind() };
}

/** The trace that a call comes from: in the `_meta` of the request, as MCP has it, else in the headers of HTTP. */
function carrierOfCall({ _meta, requestInfo }: Pick<Extra, "_meta" | "requestInfo">) {
  const { traceparent, tracestate } = _meta?.traceparent === undefined ? (requestInfo?.headers ?? {}) : _meta;
  return { traceparent, tracestate };
}

const REMINDER_MS = 5_000;

/** A successful call must not fail because a list could not be read. */
async function quietReminder(
  backend: Backend | undefined,
  { serverContext }: Pick<Call, "serverContext">,
): Promise<Reminder | undefined> {
  if (backend === undefined) return undefined;
  const { taskService, client } = backend;
  try {
    return await client.temporal.withDeadline(Date.now() + REMINDER_MS, () => reminderOf(taskService, serverContext));
  } catch (error) {
    serverContext.log.warn("mcp_reminder_failed", { error: (error as Error).message });
    return undefined;
  }
}
