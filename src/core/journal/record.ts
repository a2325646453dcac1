import { jsonBytes } from "../base/bytes";
import { callDigest } from "../base/call-digest";
import type { Json, JsonObject } from "../base/json";
import type { RecordedCall } from "../lisp/program";
import { TASK } from "./view";

/** One record: the value of a task, or a decision. */
export interface JournalRecord {
  id: string;
  value: Json;
  /** Ms since 1970, host time. */
  at: number;
  /** TASK, GIVEN, or who decided. */
  by: string;
  note?: string;
  /** The first tool call of the task when it was recorded. */
  call?: RecordedCall;
  /** A later task of this id made a different call. */
  conflict?: string;
}

/**
 * A record in a short form, for the input of a run that continues as new: `[id, value, at]`, and what is not usual about
 * it. Ten thousand records of a small call each take about 700 kB.
 */
export type PackedRecord = [id: string, value: Json, at: number, more?: PackedMore];

interface PackedMore {
  /** Absent: a task. */
  by?: string;
  note?: string;
  /** Tool and arguments; of a call with long arguments the digest instead. */
  call?: [tool: string, args: JsonObject] | [tool: string, digest: string];
  conflict?: string;
}

/** The short form of a record. `unpacked` gives the record back. */
export function packed({ id, value, at, by, note, call, conflict }: JournalRecord): PackedRecord {
  const more: PackedMore = {};
  if (by !== TASK) more.by = by;
  if (note !== undefined) more.note = note;
  if (call !== undefined) more.call = [call.tool, (call.args ?? call.digest) as JsonObject];
  if (conflict !== undefined) more.conflict = conflict;
  return Object.keys(more).length === 0 ? [id, value, at] : [id, value, at, more];
}

/** The record of a short form. */
export function unpacked([id, value, at, { by = TASK, call, ...more } = {}]: PackedRecord): JournalRecord {
  return { id, value, at, by, ...more, ...(call === undefined ? {} : { call: unpackedCall(call) }) };
}

/** Whether a value from outside can be unpacked. */
export const isPacked = (value: unknown): value is PackedRecord =>
  Array.isArray(value) && typeof value[0] === "string" && value.length >= 3 && typeof value[2] === "number";

function unpackedCall([tool, what]: NonNullable<PackedMore["call"]>): RecordedCall {
  return typeof what === "string"
    ? { tool, digest: what }
    : { tool, digest: callDigest({ tool, args: what }), args: what };
}

/** What counts as the size of a journal, and the limit: a run passes its journal on in one payload. */
export interface JournalSize {
  /** Bytes of one record. */
  of(record: JournalRecord): number;
  /** Bytes of all records together. */
  limit: number;
}

/** Bytes of all records of a journal together. */
export const MAX_JOURNAL_BYTES = 1_200_000;

/** What a record takes in the answer of a query besides its short form: very many small ones must not outgrow that. */
const ROW_BYTES = 32;

const PACKED: JournalSize = {
  of: (record) => jsonBytes(packed(record) as unknown as Json) + ROW_BYTES,
  limit: MAX_JOURNAL_BYTES,
};

/** In runs of the first two formats, whose memo has a row for each record. */
const WHOLE: JournalSize = { of: (record) => jsonBytes(record as unknown as Json) + 64, limit: 1_000_000 };

/** How the size of a journal is counted in a run of this format. */
export const sizeIn = (format: number): JournalSize => (format < 3 ? WHOLE : PACKED);
