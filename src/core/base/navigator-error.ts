import {
  ERROR_CODES,
  type ExitCode,
  type FamilyCode,
  type FamilyDetails,
  isErrorCode,
  type PlainCode,
} from "./error-codes";
import type { ForeignReason, Reason, Result } from "./failure";
import type { JsonObject } from "./json";

interface Extra {
  hint?: string | undefined;
  details?: object | undefined;
  cause?: unknown;
  exitCode?: ExitCode;
}

/** An error of a family names its place. Other fields of its details are free. */
type OfFamily<C extends FamilyCode> = Extra & { details: FamilyDetails<C> & { [field: string]: unknown } };

type Arguments =
  | [code: PlainCode | ForeignReason, message: string, extra?: Extra]
  | { [C in FamilyCode]: [code: C, message: string, extra: OfFamily<C>] }[FamilyCode];

/**
 * The error that callers of Navigator see. It has a code of the closed table, a message (the mistake and its place),
 * and a hint (what to do next). Every interface of Navigator throws only this class; docs/errors.md lists the codes.
 */
export class NavigatorError extends Error {
  readonly code: Reason;
  readonly hint?: string;
  readonly details?: JsonObject;
  /**
   * The exit code of a command: 1 the work ran and failed, 2 bad usage or input, 3 no server or no worker, 4 waiting.
   */
  readonly exitCode: ExitCode;

  constructor(...[code, message, extra = {}]: Arguments) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "NavigatorError";
    this.code = code;
    if (extra.hint !== undefined) this.hint = extra.hint;
    if (extra.details !== undefined) this.details = extra.details as JsonObject;
    this.exitCode = extra.exitCode ?? (isErrorCode(code) ? ERROR_CODES[code].exit : 2);
  }
}

interface Raised extends Pick<Extra, "details"> {
  reason: Reason;
  message: string;
}

/** The arguments of an error for a failure that was raised before, with its details. */
export const argumentsFor = ({ reason, message, details }: Raised, extra: Omit<Extra, "details"> = {}) =>
  [reason, message, { ...extra, details }] as Arguments;

/** A failure, or an error with another message, as the error that callers see. */
export const asNavigatorError = (raised: Raised, extra?: Omit<Extra, "details">) =>
  new NavigatorError(...argumentsFor(raised, extra));

/** The value of a result. @throws NavigatorError the failure of a result that has none */
export function valueOrThrow<T>(result: Result<T>): T {
  if (!result.ok) throw asNavigatorError(result.fail);
  return result.value;
}

/** Whether an error reports that there is no such run. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof NavigatorError && error.code === "not_found" && error.details?.kind === "run";

/** The message of whatever was thrown. An object may have a message that is no text, or no text form at all. */
export function thrownText(thrown: unknown): string {
  try {
    const { message } = (thrown ?? {}) as { message?: unknown };
    return typeof message === "string" ? message : String(thrown);
  } catch {
    return "something was thrown that has no text form";
  }
}
