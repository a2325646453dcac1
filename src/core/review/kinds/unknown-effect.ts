import { defined } from "../../base/defined";
import { missionOf } from "../../effects/effect-guard";
import type { LedgerEntry } from "../../effects/entry";
import {
  type AskedCall,
  type AskedTool,
  callKind,
  callOfData,
  dataText,
  placeInMission,
  shownJson,
  termsOfTool,
} from "./about-call";
import type { ReviewKind } from "./review-kind";

/** Choices about an effect whose outcome is unknown. */
export const IT_HAPPENED = "it_happened";
/** The program gets a failure. */
export const DID_NOT_HAPPEN = "did_not_happen";
/** It is called again, with the same key. */
export const TRY_AGAIN = "try_again";

/** Of a call that this run has not made yet. */
const beforeReset = (tool: string): string =>
  `This mission was reset, or takes over one that ended in the middle of calls. An earlier run may have called ${tool}`;

/** What became of an effect whose answer was lost (effects reference, section 6). It has no default. */
export const unknownEffectKind: ReviewKind<{ tool: AskedTool; call: AskedCall; entry: LedgerEntry }> = {
  ...callKind,
  ask({ tool, call, entry }) {
    const { on_timeout: _, timeout_ms: __, ...terms } = termsOfTool(tool);
    return {
      ...terms,
      about: tool.name,
      title: `Did ${tool.name} happen?`,
      body: [
        `${entry.pending ? beforeReset(tool.name) : `The answer of ${tool.name} was lost`}: it may have happened or not. Please look it up by its key: \`${entry.key}\`.`,
        ...(entry.held_by === undefined ? [] : [`It was called by the mission ${missionOf(entry.held_by)}.`]),
        entry.pending
          ? `To be called now, in ${placeInMission(call)}:`
          : `Called ${new Date(entry.at).toISOString()}, in ${placeInMission(call)}:`,
        shownJson(entry.args ?? call.args),
        `\`${IT_HAPPENED}\`: the value is what the tool answered. \`${DID_NOT_HAPPEN}\`: the program receives a failure. \`${TRY_AGAIN}\`: it is called again, with the same key.`,
      ].join("\n\n"),
      data: {
        code: "unknown_outcome",
        tool: tool.name,
        args: call.args,
        effect: tool.effect,
        turn: call.turn,
        key: entry.key,
      },
      choices: [IT_HAPPENED, DID_NOT_HAPPEN, TRY_AGAIN],
      ...(tool.signature === undefined ? {} : { answers: { choice: IT_HAPPENED, signature: tool.signature } }),
    };
  },
  about: (data) => ({ ...callOfData(data), ...defined({ effect: dataText(data.key) }) }),
  drawing: {
    label: "unknown effect",
    form: { value: "answer", given: () => ({}), about: "What the tool answers" },
  },
};
