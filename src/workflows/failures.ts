import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from "@temporalio/common";
import type { Step } from "../core/agent/result/step";
import { isStep } from "../core/agent/run/chain";
import { OUTCOME_UNKNOWN, WORKER_LOST } from "../core/base/error-codes";
import { type Failure, failed, type Result } from "../core/base/failure";
import { isObject } from "../core/base/is-object";
import type { Json, JsonObject } from "../core/base/json";
import { thrownText } from "../core/base/navigator-error";
import { shortened } from "../core/base/whole-characters";

/**
 * Converts Temporal's failures to the engine's. Cancellation never becomes a failure: callers check `isCancellation`
 * first and throw it on.
 */

/** The innermost cause with a message. */
export function rootCause(error: unknown): Error {
  let at = error instanceof Error ? error : new Error(thrownText(error));
  while ((at instanceof ActivityFailure || at instanceof ChildWorkflowFailure) && at.cause) at = at.cause;
  return at;
}

/**
 * Returns the heartbeat details of an activity that timed out; undefined: there are none, or it failed in another way.
 */
export function lastHeartbeatOf<T>(error: unknown): T | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure ? ((cause.lastHeartbeatDetails ?? undefined) as T | undefined) : undefined;
}

/**
 * The worker of an activity was lost, and Temporal does not try it again.
 *
 * @returns what its last heartbeat kept, if there was one; undefined: another failure
 */
export function lostWorker<T>(error: unknown): { kept: T | undefined } | undefined {
  const cause = rootCause(error);
  // One that had to begin by a time, and did not, had no worker.
  const hadNone = cause instanceof TimeoutFailure && cause.timeoutType === "SCHEDULE_TO_START";
  if (!isLoss(cause) || hadNone) return undefined;
  return {
    kept: cause instanceof ApplicationFailure ? (cause.details?.[0] as T | undefined) : lastHeartbeatOf<T>(error),
  };
}

/** The next worker of the same machine returned the activity of its killed predecessor: nobody has repeated it. */
export function wasReturned(error: unknown): boolean {
  const cause = rootCause(error);
  return cause instanceof ApplicationFailure && cause.type === WORKER_LOST;
}

/** The failure of a model call after all attempts (agent reference, section 23). */
export function modelCallFailure(error: unknown): Result<never> {
  const cause = rootCause(error);
  const type = isLoss(cause) ? "timeout" : ((cause instanceof ApplicationFailure ? cause.type : null) ?? "unknown");
  if (type === "llm_not_found" || type === "listener_not_found") return failed(type, cause.message, { class: type });
  const isPartial = cause instanceof ApplicationFailure && isPartlyReceived(cause.details?.[0]);
  return failed(
    "llm_error",
    `LLM call failed: ${cause.message}`,
    isPartial ? { class: type, heard: isPartial } : { class: type },
  );
}

/** The worker was lost, or the call took longer than allowed. */
const isLoss = (cause: Error): boolean =>
  cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.type === WORKER_LOST);

/** The listener had already got a part of the answer. */
const isPartlyReceived = (details: unknown): boolean => isObject(details) && details.heard === true;

/**
 * A tool call whose worker was lost, or that ran out of time, more often than its policy allows. For an
 * irreversible tool that is the first time: the effect may have happened, and the tool or a person is asked about it.
 */
export function toolCallFailure(name: string, error: unknown): Result<never> {
  const cause = rootCause(error);
  // Its answer could not be kept, after it had acted.
  const isUnkept = cause instanceof ApplicationFailure && cause.type === "payload_storage_unavailable";
  // Each attempt has reported that its outcome is unknown.
  if (cause instanceof ApplicationFailure && cause.type === OUTCOME_UNKNOWN)
    return failed("tool_error", cause.message, { tool: name, code: "unknown_outcome" });
  const lost = isLoss(cause) || isUnkept;
  const again = cause instanceof ApplicationFailure && cause.type === "tool_retry";
  const details: JsonObject = {
    tool: name,
    code: lost ? "unknown_outcome" : "tool_error",
    ...(again ? { retryable: true } : {}),
  };
  return failed(
    "tool_error",
    lost
      ? `the outcome is unknown: ${isUnkept ? "its answer could not be kept" : "its worker was lost or it took longer than allowed"} (${cause.message}). The effect may have happened.`
      : cause.message,
    details,
  );
}

/** Returns a failure as Temporal sends it: its type is the reason. The caller that receives it does not try again. */
export function asApplicationFailure(fail: Failure): ApplicationFailure {
  return ApplicationFailure.nonRetryable(fail.message, fail.reason, fail.details ?? {});
}

/**
 * Returns the failure of a run that failed (docs/decisions/0015): its workflow fails, so that lists, metrics and alerts
 * show it. The type is the reason. The first of the details is the whole result, which the caller of the run receives.
 */
export function failedRun(fail: Failure, result: Json): ApplicationFailure {
  const message = shortened(fail.message, MAX_FAILURE_CHARS);
  const failure = ApplicationFailure.nonRetryable(message, shortened(fail.reason, MAX_FAILURE_CHARS), result);
  // Places in the bundle of workflows explain nothing about a mission.
  failure.stack = "";
  return failure;
}

/** The details contain the whole text: with a result of the largest size the failure must still fit into an event. */
const MAX_FAILURE_CHARS = 2_000;

/** The Step of a child run that failed; undefined for every other error. */
export function stepOfFailure(error: unknown): Step | undefined {
  const cause = rootCause(error);
  const result = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return isStep(result) ? result : undefined;
}

/** The value of a result. A failure is thrown to the caller of the update, with its reason as the type. */
export function valueOrReject<T>(result: Result<T>): T {
  if (!result.ok) throw asApplicationFailure(result.fail);
  return result.value;
}
