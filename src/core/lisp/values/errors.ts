import type { ErrorCode, ProgramErrorCode } from "../../base/error-codes";
import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { shortened } from "../text/cut-text";

/** Messages are cut: programs choose parts of them (ids, names), and they go into prompts and histories. */
const MESSAGE_CHARS = 2_000;

/** A place in the source text, 1-based. */
export interface Place {
  line: number;
  column: number;
}

/** The finer code of a tool's failure: the tool chooses it. */
export type ToolCode = string & { readonly ofTool: true };

/**
 * A program error on its way to becoming a `Failure`. Thrown by reader, analyzer, builtins and evaluator, never leaves
 * `core/lisp`.
 */
export class LispError extends Error {
  constructor(
    readonly reason: ErrorCode,
    /** Fine-grained code, e.g. `type_error`, `unbound_var` (lisp reference, section 14.2). */
    readonly code: ProgramErrorCode | ToolCode,
    message: string,
    public place?: Place,
    readonly details?: JsonObject,
  ) {
    super(message);
  }

  toFailure(): Failure {
    const { reason, code, place, details } = this;
    return { reason, message: shortened(this.message, MESSAGE_CHARS), details: { code, ...place, ...details } };
  }
}

/**
 * Turns what was thrown while a program was prepared or ran into its error. When the program meets a limit of the host
 * (a text too long, a stack too small), that is an error of the program: as a bug it would be retried for ever.
 *
 * @throws everything else again: it is a bug
 */
export function programError(thrown: unknown): LispError {
  if (thrown instanceof LispError) return thrown;
  if (thrown instanceof RangeError)
    return new LispError("memory_exceeded", "memory_exceeded", `too large for the host: ${thrown.message}`);
  throw thrown;
}
