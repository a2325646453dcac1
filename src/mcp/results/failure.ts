import { fromTemporalError } from "../../client/errors";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Logger } from "../../node/log";
import type { Backend } from "../../server/backend/backend";
import { nextCall } from "./next-call";

/**
 * A refusal or error as callers see it (mcp reference, section 2.1). Codes are stable; messages are for people and
 * models.
 */
export interface CallFailure {
  code: string;
  message: string;
  hint?: string;
  details?: object;
}

const UNAVAILABLE = "temporal_unavailable";

/**
 * Any error that a tool threw. Navigator's own errors are returned unchanged. For anything else (a bug) only the log
 * gets the details: messages of libraries may contain anything.
 */
export async function failureOf(thrown: unknown, backend: Backend | undefined, log: Logger): Promise<CallFailure> {
  const error = fromTemporalError(thrown);
  if (error instanceof NavigatorError) {
    // No server was found, or it cannot be used: no call was made yet.
    if (backend === undefined && error === thrown && error.exitCode === 3)
      return { code: UNAVAILABLE, message: error.message, hint: error.hint, details: { cause: error.code } };
    const problem = error.exitCode === 3 ? await backend?.unreachable?.() : null;
    return problem ? unavailable(problem) : { ...spoken(error), ...(error.details ? { details: error.details } : {}) };
  }
  log.error("mcp_tool_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  return { code: "internal_error", message: "An internal error occurred in Navigator; its log has the details." };
}

function unavailable(problem: string): CallFailure {
  return {
    code: UNAVAILABLE,
    message: problem,
    hint: "Nothing is lost: call again when the server is back. A person starts it on this machine with: navigator dev",
  };
}

const spoken = (error: NavigatorError): CallFailure => ({
  code: error.code,
  message: error.message,
  ...defined({ hint: nextCall(error) }),
});
