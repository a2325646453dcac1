import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";

const LOOK_MS = 100;

/** Until a mission waits and nothing of it is under way. @param events the least that its history has then */
export async function untilParked(handle: WorkflowHandle, events: number): Promise<void> {
  for (;;) {
    const { raw } = await handle.describe();
    const busy = raw.pendingWorkflowTask != null || (raw.pendingActivities?.length ?? 0) > 0;
    if (!busy && Number(raw.workflowExecutionInfo?.historyLength) >= events) return;
    await sleep(LOOK_MS);
  }
}
