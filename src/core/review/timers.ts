import type { Review } from "./review";

/** Reviews and time: what a timer does to those that are open. */

/** The next moment (ms since 1970) at which something is due with an open review; null when nothing is. */
export function nextDue(reviews: readonly Review[]): number | null {
  const times = reviews
    .filter((review) => review.status === "open")
    .flatMap(({ expiresAt, onTimeout, remindAt }) => [
      ...(expiresAt !== undefined && onTimeout !== undefined ? [expiresAt] : []),
      ...(remindAt === undefined ? [] : [remindAt]),
    ]);
  return times.length === 0 ? null : Math.min(...times);
}

/** Who decides when nobody does. */
export const TIMER = "timer";

/** The reviews after the time `nowMs`, and what happened: defaults taken, people to remind. */
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
