import type { Failure } from "../../base/failure";
import { PMap } from "../values/collections";
import { Keyword, type Value } from "../values/values";

/** The values of `(tool-try (tool/x {...}))` (lisp reference, section 9.1). */

/** The value for a tool that answered: `{:ok answer}`. */
export const triedWell = (answer: Value): Value => keyed("ok", answer);

const keyed = (key: string, value: Value): Value => PMap.from<Value>([[Keyword.of(key), value]]);

/** Whether a program may catch a failure: the tool's own, not a limit, a deadline or a worker that lacks the tool. */
export const isCaught = (fail: Failure): boolean => fail.reason === "tool_error";

/**
 * The value for a tool that failed: `{:error {:reason :message :tool :code :retryable?}}`. `code` is the tool's own, or
 * `unknown_outcome` when nobody knows whether it acted. `retryable?` is true when the tool said that trying again may help.
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
