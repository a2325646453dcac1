import type { Json, JsonObject } from "../../base/json";
import { type AskedCall, type AskedTool, callKind, placeInMission, REJECT, shownJson, termsOfTool } from "./about-call";
import type { ReviewKind } from "./review-kind";

/** The choice that gives a task its recorded value. */
export const USE_RECORDED = "use_recorded";
/** The choice that lets a task do what it asks for now. */
export const DO_NOW = "do_now";

/** What is known of a task: the call that it made before, and the value that is recorded. */
export type Before =
  /** Without a call the recorded task had made none that is like the one that it asks for. */
  | { call?: EarlierCall; value: Json; unrecorded?: never }
  /** The call was made, but its task was not recorded. */
  | { call: EarlierCall; unrecorded: true; value?: never };

/** The call that a task made before; without arguments if they were too long to be kept. */
interface EarlierCall {
  tool: string;
  args?: JsonObject | undefined;
}

/** Longer values are not shown (characters of JSON). */
const MAX_SHOWN = 2_000;

/** Whether a task gets its record, or does what it asks for now (effects reference, section 8). */
export const otherEffectKind: ReviewKind<{ tool: AskedTool; call: AskedCall; before: Before }> = {
  ...callKind,
  ask({ tool, call, before: { call: earlier, unrecorded, value } }) {
    const task = call.task ?? "";
    const choices = [...(unrecorded ? [] : [USE_RECORDED]), DO_NOW, REJECT];
    const useRecorded = unrecorded ? "" : `\`${USE_RECORDED}\` gives the recorded value. `;
    return {
      ...termsOfTool(tool),
      about: tool.name,
      title: `Call ${tool.name} for a task that did something else?`,
      body: [
        `The task ${JSON.stringify(task)} asks for another effect than before.`,
        earlier === undefined ? "Before, it made no such call." : `Before, it called ${earlier.tool}:`,
        ...(earlier === undefined ? [] : [cutJson(earlier.args)]),
        ...(unrecorded ? ["Nothing is recorded of it."] : ["Its recorded value:", cutJson(value)]),
        `Now it asks for ${tool.name}, in ${placeInMission(call)}:`,
        cutJson(call.args),
        `Effect: ${tool.effect}. ${useRecorded}\`${DO_NOW}\` does what it asks for, \`${REJECT}\` does not.`,
      ].join("\n\n"),
      data: {
        code: "other_effect",
        tool: tool.name,
        args: call.args,
        effect: tool.effect,
        turn: call.turn,
        task,
        ...(earlier === undefined ? {} : { earlier: shownCall(earlier) }),
      },
      choices,
      on_timeout: REJECT,
    };
  },
  drawing: { label: "other effect" },
};

const shownCall = ({ tool, args }: EarlierCall): JsonObject => (args === undefined ? { tool } : { tool, args });

function cutJson(value: Json | undefined): string {
  if (value === undefined) return "(its arguments are too long to be kept)";
  const { length } = JSON.stringify(value, null, 2);
  return length > MAX_SHOWN ? `(${length} characters of JSON)` : shownJson(value);
}
