import type { ModelError } from "./model";

/** A provider that answers nonsense this often will go on doing so. */
const MAX_MALFORMED_ATTEMPTS = 3;

/** When another model is waiting: one more attempt, if it can be made soon. */
const BRIEF_ATTEMPTS = 2;
const BRIEF_WAIT_MS = 2_000;

/** Whether a call that failed in this attempt (1-based) is given up. */
export function isFinal(error: ModelError, attempt: number, retry?: "brief"): boolean {
  if (!error.retryable) return true;
  if (error.errorClass === "malformed_response" && attempt >= MAX_MALFORMED_ATTEMPTS) return true;
  if (retry === undefined) return false;
  // A provider that kept silent until the time was up has had more than a moment.
  return attempt >= BRIEF_ATTEMPTS || error.errorClass === "timeout" || (error.retry_after_ms ?? 0) > BRIEF_WAIT_MS;
}
