import type {
  CreateTaskRequestHandlerExtra,
  TaskRequestHandlerExtra,
} from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { agentWorkflowId, taskWorkflowId } from "../core/base/ids";
import type { ServerParts } from "./server-context";
import { type Call, callTool, configOf, type ToolSpec } from "./tool";
import { type StartArguments, startedTask, startTask } from "./tools/queue";
import { type RunArguments, runAgent, startRun } from "./tools/runs";

/** A tool whose work is a workflow of its own. */
interface LongTool {
  spec: ToolSpec;
  /** Starts the work and gives its workflow id. */
  begin(args: unknown, call: Pick<Call, "client" | "desk" | "parts">): Promise<string>;
}

const LONG_TOOLS: LongTool[] = [
  {
    spec: startTask,
    begin: async (args, call) => taskWorkflowId((await startedTask(args as StartArguments, call)).id),
  },
  { spec: runAgent, begin: async (args, call) => agentWorkflowId(await startRun(args as RunArguments, call)) },
];

/**
 * Long work for clients that have MCP's tasks and for those that have not: the first get a task at once and poll it,
 * the others an answer within the length of a call, with the handle to ask again.
 */
export function registerLongTools(server: McpServer, parts: ServerParts): void {
  for (const { spec, begin } of LONG_TOOLS)
    server.experimental.tasks.registerToolTask(
      spec.name,
      { ...configOf(spec), execution: { taskSupport: "optional" } },
      {
        createTask: async (args: unknown, extra: CreateTaskRequestHandlerExtra) => {
          const context = { begin: async () => begin(args, { ...(await parts.backend()), parts }) };
          const task = await extra.taskStore.createTask({ ttl: null, context });
          // Nobody asked for a task: the call is answered as any other's, by way of the store that the SDK made for it.
          if (task.taskId === "")
            extra.taskStore.getTaskResult = () => callTool(spec, args as object as never, { parts, server, extra });
          return { task };
        },
        getTask: (_: unknown, extra: TaskRequestHandlerExtra) => extra.taskStore.getTask(extra.taskId),
        getTaskResult: async (_: unknown, extra: TaskRequestHandlerExtra) =>
          (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
      },
    );
}
