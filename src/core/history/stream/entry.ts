import { z } from "zod";

/**
 * What a stream keeps: the text of model calls, as it comes. A stream belongs to a mission, and has the calls of all runs
 * below it. It is no history: what counts is the answer that the workflow got, and a stream only shows it earlier.
 */

/** An attempt of a model call begins. It replaces the text of earlier attempts of the same call. */
export const StreamBegin = z.object({
  type: z.literal("begin"),
  /** The attempt, in the entries that follow: unique. */
  attempt_id: z.string(),
  /** The workflow that calls. */
  workflow_id: z.string(),
  /** Temporal's id of that workflow's run. */
  run_id: z.string(),
  agent: z.string().nullable(),
  model: z.string(),
  /** 1-based. */
  turn: z.number(),
  /** 1-based number of the call in its run. */
  call: z.number(),
  /** 1-based. */
  attempt: z.number(),
  /** Ms since 1970. */
  at: z.number(),
});
export type StreamBegin = z.infer<typeof StreamBegin>;

/** A piece of text. */
export const StreamText = z.object({
  type: z.literal("text"),
  attempt_id: z.string(),
  text: z.string(),
  /**
   * Where it begins in the text of the attempt, in UTF-16 units. A writer whose store did not confirm a piece writes it
   * once more.
   */
  from: z.number().optional(),
});
export type StreamText = z.infer<typeof StreamText>;

/** The answer is whole. */
export const StreamEnd = z.object({
  type: z.literal("end"),
  attempt_id: z.string(),
  /** Length of the whole text, in UTF-16 units: a reader with less text has missed something. */
  length: z.number(),
});

/** The attempt failed. Its text does not count. */
export const StreamFailed = z.object({
  type: z.literal("failed"),
  attempt_id: z.string(),
  /** The class of the error (agent reference, section 15). */
  error: z.string(),
});

/** One entry of a stream. */
export const StreamEntry = z.discriminatedUnion("type", [StreamBegin, StreamText, StreamEnd, StreamFailed]);
export type StreamEntry = z.infer<typeof StreamEntry>;
