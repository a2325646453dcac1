import type { PackedRecord } from "./record";

/** Of a mission that does what another one did not bring to an end (effects reference, section 11). */
export interface RetryOf {
  /** The workflow id of the mission that ended. */
  of: string;
  /** Who asked for it, and why. */
  by?: string;
  note?: string;
  /** The journal of an agent's run, as it was at the end; absent = nothing is taken over, or there was none. */
  records?: PackedRecord[];
}

/** What a run that continues a retry is given: the records are in the state that it carries. */
export function withoutRecords(retry: RetryOf | undefined): { retry?: RetryOf } {
  if (retry === undefined) return {};
  const { records: _, ...rest } = retry;
  return { retry: rest };
}
