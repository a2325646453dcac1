import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { clientShowsViews, registerAppViews } from "./apps/views";
import { registerToolCalls } from "./call-tool";
import type { ServerContext } from "./context/server-context";
import { registerPrompts } from "./prompts";
import { registerResources } from "./resources";
import { TemporalTaskStore } from "./task-store";
import { CORE_TOOLS, TOOLS, VIEW_TOOLS } from "./tools";
import { confirmSyncTool } from "./tools/tasks/confirm-sync";

export type { Backend } from "../backend/backend";
export type { ServerContext } from "./context/server-context";

const INSTRUCTIONS =
  "Navigator says where a task goes next; you do the work. Take a task (get_next_tasks_from_tree, or claim_next_tasks where several work), do its present step, and call advance_task with how it ended.";
const CORE_INSTRUCTIONS =
  "Navigator says where a task goes next; you do the work. Take a task (get_next_tasks_from_tree, or create_task), call start, do what its instructions say, and call next with how it ended.";
const syncInstructions = (store: string) =>
  ` Persist what moved to the primary store (${store}) and confirm it with confirm_sync: every answer reminds you of what is pending in _sync_reminder.`;

/** A call with more array elements and members than this is refused unread. */
const MAX_INPUT_ELEMENTS = 50_000;

/** A primary store needs its confirmations, in the small set, too. */
function toolsOf({ tools, primaryStore }: ServerContext) {
  if (tools !== "core") return TOOLS;
  return primaryStore === undefined ? CORE_TOOLS : [...CORE_TOOLS, confirmSyncTool];
}

/** One MCP server for one client; connect it to a transport. Servers of one process may share their serverContext. */
export function createNavigatorServer(serverContext: ServerContext): McpServer {
  const { primaryStore, tools = "all" } = serverContext;
  const loop = tools === "core" ? CORE_INSTRUCTIONS : INSTRUCTIONS;
  const server = new McpServer(
    { name: "navigator", title: "Navigator", version: serverContext.version },
    {
      instructions: primaryStore === undefined ? loop : loop + syncInstructions(primaryStore),
      maxToolInputElements: MAX_INPUT_ELEMENTS,
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        logging: {},
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      taskStore: new TemporalTaskStore(serverContext),
    },
  );
  registerToolCalls(server, serverContext, toolsOf(serverContext));
  registerResources(server, serverContext);
  registerPrompts(server, serverContext);
  if (tools === "all") registerViews(server, serverContext);
  return server;
}

/**
 * The views, and their tools once a client has said that it shows views: any other would offer the tools to its model. The small
 * set of tools has no reviews and no runs, and so no views.
 */
function registerViews(server: McpServer, serverContext: ServerContext): void {
  if (serverContext.appFolder === undefined) return;
  registerAppViews(server, serverContext);
  server.server.oninitialized = () => {
    if (clientShowsViews(server)) registerToolCalls(server, serverContext, VIEW_TOOLS);
  };
}
