import { runAlone } from "../../../src/core/lisp/machine/run-alone";
import type { Value } from "../../../src/core/lisp/values/values";

/** The value of a program. */
export function value(source: string): Value {
  const { outcome } = runAlone(source);
  if (outcome.kind !== "value") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}
