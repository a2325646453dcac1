import { type ErrorCode, isErrorCode } from "./error-codes";
import type { JsonObject } from "./json";

declare const foreign: unique symbol;

/** A reason outside the table: a program chose it with `(fail {:reason r ...})`, or another version sent it. */
export type ForeignReason = string & { readonly [foreign]: true };

/** Why something failed: a code of the closed table, or a reason that a program chose with `(fail {:reason r})`. */
export type Reason = ErrorCode | ForeignReason;

/** A reason that arrived as text: from a program, a file or a message. */
export const reasonOf = (text: string): Reason => (isErrorCode(text) ? text : (text as ForeignReason));

/**
 * A failure as data. `details.code` is the fine-grained code of a program error, `details.line` and
 * `details.column` (1-based) its place, `details.user_fail` marks a deliberate `(fail ...)`.
 */
export interface Failure {
  reason: Reason;
  message: string;
  op?: string;
  details?: JsonObject;
}

/** A value, or why there is none. Expected failures are returned as this, never thrown. */
export type Result<T> = { ok: true; value: T } | { ok: false; fail: Failure };

/** A result that has a value. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** A result that has none: the reason, what is wrong and where, and details for machines. */
export const failed = (reason: Reason, message: string, details?: JsonObject): { ok: false; fail: Failure } => ({
  ok: false,
  fail: details === undefined ? { reason, message } : { reason, message, details },
});
