import type { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { Missing } from "../core/base/input/missing";

/**
 * The failure of a call that needs something that this worker does not have. It may be tried again: another worker of
 * the queue may have it. Operators see it in the log and in the metric `navigator_configuration_errors`.
 *
 * @param blocked_ms for a call that Temporal tries again and again: how long
 */
export function configurationError(context: Context, missing: Missing, blocked_ms?: number): ApplicationFailure {
  const { kind, name, text, help } = missing;
  const { attempt, workflowExecution, scheduledTimestampMs } = context.info;
  context.metricMeter
    .createCounter("navigator_configuration_errors", "1", "Calls that need what this worker does not have.")
    .add(1, { kind, name });
  // A waiting run makes attempts for hours: the log has the first ones, and then fewer and fewer.
  if (Number.isInteger(Math.log2(attempt)))
    context.log.warn("configuration_error", {
      workflow_id: workflowExecution?.workflowId ?? "",
      attempt,
      kind,
      name,
      text,
      help,
    });
  return ApplicationFailure.create({
    type: "configuration_error",
    message: `${text}. ${help}`,
    details: [{ ...missing }],
    nonRetryable: blocked_ms !== undefined && Date.now() - scheduledTimestampMs >= blocked_ms,
  });
}
