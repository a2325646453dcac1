import { TRACE_HEADER, type TraceContext, traceCarrierOf } from "../../../../src/core/history/spans/trace-context";

/** Histories made by hand, as `historyToJSON` writes them. */

const payload = (value: unknown) => ({
  metadata: { encoding: Buffer.from("json/plain").toString("base64") },
  data: Buffer.from(JSON.stringify(value)).toString("base64"),
});
const payloads = (...values: unknown[]) => ({ payloads: values.map(payload) });

/** An event without its number and time. */
export type MadeEvent = Record<string, unknown>;

const event = (words: string, attributes: object): MadeEvent => {
  const camel = words.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { eventType: `EVENT_TYPE_${words}`, [`${camel}EventAttributes`]: attributes };
};

/** The events of a history, a second apart. */
export const historyOf = (events: MadeEvent[]) => ({
  events: events.map((one, index) => ({
    eventId: String(index + 1),
    eventTime: new Date(1_700_000_000_000 + index * 1_000).toISOString(),
    ...one,
  })),
});

const headerOf = (context: TraceContext | undefined) =>
  context === undefined ? {} : { header: { fields: { [TRACE_HEADER]: payload(traceCarrierOf(context)) } } };

/** An agent's run begins. */
export const started = (runId: string, input: object = { agent: { name: "clerk" }, model: "scripted" }) =>
  event("WORKFLOW_EXECUTION_STARTED", {
    workflowType: { name: "agentRun" },
    workflowId: "agent/order-42",
    originalExecutionRunId: runId,
    firstExecutionRunId: runId,
    input: payloads(input),
  });

/** A call that is made, begun and answered. @param at the number of the first of the three events */
export const call = (
  at: number,
  [activity, activityId, input, result]: [string, string, object, unknown],
  context?: TraceContext,
): MadeEvent[] => [
  event("ACTIVITY_TASK_SCHEDULED", {
    activityType: { name: activity },
    activityId,
    input: payloads(input),
    ...headerOf(context),
  }),
  event("ACTIVITY_TASK_STARTED", { scheduledEventId: String(at), attempt: 1 }),
  event("ACTIVITY_TASK_COMPLETED", { scheduledEventId: String(at), result: payloads(result) }),
];

/** Somebody resets the workflow: what comes next is of this run. */
export const reset = (newRunId: string) =>
  event("WORKFLOW_TASK_FAILED", { cause: "WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW", newRunId });

/** The run ends with a failure, whose details hold its Step. */
export const failedRun = (step: { fail: { reason: string; message: string } }) =>
  event("WORKFLOW_EXECUTION_FAILED", {
    failure: {
      message: step.fail.message,
      applicationFailureInfo: { type: step.fail.reason, details: payloads(step) },
    },
  });
