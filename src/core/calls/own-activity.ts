import type { ToolSpec } from "./tool";
import { attemptPolicy } from "./tool-attempts";

/** Why each call of this tool needs a separate activity. undefined: calls may share one. */
export function ownActivityReason(tool: ToolSpec): string | undefined {
  if (tool.effect === "irreversible") return "a call of an irreversible tool has a separate activity";
  if (tool.approval !== undefined) return "each call needs an approval";
  if (tool.completes_later) return "its answers come later, from outside";
  if (tool.identity_scope === "namespace") return "its effects are known in all missions";
  if (tool.task_queue !== undefined) return "it has a separate task queue";
  if (tool.heartbeat_ms !== undefined) return "it has a separate heartbeat";
  if (tool.rate_limit !== undefined) return "it has a rate limit";
  return attemptPolicy(tool).max_attempts > 1 ? undefined : "its calls have one attempt";
}

/** The longest call in a shared activity, ms, if its tool sets no limit. */
export const SHARED_CALL_MS = 5 * 60_000;
