import { defined } from "./defined";
import { type ErrorCode, type FamilyCode, type FamilyDetails, isErrorCode, type PlainCode } from "./error-codes";
import { isObject } from "./is-object";
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
export type Failure = { message: string; op?: string } & (
  | { reason: PlainCode | ForeignReason; details?: JsonObject }
  | { [C in FamilyCode]: { reason: C; details: JsonObject & FamilyDetails<C> } }[FamilyCode]
);

/** A result that has no value. */
export interface Failed {
  ok: false;
  fail: Failure;
}

/** A value, or why there is none. Expected failures are returned as this, never thrown. */
export type Result<T> = { ok: true; value: T } | Failed;

/** A result that has a value. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** A result that has none: the reason, what is wrong and where, and details for machines. */
export function failed<C extends FamilyCode>(
  reason: C,
  message: string,
  details: JsonObject & FamilyDetails<C>,
): Failed;
export function failed(reason: PlainCode | ForeignReason, message: string, details?: JsonObject): Failed;
export function failed(reason: Reason, message: string, details?: JsonObject): Failed {
  return { ok: false, fail: receivedFailure(reason, message, details) };
}

/** The place that the details of an error of a family name; of other details nothing. */
export const placeIn = (details: unknown): JsonObject => {
  const { path, kind } = isObject(details) ? details : {};
  return defined({ path, kind });
};

/** A failure that a program, a worker or another version made: its details are theirs. */
export const receivedFailure = (reason: Reason, message: string, details?: JsonObject): Failure =>
  (details === undefined ? { reason, message } : { reason, message, details }) as Failure;
