import { z } from "zod";
import type { Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import { jsonInput } from "../../base/input/json-input";
import { MAX_OUTPUT_BYTES } from "../../base/limits";
import { onFirstUse } from "../../base/on-first-use";
import { MoverInput } from "../../review/people/mover";
import { claimToken } from "./claim-input";

/** The result of a task's present step, as the one that drives the task reports it (graph reference, section 4). */
export const Advance = onFirstUse(() =>
  z.object(
    {
      result: z.string("must be a text").optional(),
      /** Kept in the history; it never affects the move. */
      output: jsonInput(MAX_OUTPUT_BYTES).optional(),
      /** If given and the task is elsewhere, nothing moves: for callers that may send twice. */
      expectedStep: z.string("must be a text").optional(),
      /** The version of the task that the sender saw: a repeated call then moves once and is answered the same. */
      version: z.int("must be the version that an answer gave").min(0, "must be 0 or more").optional(),
      /**
       * The call looks like a repeat, unless it names a version. Where a repeat would pass over a person it is refused with
       * `version_required`.
       */
      mayRepeat: z.boolean("must be true or false").optional(),
      /**
       * The version in the last answer that the sender's session got about the task. If the task has moved since, the call is
       * `stale_version`.
       */
      seen: z.int("must be the version that an answer gave").min(0, "must be 0 or more").optional(),
      /** The token of the sender's claim. */
      claim: claimToken().optional(),
      /** On a fork: continues although branches are open. */
      force: z.boolean("must be true or false").optional(),
      /** Who reports it, if an agent does: it may not decide where a review names people. */
      by: MoverInput().optional(),
    },
    "must be an object",
  ),
);
export type Advance = z.infer<ReturnType<typeof Advance>>;

/** Reads an advance from outside; reason `invalid_input` names every wrong field. */
export function parseAdvance(raw: unknown): Result<Advance> {
  return readInput(Advance(), raw, "invalid_input", "advance");
}
