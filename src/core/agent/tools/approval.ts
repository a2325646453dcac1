import { defined } from "../../base/defined";
import { type Failure, failed, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { ToolCall } from "../../calls/host";
import { canonicalJson } from "../../effects/canonical-json";
import type { CallApproval } from "../../lisp/program";
import { PMap } from "../../lisp/values/collections";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";
import { Keyword, type Value } from "../../lisp/values/values";
import { editedArgs } from "../../review/edit";
import { APPROVE } from "../../review/kinds/approval";
import type { FinalDecision } from "../../review/request";

/** Tool calls that a person must approve before they happen (engine reference, section 5). */

export type Approved =
  /** `notice`: a note to the model if something else ran than it asked for. */
  | { ok: true; args: JsonObject; approval: CallApproval; notice?: string }
  | { ok: false; fail: Failure; approval: CallApproval };

/** Applies a decision to a call: exactly the approved call runs. */
export function applyApproval(call: ToolCall, { choice, value, by, note, at, verified }: FinalDecision): Approved {
  const given = { choice, by, at, ...defined({ note, verified }) };
  if (choice !== APPROVE) {
    const why = note === undefined ? "" : `: ${note}`;
    const details = { tool: call.name, code: "rejected", by };
    return { ...failed("tool_error", `${by} rejected the call${why}`, details), approval: given };
  }
  const args = editedArgs(call.args, value);
  if (canonicalJson(args) === canonicalJson(call.args)) return { ok: true, args, approval: given };
  const notice = `${by} changed the arguments of tool/${call.name} before it ran, to ${shown(args)}${note === undefined ? "." : ` (${note}).`}`;
  return { ok: true, args, approval: { ...given, requested_args: call.args }, notice };
}

/** Whether a call was not made because the yes to it was given too long ago. */
export const isExpired = (answer: Result<Json>): boolean =>
  !answer.ok && answer.fail.details?.code === "approval_expired";

function shown(args: JsonObject): string {
  try {
    const named = Object.entries(args).map(([name, value]): [Value, Value] => [Keyword.of(name), fromJson(value)]);
    return printValue(PMap.from(named), { items: 10, chars: 300 });
  } catch (error) {
    if (error instanceof LispError) return "other values";
    throw error;
  }
}
