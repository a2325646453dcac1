import { isErrorCode } from "../../base/error-codes";
import type { JsonObject } from "../../base/json";
import { type ContentOptions, contentText } from "./content";
import type { Attributes, SpanError } from "./plain-span";

/**
 * Errors as spans and labels of metrics show them. `error.type` has few different values, and no text that a program or
 * a person wrote: where content is asked for, a separate attribute has the reason that a program chose.
 */

/** Stands for each reason that is not in our table: a program chose it with `(fail {:reason r})`. */
const USER_REASON = "user_reason";
/** The conventions' name of an error that has no class. */
const OTHER = "_OTHER";

/** The failure of a run, or of a tool that was called: the error of its span, and what it adds to the attributes. */
export function shownFailure(
  { reason = "failed", message }: JsonObject,
  options: ContentOptions,
): { attributes: Attributes; error: SpanError } {
  const text = String(reason);
  if (isErrorCode(text)) return { attributes: {}, error: errorOf(text, message, options) };
  return {
    attributes: options.content ? { "navigator.reason": contentText(text) } : {},
    error: errorOf(USER_REASON, message, options),
  };
}

/** An error that code has thrown. @param name of its class, or the type of an ApplicationFailure */
export const thrownError = (name: string, message: unknown, options: ContentOptions): SpanError =>
  errorOf(/^[A-Za-z_$][\w$.:-]{0,63}$/.test(name) ? name : OTHER, message, options);

/** The error of a run that has failed without a result. @param type of its failure */
export const runError = (type: unknown, message: unknown, options: ContentOptions): SpanError =>
  errorOf(typeof type === "string" && isErrorCode(type) ? type : "failed", message, options);

/** An error as a span shows it. @param type one of few values */
export function errorOf(type: string, message: unknown, { content }: ContentOptions): SpanError {
  return { type, ...(content && typeof message === "string" ? { message: contentText(message) } : {}) };
}
