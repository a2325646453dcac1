import { setHandler } from "@temporalio/workflow";
import { isObject, isTexts } from "../core/base/is-object";
import type { EffectEntry } from "../core/effects/entry";
import * as messages from "./messages";

/** The part of a ledger that the messages about effects need. */
interface ListeningLedger {
  entries(): EffectEntry[];
  markUndone(keys: readonly string[]): void;
}

/**
 * Answers what a mission has done so far, and takes note of what was undone.
 *
 * @param ledger the present ledger
 * @param refuse called for a signal that names no keys
 * @param taken takes note when the ledger may change
 */
export function listenForEffects(
  ledger: () => ListeningLedger,
  refuse: () => void,
  taken: (note: () => void) => void | Promise<void> = (note) => note(),
): void {
  setHandler(messages.effectsQuery, () => ledger().entries());
  setHandler(messages.markUndoneSignal, (raw) => {
    if (!isObject(raw) || !isTexts(raw.keys)) return refuse();
    const { keys } = raw;
    return taken(() => ledger().markUndone(keys));
  });
}
