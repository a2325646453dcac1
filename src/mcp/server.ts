import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { registerLongTools } from "./long-tools";
import { registerPrompts } from "./prompts";
import { registerResources } from "./resources";
import type { ServerParts } from "./server-context";
import { TemporalTaskStore } from "./task-store";
import { registerTools } from "./tool";
import { TOOLS } from "./tools";

export type { Backend, ServerParts } from "./server-context";

const INSTRUCTIONS =
  "Navigator says where a task goes next; you do the work. Take a task (get_next_tasks_from_tree, or claim_next_tasks where several work), do its present step, and call advance_task with how it ended. Persist what moved to your own store and confirm it with confirm_sync: every answer reminds you of what is pending in _sync_reminder.";

/** More array elements and members than this in one call's arguments are refused unread. */
const MAX_INPUT_ELEMENTS = 50_000;

/** One MCP server for one client; connect it to a transport. Servers of one process may share their parts. */
export function createNavigatorServer(parts: ServerParts): McpServer {
  const server = new McpServer(
    { name: "navigator", title: "Navigator", version: parts.version },
    {
      instructions: INSTRUCTIONS,
      maxToolInputElements: MAX_INPUT_ELEMENTS,
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        logging: {},
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      taskStore: new TemporalTaskStore(parts),
    },
  );
  registerTools(server, parts, TOOLS);
  registerLongTools(server, parts);
  registerResources(server, parts);
  registerPrompts(server, parts);
  return server;
}
