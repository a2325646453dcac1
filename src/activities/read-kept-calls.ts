import { Context } from "@temporalio/activity";
import { temporal } from "@temporalio/proto";
import { isObject } from "../core/base/is-object";
import type { NavigatorActivities } from "../core/calls/activities";
import { isCallsJournal, RUN_CALLS } from "../core/calls/run-calls";
import { writtenFacts } from "../core/history/read/decode-events";
import { readableHistory } from "../node/encoding/readable-history";

/**
 * Reads the heartbeat details of an activity of the asking workflow. The server takes a heartbeat from the activity
 * alone, so nobody else can speak for its calls (engine reference, section 16).
 */
export const readKeptCalls: NavigatorActivities["readKeptCalls"] = async (n) => {
  const { client, info } = Context.current();
  const { workflowExecution: run } = info;
  if (run === undefined) return null;
  const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  for (const { activityType, heartbeatDetails: details } of raw.pendingActivities ?? []) {
    if (activityType?.name !== RUN_CALLS || !details) continue;
    // As the details of an event: codecs and external storage are decoded where histories are.
    const eventType = temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED;
    const event = { eventType, eventTime: {}, workflowExecutionTerminatedEventAttributes: { details } };
    const history = temporal.api.history.v1.History.fromObject({ events: [event] });
    const [fact] = writtenFacts(await readableHistory(history, client.options.loadedDataConverter));
    const kept = fact?.kind === "ended" ? fact.details[0] : undefined;
    if (isObject(kept) && kept.n === n && isCallsJournal(kept)) return kept;
  }
  return null;
};
