import type { Review } from "./review";

/** Reviews and time: the effects of a timer on open reviews. */

/** The next moment (ms since 1970) at which an open review has a default or a reminder due; null if there is none. */
export function nextDue(reviews: readonly Review[]): number | null {
  const times = reviews
    .filter((review) => review.status === "open")
    .flatMap(({ expiresAt, onTimeout, remindAt }) => [
      ...(expiresAt !== undefined && onTimeout !== undefined ? [expiresAt] : []),
      ...(remindAt === undefined ? [] : [remindAt]),
    ]);
  return times.length === 0 ? null : Math.min(...times);
}

/** The author of a default decision. */
export const TIMER = "timer";

/** The reviews after the time `nowMs`, and what happened: defaults taken, reminders to send. */
export function passTime(
  reviews: readonly Review[],
  nowMs: number,
): { reviews: Review[]; timedOut: Review[]; reminded: Review[] } {
  const timedOut: Review[] = [];
  const reminded: Review[] = [];
  const after = reviews.map((review) => {
    if (review.status !== "open") return review;
    const { id, expiresAt, onTimeout, remindAt, remindMs } = review;
    if (expiresAt !== undefined && onTimeout !== undefined && nowMs >= expiresAt) {
      const decision = { review: id, choice: onTimeout, by: TIMER, note: "nobody decided in time", at: nowMs };
      const over: Review = { ...review, status: "decided", decision, closedAt: nowMs };
      timedOut.push(over);
      return over;
    }
    if (remindAt === undefined || remindMs === undefined || nowMs < remindAt) return review;
    const again: Review = { ...review, remindAt: nowMs + remindMs, reminders: (review.reminders ?? 0) + 1 };
    reminded.push(again);
    return again;
  });
  return { reviews: after, timedOut, reminded };
}
