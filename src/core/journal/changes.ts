import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { decodePayload, decodePayloads, endResultOf, type HistoryEvent } from "./history";
import type { RecordView } from "./view";

/**
 * How the changes of a journal are written into the history of its run. A change rides on what the run does next: it is
 * the second argument of an activity, or a part of the run's result. Where nothing follows, it is written to the memo
 * (engine reference, section 3).
 */

/** One change of a journal: the new row of a record, or the id of a record that was removed. */
export type RecordChange = RecordView | { id: string; reset: true };

/** Changes in the order in which they were made. Arguments, results and the memo use the same field. */
export interface JournalChanges {
  journal_changes: RecordChange[];
}

/** The memo key of changes. The memo holds only the newest of them; the events hold all. */
export const CHANGES = "journal_changes";

/** Prefix of the memo keys that carry one row each, in runs of earlier versions. */
export const JOURNAL_MEMO = "journal:";

/** A result without the changes that ride on it: what the caller asked for. */
export function withoutChanges<T>(result: T): T {
  if (!isObject(result) || !(CHANGES in result)) return result;
  const { [CHANGES]: _, ...plain } = result as object as { [key: string]: unknown };
  return plain as T;
}

/** The changes that an event carries. */
export function changesIn(event: HistoryEvent): RecordChange[] {
  return READERS[event.type]?.(event) ?? [];
}

const READERS: { [type: string]: (event: HistoryEvent) => RecordChange[] } = {
  WorkflowPropertiesModified: inMemo,
  ActivityTaskScheduled: (event) => changesOf(decodePayloads(event.attributes.input, 1)),
  WorkflowExecutionCompleted: (event) => changesOf(endResultOf(event)),
  // A failure with a cause is another workflow's.
  WorkflowExecutionFailed: (event) => {
    const { failure } = event.attributes;
    return isObject(failure) && !isObject(failure.cause) ? changesOf(endResultOf(event)) : [];
  },
};

function inMemo({ attributes }: HistoryEvent): RecordChange[] {
  const memo = attributes.upsertedMemo;
  const fields = isObject(memo) && isObject(memo.fields) ? memo.fields : {};
  return Object.entries(fields).flatMap(([key, payload]): RecordChange[] => {
    if (key === CHANGES) return changesFrom(decodePayload(payload));
    if (!key.startsWith(JOURNAL_MEMO)) return [];
    const row = decodePayload(payload);
    if (row === null) return [{ id: key.slice(JOURNAL_MEMO.length), reset: true }];
    return isRow(row) ? [row] : [];
  });
}

const changesOf = (carrier: Json | undefined): RecordChange[] =>
  isObject(carrier) ? changesFrom(carrier[CHANGES] as Json | undefined) : [];

/** Anyone may write a memo, or a file that looks like a history. */
function changesFrom(list: Json | undefined): RecordChange[] {
  return Array.isArray(list) ? (list as unknown[]).filter((one) => isRow(one) || isReset(one)) : [];
}

/** Whether a value from outside is a row. */
export const isRow = (value: unknown): value is RecordView =>
  isObject(value) && typeof value.id === "string" && typeof value.text === "string";

/** Whether a change removes its record. */
export const isReset = (value: unknown): value is { id: string; reset: true } =>
  isObject(value) && typeof value.id === "string" && value.reset === true;
