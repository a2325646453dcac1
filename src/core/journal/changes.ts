import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { isLinkChange, type LinkChange } from "../effects/chain/link";
import type { EffectChange } from "../effects/entry";
import { isPackedLedger, type PackedLedger } from "../effects/packed-ledger";
import type { RecordView } from "./view";

/**
 * How the changes of a journal are written into the history of its run. A change is attached to the next activity or to
 * the run's result: it is the second argument of the activity, or a part of the result. Where nothing follows, it is
 * written to the memo (engine reference, section 3).
 */

/** One change of a journal: the new row of a record, or the id of a record that was removed. */
export type RecordChange = RecordView | { id: string; reset: true };

/**
 * Changes in the order in which they were made. Arguments, results and the memo use the same field. Changes of the ledger
 * of effects without a separate event are attached in the same way, and so are the links of the run's chain.
 */
export interface JournalChanges {
  journal_changes: Change[];
}
/** A change of the journal, as the next activity records it. */
export type Change = RecordChange | EffectChange | LinkChange;

/** The memo key of changes. The memo has only the newest of them; the events have all. */
export const CHANGES = "journal_changes";

/** Where the result of an agent's run has the effects that it hands back to the run that started it. */
export const HANDED_BACK = "effects_handed_back";

/** A result without the attached changes and effects: the part that the caller asked for. */
export function withoutChanges<T>(result: T): T {
  if (!isObject(result) || !(CHANGES in result || HANDED_BACK in result)) return result;
  const { [CHANGES]: _, [HANDED_BACK]: __, ...plain } = result as object as { [key: string]: unknown };
  return plain as T;
}

/** The effects that the result of an agent's run hands back. */
export function handedBackIn(result: unknown): PackedLedger | undefined {
  const effects = isObject(result) ? (result as { [HANDED_BACK]?: unknown })[HANDED_BACK] : undefined;
  return isPackedLedger(effects) ? effects : undefined;
}

/** Anyone may write a memo, or a file that looks like a history. */
export function changesFrom(list: Json | undefined): Change[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).filter(
    (one): one is Change => isRow(one) || isReset(one) || isEffectChange(one) || isLinkChange(one),
  );
}

/** Whether a value from outside is a row. */
export const isRow = (value: unknown): value is RecordView =>
  isObject(value) && typeof value.id === "string" && typeof value.text === "string";

/** Whether a change is one of the journal. */
export const isRecordChange = (change: Change): change is RecordChange =>
  !isEffectChange(change) && !isLinkChange(change);

/** Whether a value from outside is a change of the ledger. */
export const isEffectChange = (value: unknown): value is EffectChange =>
  isObject(value) && isObject(value.effect) && typeof value.effect.key === "string";

/** Whether a change removes its record. */
export const isReset = (value: unknown): value is { id: string; reset: true } =>
  isObject(value) && typeof value.id === "string" && value.reset === true;
