import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";
import { DO_NOW, USE_RECORDED } from "../../review/kinds/other-effect";
import type { FinalDecision } from "../../review/request";

/** Returns the effect of a decision on the program: who decided what, or why its task fails. */
export function decidedOther(tool: string, { choice, by, note }: FinalDecision): Result<Json> {
  if (choice === USE_RECORDED || choice === DO_NOW) return ok({ choice, by });
  const why = note === undefined ? "" : `: ${note}`;
  return failed("tool_error", `${by} said not to do another effect under this task's id${why}`, {
    tool,
    code: "other_effect",
    by,
  });
}

/** Arguments as programs write them, cut to a line. */
export function shownArgs(args: JsonObject | undefined): string {
  if (args === undefined) return "with long arguments";
  try {
    return cutText(printValue(fromJson(args), { items: 10, chars: 200 }), 200);
  } catch (error) {
    if (error instanceof LispError) return "{...}";
    throw error;
  }
}
