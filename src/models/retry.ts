import type { ModelError } from "./model";

/** Without a rule of the agent: about a minute in all. Attempts whose worker was lost count as well. */
const MAX_ATTEMPTS = 8;

/** A provider that returns malformed responses this often will continue to do so. */
const MAX_MALFORMED_ATTEMPTS = 3;

/** If another model is waiting: one more attempt, if it can be made soon. */
const BRIEF_ATTEMPTS = 2;
const BRIEF_WAIT_MS = 2_000;

/** Whether a call that failed in this attempt (1-based) is given up. */
export function isFinal(error: ModelError, attempt: number, retry?: "brief"): boolean {
  if (!error.retryable) return true;
  if (error.errorClass === "malformed_response" && attempt >= MAX_MALFORMED_ATTEMPTS) return true;
  if (retry === undefined) return attempt >= MAX_ATTEMPTS;
  // A provider that was silent until the timeout has had enough time.
  return attempt >= BRIEF_ATTEMPTS || error.errorClass === "timeout" || (error.retry_after_ms ?? 0) > BRIEF_WAIT_MS;
}
