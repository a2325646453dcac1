import type { Json, JsonObject } from "../../base/json";
import type { ToolSpec } from "../../calls/tool";
import { missionOf } from "../../effects/effect-guard";
import type { LedgerEntry } from "../../effects/entry";
import type { ReviewTerms } from "../../review/policy/terms";
import type { ReviewRequest } from "../../review/request";
import { REJECT } from "./approval";

/** What people are asked about effects that were meant before (effects reference, sections 5 and 6). */

/** Choices about a call whose effect is in the ledger. */
export const USE_EARLIER = "use_earlier";
/** It is called, as another effect. */
export const DO_AGAIN = "do_again";

/** Choices about an effect whose outcome is unknown. */
export const IT_HAPPENED = "it_happened";
/** The program is told that it failed. */
export const DID_NOT_HAPPEN = "did_not_happen";
/** It is called again, with the same key. */
export const TRY_AGAIN = "try_again";

interface AskedCall {
  args: JsonObject;
  turn: number;
  task?: string;
}

/** Whether a call that is equal to an earlier one shall be made. */
export function sameEffectRequest(spec: ToolSpec, call: AskedCall, earlier: LedgerEntry): ReviewRequest {
  const isKnown = earlier.state === "done";
  const useEarlier = isKnown ? "gives the earlier answer" : "finds out what became of it";
  const choices = [...(isKnown && earlier.answer === undefined ? [] : [USE_EARLIER]), DO_AGAIN, REJECT];
  return {
    ...(typeof spec.approval === "object" ? spec.approval : {}),
    source: "tool",
    about: spec.name,
    title: `Call ${spec.name} again?`,
    body: [
      `${spec.name} was called before with the same ${(spec.identity ?? []).join(", ") || "arguments"}. Shall it be done again?`,
      ...(earlier.contested ? ["Another agent works beside this one and may ask for the same effect."] : []),
      `Before, ${new Date(earlier.at).toISOString()}, in ${placeInMission(earlier)}:`,
      shownCall(earlier.args ?? null),
      ...(isKnown ? [] : ["Its outcome is unknown."]),
      ...(earlier.answer === undefined ? [] : ["It answered:", shownCall(earlier.answer)]),
      `Now, in ${placeInMission(call)}:`,
      shownCall(call.args),
      `Effect: ${spec.effect}. ${choices.includes(USE_EARLIER) ? `\`${USE_EARLIER}\` ${useEarlier}. ` : ""}\`${DO_AGAIN}\` calls it another time, \`${REJECT}\` does not.`,
    ].join("\n\n"),
    data: {
      code: "same_effect",
      tool: spec.name,
      args: call.args,
      effect: spec.effect,
      turn: call.turn,
      earlier: shownEntry(earlier),
      ...(earlier.contested ? { contested: true } : {}),
    },
    choices,
    on_timeout: REJECT,
  };
}

/** What became of an effect whose answer was lost. */
export function lostOutcomeRequest(spec: ToolSpec, call: AskedCall, entry: LedgerEntry): ReviewRequest {
  return {
    ...termsOf(spec),
    source: "tool",
    about: spec.name,
    title: `Did ${spec.name} happen?`,
    body: [
      `The answer of ${spec.name} was lost: it may have happened or not. Please look it up by its key: \`${entry.key}\`.`,
      ...(entry.held_by === undefined ? [] : [`It was called by the mission ${missionOf(entry.held_by)}.`]),
      `Called ${new Date(entry.at).toISOString()}, in ${placeInMission(call)}:`,
      shownCall(entry.args ?? call.args),
      `\`${IT_HAPPENED}\`: the value is what the tool answered. \`${DID_NOT_HAPPEN}\`: the program is told that it failed. \`${TRY_AGAIN}\`: it is called again, with the same key.`,
    ].join("\n\n"),
    data: {
      code: "unknown_outcome",
      tool: spec.name,
      args: call.args,
      effect: spec.effect,
      turn: call.turn,
      key: entry.key,
    },
    choices: [IT_HAPPENED, DID_NOT_HAPPEN, TRY_AGAIN],
    ...(spec.signature === undefined ? {} : { answers: { choice: IT_HAPPENED, signature: spec.signature } }),
  };
}

/** Those decide who approve the tool's calls. What became of an effect has no default. */
function termsOf({ approval }: ToolSpec): ReviewTerms {
  if (typeof approval !== "object") return {};
  const { on_timeout: _, timeout_ms: __, ...terms } = approval;
  return terms;
}

/** Where a call stands, as people read it. */
export function placeInMission({ turn, task, held_by }: PlacedCall): string {
  const place = task === undefined ? `turn ${turn}` : `turn ${turn}, task ${task}`;
  return held_by === undefined ? place : `${place} of the mission ${missionOf(held_by)}`;
}

interface PlacedCall {
  turn: number;
  task?: string | undefined;
  /** The deed of another mission. */
  held_by?: string | undefined;
}

const shownCall = (value: Json): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const shownEntry = ({ key, state, at, turn, task, args, answer, held_by }: LedgerEntry): JsonObject =>
  JSON.parse(
    JSON.stringify({ key, state, at, turn, task, args, answer, mission: held_by && missionOf(held_by) }),
  ) as JsonObject;
