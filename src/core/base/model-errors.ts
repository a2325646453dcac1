/** Classes of model errors (agent reference, section 5.3). They are the `type` of the activity's failure. */

/** What another attempt may change: these calls are tried again. */
export const RETRIED_MODEL_ERRORS = ["rate_limit", "server_error", "timeout", "malformed_response"] as const;

/** What another attempt would not change. */
export const FINAL_MODEL_ERRORS = [
  "client_error",
  "auth_error",
  "config_error",
  "llm_not_found",
  "script_exhausted",
  "listener_not_found",
  "unknown",
] as const;

/** What an operator has to set right: another worker, or the same one later, may be able to make the call. */
export const CONFIGURATION_ERRORS: readonly string[] = [
  "auth_error",
  "config_error",
  "llm_not_found",
  "script_exhausted",
  "listener_not_found",
];

/** All classes of model errors. */
export const MODEL_ERROR_CLASSES = [...RETRIED_MODEL_ERRORS, ...FINAL_MODEL_ERRORS] as const;
/** The class of a model's error: it decides whether the call is tried again (agent reference, section 23). */
export type ModelErrorClass = (typeof MODEL_ERROR_CLASSES)[number];
