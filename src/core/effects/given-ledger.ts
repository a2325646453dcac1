import { defined } from "../base/defined";
import { isWithinScope } from "./effect-key";
import { type LedgerEntry, NOT_DONE } from "./entry";
import type { PackedLedger } from "./packed-ledger";

/** What a run is given: the mission that it belongs to, its scope, and the effects that it may meet again. */
export interface GivenLedger {
  mission: string;
  lane: string;
  effects?: PackedLedger;
  /** Of a retry: the effects were those of a mission that ended, and are its own from now on. */
  owned?: true;
  /** First part of the keys of calls without an effect; absent = the mission. */
  reads?: string;
  /** Calls may have been made that the effects lack: of a run that was reset, or of a mission whose last calls nobody knows. */
  doubted?: true;
}

/** What a run that continues another one is given: the effects are in the state that it carries. */
export const withoutEffects = (given: GivenLedger | undefined): { effects?: GivenLedger } =>
  given === undefined
    ? {}
    : { effects: { mission: given.mission, lane: given.lane, ...defined({ owned: given.owned, reads: given.reads }) } };

/** The most settled effects that a run hands to an agent: so many of the newest that a person is asked about, or the like. */
const MAX_COMPARED = 1_000;
/** Of the others, which an equal call only resembles. Every agent of the mission is given them. */
const MAX_RESEMBLED = 20;

/**
 * The effects that an agent may meet again: the open ones, and the newest settled ones, which an equal call resembles. Effects
 * that agents in parallel may meet as well come last, and a person decides whose effect it is. Undone effects are given
 * so that no key of it is used again.
 *
 * @param own the scope of the agent
 * @param isContested whether agents in parallel may meet an effect of this scope as well
 */
export function lendable(
  entries: readonly LedgerEntry[],
  own: string,
  isContested: (scope: string) => boolean,
): LedgerEntry[] {
  const undone = entries.filter(({ state }) => state === "undone");
  const settled = entries.filter((entry) => entry.settled && entry.state !== "undone");
  const isCompared = ({ effect, compared }: LedgerEntry) => effect === "irreversible" || compared === true;
  const resembled = settled.filter((entry) => !isCompared(entry)).slice(-MAX_RESEMBLED);
  const free: LedgerEntry[] = [];
  const contested: LedgerEntry[] = [];
  for (const entry of entries) {
    if (entry.settled || entry.pending) continue;
    if (isWithinScope(entry.lane, own) || !isContested(entry.lane)) free.push(entry);
    // What was not done need not be met again: each agent's call is a new effect. What another mission did is done.
    else if (!NOT_DONE.includes(entry.state) || entry.held_by !== undefined)
      contested.push({ ...entry, contested: true });
  }
  return [
    ...undone,
    ...settled.filter(isCompared).slice(-MAX_COMPARED),
    ...resembled.map(({ args: _, answer: __, ...entry }) => entry),
    ...free,
    ...contested,
  ];
}
