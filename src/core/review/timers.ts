import { askedBy } from "./hand-over";
import { nextDueOf, type Passed, passedTime } from "./policy/due";
import type { Review } from "./review";

/** Reviews and time: the effects of a timer on open reviews. */

/** The next moment (ms since 1970) at which time does something to an open review; null if there is none. */
export function nextDue(reviews: readonly Review[]): number | null {
  const times = reviews
    .filter((review) => review.status === "open")
    .map((review) => nextDueOf(review)?.at)
    .filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
}

/** A review after a time. An earlier step does not ask a person again who handed the decision over. */
function passedReview(before: Review, nowMs: number): Passed<Review> {
  const { review, ...passed } = passedTime(askedBy(before), nowMs);
  const { handOvers: _, separatedFrom: __, ...kept } = review;
  return { ...passed, review: kept };
}

/** The author of a default decision. */
export const TIMER = "timer";

/** The reviews after the time `nowMs`, and what happened: defaults taken, reminders to send, others who are asked as well. */
export function passTime(
  reviews: readonly Review[],
  nowMs: number,
): { reviews: Review[]; timedOut: Review[]; reminded: Review[]; escalated: Review[] } {
  const timedOut: Review[] = [];
  const reminded: Review[] = [];
  const escalated: Review[] = [];
  const after = reviews.map((before) => {
    if (before.status !== "open") return before;
    const { review, ...passed } = passedReview(before, nowMs);
    if (passed.timedOut) {
      const { id, onTimeout } = review;
      const choice = onTimeout as string;
      const decision = { review: id, choice, by: TIMER, note: "nobody decided in time", at: nowMs };
      const over: Review = { ...review, status: "decided", decision, closedAt: nowMs };
      timedOut.push(over);
      return over;
    }
    if (passed.reminded) reminded.push(review);
    if (passed.asked.length > 0) escalated.push(review);
    return review;
  });
  return { reviews: after, timedOut, reminded, escalated };
}
