import type { Delivery, DeliveryPlan, Notice, Unheard } from "./delivery";
import type { Review } from "./review-schema";

/**
 * The outbox of a review: what people have still to be told, and what could not be told (approvals reference, section 8). It
 * is a part of the review, so it goes where the review goes. A delivery leaves the outbox when it is confirmed.
 */

/** The most that a review shows. */
const MAX_UNHEARD = 20;

const isSame = (a: Delivery | Unheard, b: Delivery | Unheard): boolean => a.channel === b.channel && a.to === b.to;

const isEqual = (a: Notice, b: Notice): boolean => a.event === b.event && a.at === b.at;

/** Adds a notice. */
export const withNotice = (review: Review, notice: Notice): Review => ({
  ...review,
  notices: [...(review.notices ?? []), notice],
});

/** A worker has said to whom the notice goes. One that goes to nobody is done. */
export const withPlan = (review: Review, notice: Notice, plan: DeliveryPlan): Review =>
  withNotices(
    review,
    (review.notices ?? []).map((one) => (isEqual(one, notice) ? { ...one, plan } : one)),
  );

/** A delivery is over. `unheard`: it was given up; otherwise it is confirmed, and what was shown of its failure goes. */
export function withoutDelivery(review: Review, notice: Notice, delivery: Delivery, unheard: Unheard | null): Review {
  const rest = withNotices(
    review,
    (review.notices ?? []).map((one) => {
      if (!isEqual(one, notice) || one.plan === undefined) return one;
      const deliveries = one.plan.deliveries.filter((other) => !isSame(other, delivery));
      return { ...one, plan: { ...one.plan, deliveries } };
    }),
  );
  return withUnheard(rest, delivery, unheard);
}

/** A delivery fails: people see it in the inbox. null: it no longer does. */
export function withUnheard(review: Review, delivery: Delivery, unheard: Unheard | null): Review {
  const { unheard: before = [], ...rest } = review;
  const others = before.filter((one) => !isSame(one, delivery));
  const all = unheard === null ? others : [...others, unheard];
  return all.length === 0 ? rest : { ...rest, unheard: all.slice(-MAX_UNHEARD) };
}

/** Nobody has to be told any more. */
export const withoutNotices = (review: Review): Review => withNotices(review, []);

function withNotices(review: Review, notices: Notice[]): Review {
  const { notices: _, ...rest } = review;
  const left = notices.filter(({ plan }) => plan === undefined || plan.deliveries.length > 0);
  return left.length === 0 ? rest : { ...rest, notices: left };
}

/** The lines that say what could not be told: `email to anna: 550 no such user`. */
export function unheardLines({ unheard = [], status }: Pick<Review, "unheard" | "status">): string[] {
  const goesOn = status === "open" ? "it is tried again" : "it is not tried any more: the review is closed";
  return unheard.map(
    ({ channel, to, error, given_up }) => `${channel} to ${to}: ${error}${given_up ? "" : ` (${goesOn})`}`,
  );
}
