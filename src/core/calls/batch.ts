import type { Result } from "../base/failure";
import type { Json } from "../base/json";
import type { ChainEnd } from "../effects/chain/head";
import type { CallInStretch } from "../journal/stretch";
import type { Owner } from "./owner";
import { ownActivityReason } from "./shared-activity";
import type { ToolSpec } from "./tool";

/**
 * A batch: calls of one tool that branches of a program ask for at the same moment are made by one activity, all at once. It
 * keeps each answer in its heartbeat (engine reference, section 17).
 */

/** What the activity gets. */
export interface BatchInput {
  calls: CallInBatch[];
  /** How often they were tried, with workers that were lost; absent: never. */
  attempts_before?: number;
  /** The end of the run's chain, to be signed by the worker. */
  ledger_head?: ChainEnd;
  /** As for a tool. */
  owner?: Owner;
}

/** A call of a batch. */
export interface CallInBatch extends CallInStretch {
  /** How long after the batch was asked for the call is given up, ms; absent: never. */
  left_ms?: number;
}

/** What became of a call of a batch. */
export interface BatchAnswer {
  /** Its place among the calls of the batch: 1 for the first. */
  n: number;
  /** Workflow time when it began and when its answer was there, ms since 1970. */
  began: number;
  at: number;
  answer: Result<Json>;
  /** Attempts; absent = 1. */
  attempts?: number;
}

/** What its heartbeat keeps, for its next attempt. */
export interface BatchJournal {
  /** Its activity id: a workflow that is terminated may have several batches under way. */
  activity: string;
  answers: BatchAnswer[];
}

/** What the activity gives: each call is in one of the two lists, or was not begun. */
export interface BatchResult {
  answers: BatchAnswer[];
  /** Calls without an answer: the run makes each by itself, with the same key. */
  open?: OpenInBatch[];
  ledger_signature?: string;
}

/** A call that was begun, and has no answer. */
export interface OpenInBatch {
  /** Its place among the calls of the batch: 1 for the first. */
  n: number;
  attempts: number;
  /** When its tool wants to be asked again, ms. Absent: as its policy says. */
  after_ms?: number;
}

/** The most calls of one batch, if the tool says no number. */
export const BATCH_CALLS = 50;
/** Bytes of the calls of one batch. */
export const BATCH_BYTES = 64 * 1024;
/** What a call counts besides its arguments. */
export const BATCH_CALL_BYTES = 256;
/** Bytes of the answers of one batch: they are one heartbeat, and one result. */
export const BATCH_ANSWER_BYTES = 1024 * 1024;

/** How many calls of this tool one batch may have, by what its spec says; undefined: its calls are made in none. */
export const batchSize = (tool: ToolSpec): number | undefined =>
  tool.batch !== undefined && ownActivityReason(tool) === undefined ? tool.batch : undefined;
