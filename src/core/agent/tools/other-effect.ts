import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { ToolCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { RecordedCall } from "../../lisp/program";
import { cutText } from "../../lisp/text/cut-text";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";
import type { FinalDecision, ReviewRequest } from "../../review/request";
import { REJECT } from "./approval";
import { placeInMission } from "./same-effect";

/** What people are asked when a task asks for another effect than before (effects reference, section 8). */

export const USE_RECORDED = "use_recorded";
export const DO_NOW = "do_now";

/** What is known of a task: the call that it made before, and the value that is recorded. */
export type Before =
  /** Without a call the recorded task had made none that is like the one that it asks for. */
  | { call?: RecordedCall; value: Json; unrecorded?: never }
  /** The call was made, but its task was not recorded. */
  | { call: RecordedCall; unrecorded: true; value?: never };

/** Longer values are not shown (characters of JSON). */
const MAX_SHOWN = 2_000;

/** Whether a task is given its record, or does what it asks for now. */
export function otherEffectRequest(spec: ToolSpec, call: ToolCall, before: Before): ReviewRequest {
  const { call: earlier, unrecorded } = before;
  const task = call.task ?? "";
  const choices = [...(unrecorded ? [] : [USE_RECORDED]), DO_NOW, REJECT];
  const useRecorded = unrecorded ? "" : `\`${USE_RECORDED}\` gives the recorded value. `;
  return {
    ...(typeof spec.approval === "object" ? spec.approval : {}),
    source: "tool",
    about: spec.name,
    title: `Call ${spec.name} for a task that did something else?`,
    body: [
      `The task ${JSON.stringify(task)} asks for another effect than before.`,
      earlier === undefined ? "Before, it made no such call." : `Before, it called ${earlier.tool}:`,
      ...(earlier === undefined ? [] : [shownJson(earlier.args)]),
      ...(unrecorded ? ["Nothing is recorded of it."] : ["Its recorded value:", shownJson(before.value)]),
      `Now it asks for ${spec.name}, in ${placeInMission(call)}:`,
      shownJson(call.args),
      `Effect: ${spec.effect}. ${useRecorded}\`${DO_NOW}\` does what it asks for, \`${REJECT}\` does not.`,
    ].join("\n\n"),
    data: {
      code: "other_effect",
      tool: spec.name,
      args: call.args,
      effect: spec.effect,
      turn: call.turn,
      task,
      ...(earlier === undefined ? {} : { earlier: callOf(earlier) }),
    },
    choices,
    on_timeout: REJECT,
  };
}

/** What the decision means to the program: who decided what, or why its task fails. */
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

const callOf = ({ tool, args }: RecordedCall): JsonObject => (args === undefined ? { tool } : { tool, args });

function shownJson(value: Json | undefined): string {
  if (value === undefined) return "(its arguments are too long to be kept)";
  const text = JSON.stringify(value, null, 2);
  return text.length > MAX_SHOWN ? `(${text.length} characters of JSON)` : `\`\`\`json\n${text}\n\`\`\``;
}
