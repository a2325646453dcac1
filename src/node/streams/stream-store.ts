import type { StreamEntry } from "../../core/history/stream/entry";

/**
 * Where the text of model calls is kept while it comes (web reference, section 6). Workers append, from several processes
 * at a time; the web server reads. Text that is lost here is not lost: the workflow has the answers.
 */
export interface StreamStore {
  /** Adds entries at the end, in this order. Those of other writers may stand between them. */
  append(stream: string, entries: readonly StreamEntry[]): Promise<void>;
  /**
   * The entries from an offset on: 0 = the first, later ones as `next` of the read before. No entries: there are no more yet.
   *
   * @param limit about how many entries, at most
   */
  read(stream: string, offset: number, limit?: number): Promise<StreamPart>;
  /** Resolves when there may be more after the offset, or when the signal is aborted. It never rejects. */
  more(stream: string, offset: number, signal: AbortSignal): Promise<void>;
  /** Removes streams to which nothing was added since, `PRUNE_LIMIT` at most. @param before ms since 1970 */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}

/** A part of a stream. */
export interface StreamPart {
  entries: StreamEntry[];
  /** Where the next read begins. */
  next: number;
}

/** So many streams are removed at a time: a worker does it at each start. */
export const PRUNE_LIMIT = 5_000;

/** So many entries are read at a time, if nobody asks for less. */
export const READ_LIMIT = 1_000;
