import type { Delivery, DeliveryPlan, Notice, Undelivered } from "./delivery";
import type { Review } from "./review-schema";

/**
 * The outbox of a review: the messages that are still to be sent, and those that failed (approvals reference, section 8). It
 * is a part of the review, so it goes where the review goes. A delivery leaves the outbox when it is confirmed.
 */

/** The most that a review shows. */
const MAX_UNDELIVERED = 20;

const isSame = (a: Delivery | Undelivered, b: Delivery | Undelivered): boolean =>
  a.channel === b.channel && a.to === b.to;

const isEqual = (a: Notice, b: Notice): boolean => a.event === b.event && a.at === b.at;

/** Adds a notice. */
export const withNotice = (review: Review, notice: Notice): Review => ({
  ...review,
  notices: [...(review.notices ?? []), notice],
});

/** Stores the receivers that a worker has chosen for a notice. A notice without receivers is done. */
export const withPlan = (review: Review, notice: Notice, plan: DeliveryPlan): Review =>
  withNotices(
    review,
    (review.notices ?? []).map((one) => (isEqual(one, notice) ? { ...one, plan } : one)),
  );

/** Ends a delivery. `undelivered`: it was given up; otherwise it is confirmed, and its earlier failure is removed. */
export function withoutDelivery(
  review: Review,
  notice: Notice,
  delivery: Delivery,
  undelivered: Undelivered | null,
): Review {
  const rest = withNotices(
    review,
    (review.notices ?? []).map((one) => {
      if (!isEqual(one, notice) || one.plan === undefined) return one;
      const deliveries = one.plan.deliveries.filter((other) => !isSame(other, delivery));
      return { ...one, plan: { ...one.plan, deliveries } };
    }),
  );
  return withUndelivered(rest, delivery, undelivered);
}

/** A delivery fails: people see it in the inbox. null: it no longer does. */
export function withUndelivered(review: Review, delivery: Delivery, undelivered: Undelivered | null): Review {
  const { unheard: before = [], ...rest } = review;
  const others = before.filter((one) => !isSame(one, delivery));
  const all = undelivered === null ? others : [...others, undelivered];
  return all.length === 0 ? rest : { ...rest, unheard: all.slice(-MAX_UNDELIVERED) };
}

/** Drops all messages that are still to be sent. */
export const withoutNotices = (review: Review): Review => withNotices(review, []);

function withNotices(review: Review, notices: Notice[]): Review {
  const { notices: _, ...rest } = review;
  const left = notices.filter(({ plan }) => plan === undefined || plan.deliveries.length > 0);
  return left.length === 0 ? rest : { ...rest, notices: left };
}

/** The lines for messages that could not be delivered: `email to anna: 550 no such user`. */
export function undeliveredLines({ unheard: undelivered = [], status }: Pick<Review, "unheard" | "status">): string[] {
  const goesOn = status === "open" ? "it is tried again" : "it is not tried any more: the review is closed";
  return undelivered.map(
    ({ channel, to, error, given_up }) => `${channel} to ${to}: ${error}${given_up ? "" : ` (${goesOn})`}`,
  );
}
