import type { McpServer } from "@modelcontextprotocol/server";
import { registerAppViews } from "./apps/views";
import { servedTool } from "./call-tool";
import type { ProtocolEra } from "./context/request";
import type { ServerContext } from "./context/server-context";
import { registerPrompts } from "./prompts";
import { serveTools, ToolServer } from "./protocol/tool-list";
import { registerResources } from "./resources";
import { registerTasks2025, TASKS_CAPABILITY } from "./tasks/tasks-2025";
import { registerTasks2026, TASKS_EXTENSION } from "./tasks/tasks-2026";
import { TemporalTasks } from "./tasks/temporal-tasks";
import { CORE_TOOLS, TOOLS, VIEW_TOOLS } from "./tools";
import { confirmSyncTool } from "./tools/syncs";

export type { Backend } from "../server/backend/backend";
export type { ServerContext } from "./context/server-context";

const INSTRUCTIONS =
  "Navigator decides where a task goes next; you do the work. Take a task (get_next_tasks_from_tree, or claim_next_tasks where several work), do its present step, and call advance_task with its result and the task's version.";
const CORE_INSTRUCTIONS =
  "Navigator decides where a task goes next; you do the work. Take a task (get_next_tasks_from_tree, or create_task), call start, follow its instructions, and call next with the result.";
const syncInstructions = (store: string) =>
  ` Persist what moved to the primary store (${store}) and confirm it with confirm_sync: every answer reminds you of what is pending in _sync_reminder.`;

/** For so long a client may keep a list: it is the same until the server is another. */
const LIST_MS = 300_000;
const KEPT = { ttlMs: LIST_MS, cacheScope: "private" } as const;

/** A primary store needs its confirmations, in the small set, too. The small set has no reviews and no runs, and so no views. */
function toolsOf({ tools, primaryStore, appFolder }: ServerContext) {
  if (tools !== "core") return appFolder === undefined ? TOOLS : [...TOOLS, ...VIEW_TOOLS];
  return primaryStore === undefined ? CORE_TOOLS : [...CORE_TOOLS, confirmSyncTool];
}

/**
 * One MCP server: for the session of a client in the era of 2025-11-25, and for one request or one connection since 2026-07-28. Connect
 * it to a transport. Servers of one process may share their serverContext.
 */
export function createNavigatorServer(serverContext: ServerContext, era: ProtocolEra = "2025-11-25"): McpServer {
  const { primaryStore, tools = "all", extras, version } = serverContext;
  const loop = tools === "core" ? CORE_INSTRUCTIONS : INSTRUCTIONS;
  const served = toolsOf(serverContext).map((spec) => servedTool(spec, () => server, serverContext));
  const server: ToolServer = new ToolServer(
    { name: "navigator", title: "Navigator", version },
    {
      instructions: primaryStore === undefined ? loop : loop + syncInstructions(primaryStore),
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: true },
        prompts: { listChanged: false },
        logging: {},
        ...(era === "2025-11-25" ? { tasks: TASKS_CAPABILITY } : { extensions: { [TASKS_EXTENSION]: {} } }),
      },
      cacheHints: {
        "tools/list": KEPT,
        "prompts/list": KEPT,
        "resources/templates/list": KEPT,
        "server/discover": KEPT,
      },
    },
    [...served, ...(extras?.tools(() => server) ?? [])],
  );
  const tasks = extras?.tasks ?? new TemporalTasks(serverContext);
  serveTools(server, era, tasks);
  (era === "2025-11-25" ? registerTasks2025 : registerTasks2026)(server, tasks);
  registerResources(server, serverContext);
  registerPrompts(server, serverContext);
  if (tools === "all") registerAppViews(server, serverContext);
  extras?.register(server, era);
  return server;
}
