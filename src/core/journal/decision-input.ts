import { z } from "zod";
import type { Result } from "../base/failure";
import { readInput } from "../base/invalid-input";
import type { Json } from "../base/json";
import { onFirstUse } from "../base/on-first-use";

/** What somebody outside the mission decided (engine reference, section 3): it writes the journal. */
export const JournalDecision = onFirstUse(() =>
  z.object(
    {
      /** Journal id, e.g. `payment_confirmed_42`. */
      id: z.string("must be a text").min(1, "must be a non-empty text"),
      /** Any JSON value. Not looked into here: it came through JSON, and may be deeper than a stack. */
      value: z.custom<Json>((value) => value !== undefined, "is missing: any JSON value"),
      by: z.string("must name who decided").min(1, "must name who decided"),
      note: z.string("must be a text").optional(),
      /** Without it a recorded entry is never changed. */
      overwrite: z.boolean("must be true or false").optional(),
    },
    "must be an object {id, value, by, note?, overwrite?}",
  ),
);
export type JournalDecision = z.infer<ReturnType<typeof JournalDecision>>;

/** Reads a decision from outside; reason `invalid_decision` names every wrong field. */
export function parseJournalDecision(raw: unknown): Result<JournalDecision> {
  return readInput(JournalDecision(), raw, "invalid_decision", "decision");
}
