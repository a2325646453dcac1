import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";

const LOOK_MS = 100;

/** Events of the shortest history that has the end of an activity, and the workflow task that hears of it. */
const LEAST_EVENTS = 8;

/** Until a mission that has done something waits, and nothing of it is under way. */
export async function untilParked(handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { raw } = await handle.describe();
    const busy = raw.pendingWorkflowTask != null || (raw.pendingActivities?.length ?? 0) > 0;
    if (!busy && Number(raw.workflowExecutionInfo?.historyLength) >= LEAST_EVENTS) return;
    await sleep(LOOK_MS);
  }
}
