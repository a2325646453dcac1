import { missionOf } from "./effect-guard";
import type { EffectEntry } from "./entry";

/** What is not ordinary about an effect, for people: one text each. */
export function effectNotes({ reused, resembles, message, held_by }: EffectEntry): string[] {
  return [
    ...(held_by === undefined ? [] : [`made by another mission: ${missionOf(held_by)}`]),
    ...(reused === undefined ? [] : [`not done again, its answer was given ${times(reused)} more`]),
    ...(resembles === undefined ? [] : [`resembles ${resembles}`]),
    ...(message === undefined ? [] : [message]),
  ];
}

/**
 * What happened to an effect without a call of its tool, in one line: `not done again: charge`.
 *
 * @param before the last note about it
 */
export function effectChangeText(effect: EffectEntry, before?: EffectEntry): string {
  const { tool, state, by, reused = 0 } = effect;
  const whose = by === undefined ? "" : `, by ${by}`;
  if (reused > (before?.reused ?? 0)) return `not done again: ${tool}`;
  if (state === "done") return by === "lookup" ? `looked up: ${tool} had happened` : `had happened: ${tool}${whose}`;
  if (state === "failed") return `had not happened: ${tool}${whose}`;
  if (state === "unknown") return `answer lost: ${tool}`;
  return `${state}: ${tool}${whose}`;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
