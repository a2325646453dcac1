import { z } from "zod";
import type { SignOfLife } from "../../node/sign-of-life";

/**
 * The file of the calls that a worker has under way. The first line shows how to find out whether the process lives;
 * then each call that begins or ends is a line. A process that is killed, and a full disk, may leave half a line.
 */

const HEADER = z.object({
  sign: z.object({ boot: z.string(), device: z.string(), inode: z.string() }) satisfies z.ZodType<SignOfLife>,
  /** The id that the server has given to its namespace: no other server has it. */
  namespace_id: z.string(),
});

export type CallsHeader = z.infer<typeof HEADER>;

const CALL = z.object({
  workflow_id: z.string(),
  run_id: z.string(),
  /** Absent: a local activity, which is a part of a workflow task. Its token is in Base64. */
  activity: z.object({ id: z.string(), attempt: z.int(), token: z.string() }).optional(),
  /** Ms since 1970. */
  began: z.number(),
});

/** A call of an activity. */
export type CallUnderWay = z.infer<typeof CALL>;

const LINE = z.union([z.object({ begin: z.int(), call: CALL }), z.object({ end: z.int() })]);

/** Of the files of one worker, after its id: its calls, the same while they are written anew, and its sign of life. */
export const ENDINGS = { calls: ".calls", fresh: ".calls.new", alive: ".alive" };

/** Writes the first line of the file. */
export const headerLine = (header: CallsHeader): string => `${JSON.stringify(header)}\n`;

/** Writes the line of a call that begins. */
export const beginLine = (number: number, call: CallUnderWay): string => `${JSON.stringify({ begin: number, call })}\n`;

/** Writes the line of a call that ends. */
export const endLine = (number: number): string => `{"end":${number}}\n`;

/** null: it is not there yet, or damaged. */
export function readHeader(line: string): CallsHeader | null {
  return HEADER.safeParse(parsed(line)).data ?? null;
}

/** The calls that had begun and not ended. */
export function readOpenCalls(lines: Iterable<string>): CallUnderWay[] {
  const open = new Map<number, CallUnderWay>();
  for (const line of lines) {
    const read = LINE.safeParse(parsed(line)).data;
    if (read === undefined) continue;
    if ("end" in read) open.delete(read.end);
    else open.set(read.begin, read.call);
  }
  return [...open.values()];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
