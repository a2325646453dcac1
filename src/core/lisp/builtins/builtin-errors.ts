import { INFINITY } from "../../base/intrinsics";
import { LispError } from "../values/errors";
import { typeWord } from "../values/order";
import type { Value } from "../values/values";

const NAMED_TYPES = 12;

/** `NAME: invalid argument types: string, nil`, with advice if there is any. */
export function typeError(name: string, args: readonly Value[], advice?: string): LispError {
  const named = args.slice(0, NAMED_TYPES).map(typeWord).join(", ");
  const types = args.length > NAMED_TYPES ? `${named}, ... (${args.length} in all)` : named;
  return new LispError(
    "eval_error",
    "type_error",
    `${name}: invalid argument types: ${types}${advice ? `; ${advice}` : ""}`,
  );
}

/** A type error with its own message. */
export const invalidArgument = (name: string, message: string): LispError =>
  new LispError("eval_error", "type_error", `${name}: ${message}`);

/** Returns the error of an arithmetic builtin. */
export const arithmeticError = (name: string, message: string): LispError =>
  new LispError("eval_error", "arithmetic_error", `${name}: ${message}`);

/** The error of a call with the wrong number of arguments: `take expects 2 argument(s), got 1`. */
export function arityError(name: string, arity: { min: number; max: number }, got: number): LispError {
  const expected =
    arity.min === arity.max
      ? `${arity.min}`
      : arity.max === INFINITY
        ? `at least ${arity.min}`
        : arity.max === arity.min + 1
          ? `${arity.min} or ${arity.max}`
          : `${arity.min} to ${arity.max}`;
  return new LispError("eval_error", "arity_error", `${name} expects ${expected} argument(s), got ${got}`);
}
