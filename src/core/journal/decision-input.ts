import { z } from "zod";
import type { Result } from "../base/failure";
import { readInput } from "../base/input/invalid-input";
import type { Json } from "../base/json";
import { onFirstUse } from "../base/on-first-use";
import { type Decision, signatureFields } from "../review/decision-input";

/** A decision from outside the mission, which writes the journal (engine reference, section 3). */
export const JournalDecision = onFirstUse(() =>
  z.object(
    {
      /** Journal id, e.g. `payment_confirmed_42`. */
      id: z.string("must be a text").min(1, "must be a non-empty text"),
      /**
       * Any JSON value. It is not inspected here: it came through JSON, and may be nested deeper than the stack allows.
       */
      value: z.custom<Json>((value) => value !== undefined, "is missing: any JSON value"),
      by: z.string("must name who decided").min(1, "must name who decided"),
      note: z.string("must be a text").optional(),
      /** Without it a record is never changed. */
      overwrite: z.boolean("must be true or false").optional(),
      ...signatureFields(),
    },
    "must be an object {id, value, by, note?, overwrite?}",
  ),
);
export type JournalDecision = z.infer<ReturnType<typeof JournalDecision>>;

/** Reads a decision from outside; reason `invalid_decision` names every wrong field. */
export function parseJournalDecision(raw: unknown): Result<JournalDecision> {
  return readInput(JournalDecision(), raw, "invalid_decision", "decision");
}

/**
 * The decision as its signature covers it: it names the mission and the record, and whether a record may be replaced
 * (approvals reference, section 4).
 *
 * @param mission the workflow id of the run whose journal it is
 */
export function signedRecord(mission: string, { id, overwrite, ...rest }: JournalDecision): Decision {
  return { ...rest, review: `${mission}#${id}`, choice: overwrite ? "overwrite" : "record" };
}
