import * as z from "zod";

/** What a tool asks the person at the client, and how the answer comes back (mcp reference, section 4.2). */

/** What exactly is asked, and whose answer it would be. */
export const Question = z.object({
  /** The review, if the answer decides one. */
  review: z.string().optional(),
  /** A digest of the form and its message. */
  asks: z.string(),
  /** Absent: the answer is nobody's decision. */
  whose: z.string().optional(),
});
export type Question = z.infer<typeof Question>;

/** The content of the form that the person filled. */
export const FormAnswer = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});
export type FormAnswer = z.infer<typeof FormAnswer>;

/** A move without the task after it, which is read again. */
export const MadeMove = z.looseObject({ success: z.literal(true), previousStep: z.string(), action: z.string() });
export type MadeMove = z.infer<typeof MadeMove>;

/** A call that comes again, with the answer to its question; absent: the client has none. */
export interface Resumed {
  question: Question;
  move?: MadeMove;
  answer?: FormAnswer;
}
