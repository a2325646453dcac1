import {
  type CallToolResult,
  type McpServerOptions,
  ProtocolError,
  ProtocolErrorCode,
  McpServer as SdkServer,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { extraOf, type ProtocolEra, type RequestClient } from "../context/request";
import type { ServedTool, ToolCallRequest } from "../context/served-tool";
import type { McpTaskSource } from "../context/task-source";
import { taskOf2025 } from "../tasks/tasks-2025";
import { needsTasks, takesTasks, taskOf2026 } from "../tasks/tasks-2026";

/**
 * `tools/list` and `tools/call` of both eras, from one list of tools. The SDK's own registry knows neither tasks nor tools that some
 * clients do not see.
 */

/** A call with more array elements and members than this is refused unread. */
const MAX_INPUT_ELEMENTS = 50_000;

/** A server of the SDK whose tools are those of a list. */
export class ToolServer extends SdkServer {
  constructor(
    info: ConstructorParameters<typeof SdkServer>[0],
    options: McpServerOptions,
    readonly tools: readonly ServedTool[],
  ) {
    super(info, options);
  }

  /** The SDK compares arguments with the headers of a request, where the schema asks for it. */
  override toolInputSchemaJson(name: string): { [field: string]: unknown } | undefined {
    return this.tools.find(({ listed }) => listed.name === name)?.listed.inputSchema;
  }
}

const CallParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  task: z.unknown().optional(),
});

/** Lists the tools of a server, and calls them. */
export function serveTools(server: ToolServer, era: ProtocolEra, tasks: McpTaskSource): void {
  const toolsFor = (client: RequestClient) => server.tools.filter(({ isFor }) => isFor === undefined || isFor(client));
  server.server.setRequestHandler("tools/list", (_, ctx) => ({
    tools: toolsFor(extraOf(ctx, server, era).client).map(({ listed }) => listed),
  }));
  server.server.setRequestHandler("tools/call", { params: CallParams }, async (params, ctx) => {
    const extra = extraOf(ctx, server, era);
    const tool = toolsFor(extra.client).find(({ listed }) => listed.name === params.name);
    if (tool === undefined) throw invalid(`Tool ${params.name} not found`);
    if (tool.needsTask && era === "2026-07-28" && !takesTasks(extra.client)) throw needsTasks();
    const parsed = tooLarge(params.arguments) ?? (await tool.parse(params.arguments));
    if (!parsed.ok) return refusedArguments(params.name, parsed.problem);
    const { inputResponses, requestState } = ctx.mcpReq;
    const request: ToolCallRequest = {
      ...{ args: parsed.args, extra, inputResponses },
      requestState: requestState<string>(),
    };
    return { ...(await asProtocolErrors(() => answer(tool, request, params.task !== undefined, tasks))) };
  });
}

async function answer(tool: ServedTool, request: ToolCallRequest, asksForTask: boolean, tasks: McpTaskSource) {
  const { era, client } = request.extra;
  const wantsTask = era === "2025-11-25" ? asksForTask : takesTasks(client);
  if (!wantsTask || tool.begin === undefined) return tool.call(request);
  const begun = await tool.begin(request);
  if (!("taskId" in begun) || typeof begun.taskId !== "string") return begun;
  const task = await tasks.get(begun.taskId, request.extra);
  if (task === null) throw new Error("What was started is not there.");
  // The SDK takes nothing for the result of a call that has no content.
  const content: [] = [];
  return era === "2025-11-25"
    ? { content, task: taskOf2025(task) }
    : { content, ...taskOf2026(task), resultType: "task" };
}

/** A client that brings back a wrong state has made a mistake of the protocol. */
async function asProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const { code, message, hint, details } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, hint, ...(details as object) });
  }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** A result, so that a model can read it and correct itself. */
const refusedArguments = (tool: string, problem: string): CallToolResult => ({
  isError: true,
  content: [
    { type: "text", text: `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${problem}` },
  ],
});

function tooLarge(args: object): { ok: false; problem: string } | undefined {
  const left: unknown[] = [args];
  let elements = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inside = Object.values(next);
    elements += inside.length;
    if (elements > MAX_INPUT_ELEMENTS)
      return { ok: false, problem: `they contain more than the maximum of ${MAX_INPUT_ELEMENTS} elements` };
    for (const item of inside) if (typeof item === "object" && item !== null) left.push(item);
  }
  return undefined;
}
