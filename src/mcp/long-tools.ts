import type {
  CreateTaskRequestHandlerExtra,
  TaskRequestHandlerExtra,
} from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { agentWorkflowId } from "../client";
import type { ServerParts } from "./parts";
import { callTool, configOf } from "./tool";
import { type RunArguments, runAgent, startRun } from "./tools/runs";

/**
 * `run_agent` for clients that have MCP's tasks and for those that have not: the first get a task at once and poll it,
 * the others an answer within the length of a call.
 */
export function registerRunAgent(server: McpServer, parts: ServerParts): void {
  server.experimental.tasks.registerToolTask(
    runAgent.name,
    { ...configOf(runAgent), execution: { taskSupport: "optional" } },
    {
      createTask: async (given: unknown, extra: CreateTaskRequestHandlerExtra) => {
        const args = given as RunArguments;
        const begin = async () => agentWorkflowId(await startRun(args, { ...(await parts.backend()), parts }));
        const task = await extra.taskStore.createTask({ ttl: null, context: { begin } });
        // Nobody asked for a task: the call is answered as any other's, by way of the store that the SDK made for it.
        if (task.taskId === "")
          extra.taskStore.getTaskResult = () => callTool(runAgent, args, { parts, server, extra });
        return { task };
      },
      getTask: (_: unknown, extra: TaskRequestHandlerExtra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_: unknown, extra: TaskRequestHandlerExtra) =>
        (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
    },
  );
}
