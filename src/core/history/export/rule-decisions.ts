import type { Json } from "../../base/json";
import { BY_QUORUM, canStillAgree } from "../../review/decide";
import type { Decision } from "../../review/decision-input";
import { neededPeople } from "../../review/policy/agreement";
import type { Review } from "../../review/review";
import { TIMER } from "../../review/timers";
import type { KnownReview } from "./known-review";
import type { LedgerProblem } from "./verdict";

/** Decisions without a person: the default of a review whose time is over, or of one that cannot reach its quorum. */

/** Whether the rules of a review decided, and no person. */
export const isRule = (by: string): boolean => by === TIMER || by === BY_QUORUM;

/**
 * Why the rules of a review cannot have decided so; null if they can, and then it is decided.
 *
 * @param at ms since 1970
 */
export function ruleProblem(
  known: KnownReview,
  decision: Decision,
  at: number,
): Pick<LedgerProblem, "code" | "message"> | null {
  const { review } = known;
  const { by, choice } = decision;
  // The vote before has decided it by the same rules.
  const isSettled = by === BY_QUORUM && review.decision?.by === BY_QUORUM && review.decision.choice === choice;
  if (isSettled && !known.isRuled) {
    known.isRuled = true;
    return null;
  }
  if (review.status !== "open")
    return { code: "already_decided", message: `Review "${review.id}" was over when "${by}" decided it.` };
  if (choice !== choiceOf(known, by) || decision.signature !== undefined || !isDue(review, by, at))
    return {
      code: "bad_decision",
      message: `By the rules of review "${review.id}" "${by}" cannot decide "${choice}".`,
    };
  known.isRuled = true;
  known.review = { ...review, status: "decided", decision: { review: review.id, choice, by, at }, closedAt: at };
  return null;
}

function choiceOf({ body: { choices, on_timeout } }: KnownReview, by: string): Json | undefined {
  return by === TIMER ? on_timeout : (on_timeout ?? (choices as Json[]).at(-1));
}

/** Time limits are no part of the ledger. A quorum is given up when those who have not voted are too few. */
function isDue(review: Review, by: string, at: number): boolean {
  const { votes = [], ladder = [] } = review;
  if (by === TIMER) return true;
  if (neededPeople(review) === 1 || votes.length === 0) return false;
  return !canStillAgree(
    review,
    at,
    ladder.some((step) => step.at > at),
  );
}
