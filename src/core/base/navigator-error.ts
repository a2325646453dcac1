import { ERROR_CODES, type ExitCode, isErrorCode } from "./error-codes";
import type { Failure, Reason, Result } from "./failure";
import type { JsonObject } from "./json";

/**
 * The error that callers of Navigator see: a code of the closed table, a message that says what was wrong and where,
 * and a hint that says what to do next. Every interface of Navigator throws only this class; docs/errors.md lists the
 * codes.
 */
export class NavigatorError extends Error {
  readonly hint?: string;
  readonly details?: JsonObject;
  /**
   * The exit code of a command: 1 the work ran and failed, 2 bad usage or input, 3 no server or no worker, 4 waiting.
   */
  readonly exitCode: ExitCode;

  constructor(
    readonly code: Reason,
    message: string,
    extra: { hint?: string | undefined; details?: object | undefined; cause?: unknown; exitCode?: ExitCode } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "NavigatorError";
    if (extra.hint !== undefined) this.hint = extra.hint;
    if (extra.details !== undefined) this.details = extra.details as JsonObject;
    this.exitCode = extra.exitCode ?? (isErrorCode(code) ? ERROR_CODES[code].exit : 2);
  }
}

/** A failure as the error that callers see. */
export const asNavigatorError = ({ reason, message, details }: Failure) =>
  new NavigatorError(reason, message, { details });

/** The value of a result. @throws NavigatorError the failure of a result that has none */
export function valueOrThrow<T>(result: Result<T>): T {
  if (!result.ok) throw asNavigatorError(result.fail);
  return result.value;
}
