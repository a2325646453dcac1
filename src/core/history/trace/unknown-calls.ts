import type { EffectEntry } from "../../effects/entry";
import { type ActivityUnderWay, activitiesUnderWay } from "./mission-effects";
import type { MissionHistories } from "./read-mission";
import { missionLedger } from "./undo-of-mission";

/** What nobody knows of a mission that ended. A retry may make these calls a second time, so a person accepts that first. */
export interface UnknownCalls {
  /** Calls whose answers were lost. */
  effects: Pick<EffectEntry, "key" | "tool" | "state">[];
  /** Activities that had not reported their last calls: these are in no ledger. */
  under_way: ActivityUnderWay[];
}

/** The calls of a mission that nobody knows, from its histories. */
export function unknownCalls(mission: MissionHistories): UnknownCalls {
  const unknown = missionLedger(mission).filter(({ state }) => state === "unknown");
  return {
    effects: unknown.map(({ key, tool, state }) => ({ key, tool, state })),
    under_way: activitiesUnderWay(mission),
  };
}

/** The same in sentences: what a retry does about each. No sentence: everything is known. */
export function unknownCallLines({ effects, under_way }: UnknownCalls, workflow_id: string): string[] {
  const places = under_way.map(({ what, run }) => (run === workflow_id ? what : `${what} of ${run}`));
  return [
    ...(effects.length === 0
      ? []
      : [
          `Effects whose outcome nobody knows: ${countedNames(toolNames(effects))}. The retry asks their tools, or a person, before it makes them.`,
        ]),
    ...(places.length === 0
      ? []
      : [
          `Under way when it ended: ${countedNames(places)}. Calls that it made and did not report are in no ledger: the retry may make them again, an equal one with the same key.`,
        ]),
  ];
}

/** `charge (2 times)` */
export function toolNames(effects: readonly Pick<EffectEntry, "tool">[]): string[] {
  const counts = new Map<string, number>();
  for (const { tool } of effects) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} (${count} times)`));
}

/** Names that are listed; the others are counted. */
const MAX_NAMES = 10;

/** The first names of a list, and how many more there are. */
export function countedNames(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
