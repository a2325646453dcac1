import { batchSize } from "./run-calls";
import type { ToolSpec } from "./tool";

/** The facts about a run that decide how a call is made. */
export interface CallSituation {
  /** Other calls of the run may be under way at the same time. */
  parallel: boolean;
  /** People approved the call: its activity asks the run whether that still counts. */
  approved: boolean;
  /** The mission's time is over. */
  late: boolean;
  /** A worker without the tool was asked before. */
  blocked: boolean;
  /** An activity that the call shared with others has tried it in vain. */
  tried: boolean;
}

/**
 * How a call is made that no call sequence has made (engine reference, section 16).
 * - `side_by_side`: by one `runCalls`, with the calls of the same tool that parallel branches ask for at the same moment.
 * - `local`: as a local activity: 3 ms and one event instead of 10 ms and six.
 * - `alone`: by a separate `callTool`.
 */
export type CallPlan = "side_by_side" | "local" | "alone";

/** How a call of this tool is made: see `CallPlan`. */
export function planCall(tool: ToolSpec, { parallel, approved, late, blocked, tried }: CallSituation): CallPlan {
  if (parallel && batchSize(tool) !== undefined && !approved && !late && !blocked && !tried) return "side_by_side";
  // Temporal resolves local activities in the order of their ends, and on a replay in the order of their begins: with others
  // under way, the calls that follow would change places. An approved call asks its run, which cannot answer during a local activity.
  if (isShortRead(tool) && !parallel && !approved && !blocked) return "local";
  return "alone";
}

/** A longer call would occupy the workflow task. */
export const LONGEST_LOCAL_CALL_MS = 10_000;

/** A read that may be a local activity: it has no effect that a history must show before the call. */
function isShortRead(tool: ToolSpec): boolean {
  const waits = tool.completes_later || tool.heartbeat_ms !== undefined || tool.rate_limit !== undefined;
  return (
    tool.effect === "read" && tool.task_queue === undefined && !waits && (tool.timeout_ms ?? 0) <= LONGEST_LOCAL_CALL_MS
  );
}
