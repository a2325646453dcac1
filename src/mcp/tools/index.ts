import type { ToolSpec } from "../tool";
import { CATALOG_TOOLS } from "./catalog";
import { JOURNAL_TOOLS } from "./journal";
import { NAVIGATE_TOOLS } from "./navigate";
import { QUEUE_TOOLS, startTask } from "./queue";
import { REVIEW_TOOLS } from "./reviews";
import { getRun, runAgent } from "./runs";
import { SYNC_TOOLS } from "./syncs";
import { TASK_TOOLS } from "./tasks";
import { waitForTask } from "./wait";
import { DIAGRAM_TOOLS, WORKFLOW_TOOLS } from "./workflows";

/** Every tool that answers when it is done, the twelve of the graph reference, section 8, first. */
export const TOOLS: readonly ToolSpec[] = [
  ...WORKFLOW_TOOLS,
  ...TASK_TOOLS,
  ...SYNC_TOOLS,
  ...NAVIGATE_TOOLS,
  ...DIAGRAM_TOOLS,
  ...CATALOG_TOOLS,
  ...QUEUE_TOOLS,
  waitForTask,
  ...REVIEW_TOOLS,
  ...JOURNAL_TOOLS,
  getRun,
];

/** And those that may also answer with a task of MCP. */
export const ALL_TOOLS: readonly ToolSpec[] = [...TOOLS, startTask, runAgent];
