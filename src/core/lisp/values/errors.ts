import type { PlainCode, ProgramReason } from "../../base/error-codes";
import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { shortened } from "../../base/whole-characters";

/** The finer codes of a program's error, in `details.code` of its failure (lisp reference, section 14). */
export const PROGRAM_ERROR_CODES = {
  arithmetic_error: "A number operation has no result.",
  arity_error: "A function was called with the wrong number of arguments.",
  arity_mismatch: "recur has a different number of values than its loop.",
  cannot_shadow_builtin: "A definition has the name of a builtin.",
  destructure_error: "A value does not have the form that a destructuring binding expects.",
  execution_error: "Something failed while the program ran.",
  invalid_arity: "A form has too few or too many parts.",
  invalid_cond_form: "A cond form is wrong.",
  invalid_form: "A form is wrong.",
  invalid_keyword_call: "A keyword was called with something that has no keys.",
  invalid_map_call: "A map was called with the wrong number of arguments.",
  invalid_placeholder: "A % is used outside a short function.",
  invalid_task_id: "The id of a task cannot be used.",
  invalid_thread_form: "A threading form is wrong.",
  invalid_where_form: "A where form is wrong.",
  invalid_where_operator: "A where form has an operator that does not exist.",
  journal_full: "The journal is full.",
  not_callable: "A value that is not a function was called.",
  other_effect: "Another effect was asked for under the id of a task that is done.",
  pcalls_error: "A branch of pcalls failed.",
  pmap_error: "A branch of pmap failed.",
  secret_in_arguments: "A tool with an effect was called with the mask of a secret; the call was not made.",
  task_deadlock: "Tasks in parallel branches wait for each other.",
  type_error: "A value has the wrong type.",
  unbound_var: "A name has no value.",
  unknown_tool: "A program names a tool that is not available.",
  unsupported_pattern: "A pattern or a binding has a form that is not supported.",
} as const satisfies Record<string, string>;

/** Every code that `details.code` of a program's failure may have (lisp reference, section 14.2). */
export type ProgramErrorCode = keyof typeof PROGRAM_ERROR_CODES | ProgramReason | "tool_error";

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
    readonly reason: PlainCode,
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
