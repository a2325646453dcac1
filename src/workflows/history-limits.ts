import { workflowInfo } from "@temporalio/workflow";

/** Far below Temporal's limits (51,200 events, 50 MB), so that one long turn still fits. */
const MAX_EVENTS = 8_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Near Temporal's limits. Beyond them the server terminates the workflow, without a result. */
const LAST_EVENTS = 45_000;
const LAST_BYTES = 44 * 1024 * 1024;

/** Whether the run should continue as new at its next safe point. */
export function historyIsLong(): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength > MAX_EVENTS || info.historySize > MAX_BYTES;
}

/** Whether the run must end, if it cannot continue as new. */
export function historyIsFull(): boolean {
  const info = workflowInfo();
  return info.historyLength > LAST_EVENTS || info.historySize > LAST_BYTES;
}
