import { LISP_LIMITS } from "../../../src/core/limits";
import { printValue } from "../../../src/core/lisp";
import { runToEnd } from "../../../src/simulate/lisp-batch";

/** The printed value of a program, or `!! code` when it fails, with its message. */
export function evaluate(source: string): { text: string; message: string; prints: string[] } {
  const end = runToEnd(
    {
      source,
      data: {},
      memory: new Map(),
      tools: new Map([["echo", {}]]),
      journal: null,
      history: [],
      budget: {},
      tool_cache: new Map(),
      limits: LISP_LIMITS,
      now: () => 1_000,
    },
    (_, args) => ({ ok: true, value: args }),
  );
  const { outcome } = end;
  if (outcome.kind === "error")
    return { text: `!! ${outcome.fail.details?.code}`, message: outcome.fail.message, prints: end.prints };
  return { text: printValue(outcome.value), message: "", prints: end.prints };
}
