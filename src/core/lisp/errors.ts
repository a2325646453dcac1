import type { Failure, Reason } from "../failure";
import type { JsonObject } from "../json";

/** A place in the source text, 1-based. */
export interface Place {
  line: number;
  column: number;
}

/** A program error on its way to becoming a `Failure`. Thrown by reader, analyzer, builtins and evaluator, never leaves `core/lisp`. */
export class LispError extends Error {
  constructor(
    readonly reason: Reason,
    /** Fine-grained code, e.g. `type_error`, `unbound_var` (language reference, section 14). */
    readonly code: string,
    message: string,
    public place?: Place,
    readonly details?: JsonObject,
  ) {
    super(message);
  }

  toFailure(): Failure {
    return { reason: this.reason, message: this.message, details: { code: this.code, ...this.place, ...this.details } };
  }
}
