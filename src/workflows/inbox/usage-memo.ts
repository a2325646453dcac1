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
 * The memo field that shows in lists what a mission used and did (engine reference, section 2). A run writes it
 * together with its memo when it waits, and at its end. It is empty in runs below a mission: the mission shows the sum.
 */
export function usageMemo(usage: MissionUsage, effects: readonly EffectEntry[]): { [USAGE_MEMO]?: ReportedUsage } {
  return isMission(workflowInfo().workflowId) ? { [USAGE_MEMO]: reportedUsage(usage, effects) } : {};
}
