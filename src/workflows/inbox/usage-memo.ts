import { workflowInfo } from "@temporalio/workflow";
import {
  type MissionUsage,
  type ReportedUsage,
  reportedUsage,
  USAGE_MEMO,
} from "../../core/agent/budget/mission-usage";
import { isMission } from "../../core/base/ids";
import type { EffectEntry } from "../../core/effects/entry";

/**
 * The memo field that tells lists what a mission used and did (engine reference, section 2). It rides on the memo that a run writes
 * when it waits, and is written at its end. Empty in runs below a mission: that one tells it.
 */
export function usageMemo(usage: MissionUsage, effects: readonly EffectEntry[]): { [USAGE_MEMO]?: ReportedUsage } {
  return isMission(workflowInfo().workflowId) ? { [USAGE_MEMO]: reportedUsage(usage, effects) } : {};
}
