import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { missionOf } from "../../effects/effect-guard";
import type { LedgerEntry } from "../../effects/entry";
import { differingTexts } from "../../effects/twin";
import {
  type AskedCall,
  type AskedTool,
  callKind,
  callOfData,
  dataText,
  placeInMission,
  REJECT,
  shownJson,
  termsOfTool,
} from "./about-call";
import type { ReviewKind } from "./review-kind";

/** Choices about a call whose effect is in the ledger. */
export const USE_EARLIER = "use_earlier";
/** It is called, as another effect. */
export const DO_AGAIN = "do_again";

/** Whether a call that is equal to an earlier one shall be made (effects reference, section 5). */
export const sameEffectKind: ReviewKind<{ tool: AskedTool; call: AskedCall; earlier: LedgerEntry }> = {
  ...callKind,
  ask({ tool, call, earlier }) {
    const isKnown = earlier.state === "done";
    const useEarlier = isKnown ? "gives the earlier answer" : "finds out what became of it";
    const texts = tool.identity || earlier.args === undefined ? undefined : differingTexts(call.args, earlier.args);
    const same = (tool.identity || []).join(", ") || "arguments";
    const choices = [...(isKnown && earlier.answer === undefined ? [] : [USE_EARLIER]), DO_AGAIN, REJECT];
    return {
      ...termsOfTool(tool),
      about: tool.name,
      title: `Call ${tool.name} again?`,
      body: [
        texts === undefined
          ? `${tool.name} was called before with the same ${same}. Shall it be done again?`
          : `${tool.name} was called before, and only the words differ: ${texts.join(", ")}. Is it the same effect, or another one?`,
        ...(earlier.contested ? ["Another agent works in parallel and may ask for the same effect."] : []),
        `Before, ${new Date(earlier.at).toISOString()}, in ${placeInMission(earlier)}:`,
        shownJson(earlier.args ?? null),
        ...(isKnown ? [] : ["Its outcome is unknown."]),
        ...(earlier.answer === undefined ? [] : ["It answered:", shownJson(earlier.answer)]),
        `Now, in ${placeInMission(call)}:`,
        shownJson(call.args),
        `Effect: ${tool.effect}. ${choices.includes(USE_EARLIER) ? `\`${USE_EARLIER}\` ${useEarlier}. ` : ""}\`${DO_AGAIN}\` calls it another time, \`${REJECT}\` does not.`,
      ].join("\n\n"),
      data: {
        code: "same_effect",
        tool: tool.name,
        args: call.args,
        effect: tool.effect,
        turn: call.turn,
        earlier: shownEntry(earlier),
        ...(texts === undefined ? {} : { texts }),
        ...(earlier.contested ? { contested: true } : {}),
      },
      choices,
      on_timeout: REJECT,
    };
  },
  about: (data) => ({ ...callOfData(data), ...effectOf(data) }),
  drawing: { label: "same effect" },
};

function effectOf({ earlier }: JsonObject): { effect?: string } {
  const effect = isObject(earlier) ? dataText(earlier.key) : undefined;
  return defined({ effect });
}

const shownEntry = ({ key, state, at, turn, task, args, answer, held_by }: LedgerEntry): JsonObject =>
  JSON.parse(
    JSON.stringify({ key, state, at, turn, task, args, answer, mission: held_by && missionOf(held_by) }),
  ) as JsonObject;
