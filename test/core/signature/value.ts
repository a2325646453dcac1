import { LISP_LIMITS } from "../../../src/core/limits";
import type { Value } from "../../../src/core/lisp/values";
import { runToEnd } from "../../../src/simulate/lisp-batch";

/** The value of a program. */
export function value(source: string): Value {
  const { outcome } = runToEnd(
    {
      source,
      data: {},
      memory: new Map(),
      tools: new Map(),
      journal: null,
      history: [],
      budget: {},
      tool_cache: new Map(),
      limits: LISP_LIMITS,
      now: () => 0,
    },
    () => ({ ok: true, value: null }),
  );
  if (outcome.kind !== "value") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}
