import { z } from "zod";
import type { Result } from "../base/failure";
import { jsonInput } from "../base/input/json-input";
import { readInput } from "../base/invalid-input";
import { MAX_OUTPUT_BYTES } from "../base/limits";
import { onFirstUse } from "../base/on-first-use";

const full = () => z.string("must be a non-empty text").min(1, "must be a non-empty text");

/** A person's decision on a review. */
export const Decision = onFirstUse(() =>
  z.object(
    {
      /** Id of the review. */
      review: full(),
      choice: full(),
      /** The value for the choice. */
      value: jsonInput(MAX_OUTPUT_BYTES).optional(),
      by: full(),
      note: z.string("must be a text").optional(),
    },
    "must be an object {review, choice, by, note?, value?}",
  ),
);
export type Decision = z.infer<ReturnType<typeof Decision>>;

/** For boundaries: parses anything as a decision, or fails with `invalid_decision` and every wrong field. */
export function parseDecision(raw: unknown): Result<Decision> {
  return readInput(Decision(), raw, "invalid_decision", "decision");
}
