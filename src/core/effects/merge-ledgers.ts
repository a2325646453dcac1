import { type EffectEntry, type EffectState, inOrder } from "./entry";

/**
 * The ledger of a mission from those of its runs. A run hears of the effects of another one when that one has ended, so
 * two ledgers may say different things of one effect.
 *
 * @param ledgers of the run that was started first, then of those below it: of two the first is right, but for an effect
 *   that one knows as done or undone
 */
export function mergeLedgers(ledgers: readonly (readonly EffectEntry[])[]): EffectEntry[] {
  const byKey = new Map<string, EffectEntry>();
  for (const entry of ledgers.flat()) {
    const known = byKey.get(entry.key);
    if (known === undefined || rank(entry.state) > rank(known.state)) byKey.set(entry.key, entry);
  }
  return inOrder([...byKey.values()]);
}

const rank = (state: EffectState): number => (state === "undone" ? 2 : state === "done" ? 1 : 0);
