import { jsonBytes } from "../base/bytes";
import type { Failure } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { RecordedCall, RecordedCalls } from "../lisp/program";
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
  /** The tool calls that the task had made when it was recorded; absent: none, or not known. */
  calls?: readonly RecordedCall[];
  /** It had made more than these. */
  more_calls?: true;
  /** A later task of this id asked for another effect. */
  conflict?: string;
  /** What calls under this id had done before, without being recorded. */
  unrecorded?: string;
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
  calls?: PackedCall[];
  more_calls?: true;
  conflict?: string;
  unrecorded?: string;
}

/**
 * Tool and arguments, or a digest of long ones; then what it gave: 1 = the recorded value, `[answer]`, `{fail}`, absent =
 * it is not kept.
 */
type PackedCall = [tool: string, what: JsonObject | string, gave?: 1 | [answer: Json] | { fail: Failure }];

/** The short form of a record. `unpacked` gives the record back. */
export function packed({ id, value, at, by, calls, ...rest }: JournalRecord): PackedRecord {
  const more: PackedMore = { ...(by === TASK ? {} : { by }), ...rest };
  if (calls !== undefined) more.calls = calls.map(packedCall);
  return Object.keys(more).length === 0 ? [id, value, at] : [id, value, at, more];
}

/** The record of a short form. */
export function unpacked([id, value, at, { by = TASK, calls, ...more } = {}]: PackedRecord): JournalRecord {
  return {
    id,
    value,
    at,
    by,
    ...more,
    ...(calls === undefined ? {} : { calls: calls.map(unpackedCall) }),
  };
}

/** The calls of a record, for another run that is given the same value. */
export const packedCalls = ({ calls = [], more }: RecordedCalls): Json =>
  ({ calls: calls.map(packedCall), ...(more ? { more } : {}) }) as unknown as Json;

/** What a record that is given has of its calls. */
export function unpackedCalls(given: Json): Pick<JournalRecord, "calls" | "more_calls"> {
  const { calls, more } = given as unknown as { calls: PackedCall[]; more?: true };
  return { calls: calls.map(unpackedCall), ...(more ? { more_calls: more } : {}) };
}

/** Whether a value from outside can be unpacked. */
export const isPacked = (value: unknown): value is PackedRecord =>
  Array.isArray(value) && typeof value[0] === "string" && value.length >= 3 && typeof value[2] === "number";

const whatOf = ({ args, digest = "" }: RecordedCall): JsonObject | string => args ?? digest;

function packedCall(call: RecordedCall): PackedCall {
  const { tool, answer, same, fail } = call;
  if (same) return [tool, whatOf(call), 1];
  if (fail !== undefined) return [tool, whatOf(call), { fail }];
  return answer === undefined ? [tool, whatOf(call)] : [tool, whatOf(call), [answer]];
}

function unpackedCall([tool, what, gave]: PackedCall): RecordedCall {
  const call: RecordedCall = typeof what === "string" ? { tool, digest: what } : { tool, args: what };
  if (gave === undefined) return call;
  if (gave === 1) return { ...call, same: true };
  return Array.isArray(gave) ? { ...call, answer: gave[0] } : { ...call, fail: gave.fail };
}

/** Bytes of all records of a journal together: a run passes its journal on in one payload. */
export const MAX_JOURNAL_BYTES = 1_200_000;

/** What a record takes in the answer of a query besides its short form: very many small ones must not outgrow that. */
const ROW_BYTES = 32;

/** The bytes of one record. */
export const recordBytes = (record: JournalRecord): number => jsonBytes(packed(record) as unknown as Json) + ROW_BYTES;
