import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { missionOf } from "../../effects/effect-guard";
import type { ReviewTerms } from "../policy/terms";
import type { ReviewKind, ReviewSubject } from "./review-kind";

/** The parts that all reviews about a call of a tool share. */

/** The choice against the call. */
export const REJECT = "reject";

/** The tool of the call, as its spec describes it. */
export interface AskedTool {
  name: string;
  effect: string;
  description?: string;
  signature?: string;
  identity?: readonly string[] | false;
  approval?: true | ReviewTerms;
}

/** The call that people are asked about. */
export interface AskedCall {
  args: JsonObject;
  turn: number;
  task?: string;
}

/** The rules of a review about a call, as far as they are the same for all of these. */
export const callKind = {
  source: "tool",
  separates: true,
  agents: "nothing",
  about: callOfData,
} as const satisfies Partial<ReviewKind>;

/** The tool and the arguments that the data of a review name. */
export function callOfData({ tool, args }: JsonObject): ReviewSubject {
  return defined({ tool: dataText(tool), args: isObject(args) ? args : undefined });
}

/** A value of a review's data, if it is a text. */
export const dataText = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** The people who approve the tool's calls decide. */
export const termsOfTool = ({ approval }: AskedTool): ReviewTerms => (typeof approval === "object" ? approval : {});

/** The place of a call, as people read it. */
export function placeInMission({ turn, task, held_by }: PlacedCall): string {
  const place = task === undefined ? `turn ${turn}` : `turn ${turn}, task ${task}`;
  return held_by === undefined ? place : `${place} of the mission ${missionOf(held_by)}`;
}

interface PlacedCall {
  turn: number;
  task?: string | undefined;
  /** The mission that made the effect, if it is another one. */
  held_by?: string | undefined;
}

/** A value as a block of JSON. */
export const shownJson = (value: Json): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
