import type { EffectEntry, EffectState } from "./entry";

/** The states in the order in which they are counted, in the words of people. */
const WORDS: { [state in EffectState]: string } = {
  done: "done",
  undone: "undone",
  refused: "refused",
  failed: "failed",
  intended: "under way",
  unknown: "unknown",
};

/** A state as people read it. */
export const stateText = (state: EffectState): string => WORDS[state];

/** The effects of a mission in one line: `7 effects: 6 done, 1 unknown`. */
export function effectsSummary(entries: readonly Pick<EffectEntry, "state">[]): string {
  if (entries.length === 0) return "no effects";
  const counts = new Map<EffectState, number>();
  for (const { state } of entries) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = (Object.keys(WORDS) as EffectState[])
    .filter((state) => counts.has(state))
    .map((state) => `${counts.get(state)} ${WORDS[state]}`);
  return `${entries.length} ${entries.length === 1 ? "effect" : "effects"}: ${parts.join(", ")}`;
}
