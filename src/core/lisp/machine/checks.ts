import type { Failure } from "../../base/failure";
import { entriesOf } from "../../base/intrinsics";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { arityError } from "../builtins/builtin-errors";
import type { Code } from "../compile/code";
import { PMap } from "../values/collections";
import { fromJson } from "../values/encode";
import { LispError, type Place, type ToolCode } from "../values/errors";
import { typeWord } from "../values/order";
import { printBriefly } from "../values/print";
import type { Builtin, Native } from "../values/values";
import { Closure, Keyword, type Value } from "../values/values";
import type { Fiber, Frame } from "./fiber";

/** Checks and errors of calls. */

export function checkArity(callee: Builtin | Native, count: number): void {
  const { arity } = callee;
  if (count < arity.min || count > arity.max) throw arityError(callee.name, arity, count);
}

/** A closure over the present values of the names that its code captures. */
export function makeClosure(code: Code, frame: Frame, fiber: Fiber): Closure {
  const captured = code.captures.map(
    ({ from, index }) => (from === "local" ? fiber.stack[frame.base + index] : frame.captured[index]) as Value,
  );
  return new Closure(code, captured);
}

/** Throws unless a value fits its destructuring pattern; nil fits each pattern. */
export function checkPattern(value: Value, fits: (value: Value) => boolean, expected: "list" | "map"): void {
  if (value === null || fits(value)) return;
  throw new LispError(
    "eval_error",
    "destructure_error",
    `expected ${expected} or nil, got ${typeWord(value)} ${printBriefly(value)}`,
  );
}

/** Adds to an error where it happened. Called once for each error. */
export function located(error: LispError, fiber: Fiber): void {
  error.place = fiber.place();
  const code = fiber.remembered();
  if (code) error.message += ` (in ${code.name ?? "a function"} of an earlier turn)`;
}

/** Returns the error of a call of a value that is no function. */
export function notCallable(value: Value): LispError {
  return new LispError("eval_error", "not_callable", `not callable: ${printBriefly(value)}`);
}

/** Returns the error of a name without a value. */
export function unbound(name: string): LispError {
  if (name.startsWith("."))
    return new LispError(
      "eval_error",
      "unbound_var",
      `Unknown method '${name}'. Supported interop methods: .getTime, .indexOf, .lastIndexOf`,
    );
  return new LispError(
    "eval_error",
    "unbound_var",
    `Undefined variable: ${name}. It is defined later, or was never reached`,
  );
}

/** Returns whether a value is a function that needs no argument. */
export function isZeroArgumentFunction(value: Value): boolean {
  if (value instanceof Closure) return value.code.arity === 0;
  if (typeof value !== "object" || value === null) return false;
  return (value.tag === "builtin" || value.tag === "native") && value.arity.min === 0;
}

/** Returns the error that a program receives for a failed call of a tool. */
export function toolError(tool: string, fail: Failure, place: Place | undefined): LispError {
  const { code, ...details } = fail.details ?? {};
  // When the worker lacks the tool, the tool itself has not failed.
  const reason = fail.reason === "tool_not_found" ? "tool_not_found" : "tool_error";
  return new LispError(
    reason,
    typeof code === "string" ? (code as ToolCode) : reason,
    `Tool '${tool}' failed: ${fail.message}`,
    place,
    details as JsonObject,
  );
}

/** The failure of a parallel section: that of the first branch, in order, that failed. */
export function branchError(type: "pmap" | "pcalls", index: number, error: LispError): LispError {
  const code = `${type}_error` as const;
  const where = type === "pcalls" ? `function ${index}: ` : "";
  const details: JsonObject = { ...error.details, index, cause: error.code, cause_reason: error.reason };
  return new LispError("eval_error", code, `${type}: ${where}${error.message}`, error.place, details);
}

/** A JSON object as a map with keyword keys, at every depth; `_` in names stays. */
export function keywordMap(json: JsonObject): Value {
  return PMap.from(
    entriesOf(json).map(([key, value]) => [Keyword.of(key), isObject(value) ? keywordMap(value) : fromJson(value)]),
  );
}

/** The value of a `tool-try` whose tool answered: `{:ok answer}` (lisp reference, section 9.1). */
export const triedWell = (answer: Value): Value => keyed("ok", answer);

const keyed = (key: string, value: Value): Value => PMap.from<Value>([[Keyword.of(key), value]]);

/** Whether a program may catch a failure: the tool's own, not a limit, a deadline or a worker that lacks the tool. */
export const isCaught = (fail: Failure): boolean => fail.reason === "tool_error";

/**
 * The value for a tool that failed: `{:error {:reason :message :tool :code :retryable?}}`. `code` is the tool's own, or
 * `unknown_outcome` when nobody knows whether it acted. `retryable?` is true when the tool declared that trying again may help.
 */
export function triedInVain(tool: string, { reason, message, details }: Failure): Value {
  const { code, retryable } = details ?? {};
  const error: [string, Value][] = [
    ["reason", reason],
    ["message", message],
    ["tool", tool],
    ["code", typeof code === "string" ? code : reason],
    ["retryable?", retryable === true],
  ];
  return keyed("error", PMap.from(error.map(([key, value]): [Value, Value] => [Keyword.of(key), value])));
}
