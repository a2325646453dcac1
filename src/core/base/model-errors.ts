/** Classes of model errors (agent reference, section 5.3). They are the `type` of the activity's failure. */

/** What may go better the next time. */
export const RETRIED_MODEL_ERRORS = ["rate_limit", "server_error", "timeout", "malformed_response"] as const;

export const FINAL_MODEL_ERRORS = [
  "client_error",
  "auth_error",
  "config_error",
  "llm_not_found",
  "script_exhausted",
  "listener_not_found",
  "unknown",
] as const;

export const MODEL_ERROR_CLASSES = [...RETRIED_MODEL_ERRORS, ...FINAL_MODEL_ERRORS] as const;
export type ModelErrorClass = (typeof MODEL_ERROR_CLASSES)[number];
