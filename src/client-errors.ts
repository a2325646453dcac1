import {
  ApplicationFailure,
  isGrpcServiceError,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import type { JsonObject } from "./core/json";

/** A refusal or fault as a caller sees it: a stable code, a message that says what was wrong, and what would be right. */
export class NavigatorError extends Error {
  readonly hint?: string;
  readonly details?: JsonObject;

  constructor(
    readonly code: string,
    message: string,
    extra: { hint?: string; details?: JsonObject; cause?: unknown } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    if (extra.hint !== undefined) this.hint = extra.hint;
    if (extra.details !== undefined) this.details = extra.details;
  }
}

/** What Temporal's client throws, in Navigator's words. Unknown errors pass as they are: they are bugs. */
export function fromTemporalError(error: unknown): unknown {
  if (error instanceof NavigatorError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError) {
    const cause = error.cause;
    if (cause instanceof ApplicationFailure)
      return new NavigatorError(cause.type ?? "refused", cause.message, {
        details: (cause.details?.[0] ?? {}) as JsonObject,
        cause: error,
      });
    return new NavigatorError("workflow_failed", cause?.message ?? error.message, { cause: error });
  }
  if (error instanceof WorkflowNotFoundError)
    return new NavigatorError("not_found", `No workflow "${error.workflowId}", or it is closed.`, {
      hint: "`navigator log ID` shows closed ones too; `navigator review list` shows what waits.",
      cause: error,
    });
  if (error instanceof QueryNotRegisteredError)
    return new NavigatorError("wrong_kind", `That workflow does not answer this: ${error.message}`, { cause: error });
  if (error instanceof QueryRejectedError) return new NavigatorError("query_rejected", error.message, { cause: error });
  if (isGrpcServiceError(error))
    return new NavigatorError("server_error", `The Temporal server answered: ${error.details || error.message}`, {
      cause: error,
    });
  return error;
}
