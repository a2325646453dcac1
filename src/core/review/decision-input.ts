import { z } from "zod";
import { type Failure, failed, type Result } from "../base/failure";
import { readInput } from "../base/input/invalid-input";
import { jsonInput } from "../base/input/json-input";
import { isObject } from "../base/is-object";
import { MAX_DATE_MS } from "../base/iso-time";
import { MAX_OUTPUT_BYTES } from "../base/limits";
import { onFirstUse } from "../base/on-first-use";
import { PrincipalKind, Via } from "./people/principal";

const full = () => z.string("must be a non-empty text").min(1, "must be a non-empty text");

/** What a signature adds to a decision (approvals reference, section 4). */
export const signatureFields = () => ({
  /** The surface it came through; absent = `library`, or `signal` for a signal. */
  via: Via().optional(),
  /** What kind of principal decides; absent = a person. */
  kind: PrincipalKind().optional(),
  /** The seal of the review, as the principal saw it. */
  seal: z.string("must be a text").max(100, "is longer than a seal").optional(),
  /** When it was signed: ms since 1970. */
  time: z
    .int("must be a whole number of ms since 1970")
    .min(0, "must be a time since 1970")
    .max(MAX_DATE_MS, "must be a time that a date can show")
    .optional(),
  /** Different for each signature: a decision counts once. */
  nonce: z.string("must be a text").min(16, "must have 16 characters or more").max(100).optional(),
  /** A detached JWS (EdDSA) over `decisionText`. */
  signature: z.string("must be a text").max(1_000, "is longer than a signature").optional(),
});

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
      ...signatureFields(),
    },
    "must be an object {review, choice, by, note?, value?}",
  ),
);
export type Decision = z.infer<ReturnType<typeof Decision>>;

/** For boundaries: parses anything as a decision, or fails with `invalid_decision` and every wrong field. */
export function parseDecision(raw: unknown): Result<Decision> {
  return readInput(Decision(), raw, "invalid_decision", "decision");
}

/** The longest texts of a decision, in characters. They go into the history several times, and a run would end over them. */
const LONGEST = { review: 2_000, choice: 2_000, by: 200, note: 16_000 } as const;

/** Why a decision that comes now is too long to be taken; null if it is not. Its other texts have separate limits. */
export function lengthProblem(raw: unknown): Failure | null {
  if (!isObject(raw)) return null;
  for (const [field, longest] of Object.entries(LONGEST)) {
    const text = raw[field];
    if (typeof text === "string" && text.length > longest)
      return failed("invalid_decision", `decision.${field} has ${text.length} characters; the limit is ${longest}`, {
        path: field,
      }).fail;
  }
  return null;
}

/** The choice that takes the principal's own decision back, as long as nothing has come of it. */
export const WITHDRAW = "withdraw-decision";
/** The choice that adds a comment, and decides nothing: the value is {text}. */
export const COMMENT = "comment-review";
/** The choice that gives the decision to somebody else: the value is {to}, a name, `group:NAME` or `lead:NAME`. */
export const HAND_OVER = "hand-over-review";

/** Whether a decision chooses one of the review's own choices. */
export const isVote = ({ choice }: Pick<Decision, "choice">): boolean =>
  choice !== WITHDRAW && choice !== COMMENT && choice !== HAND_OVER;
