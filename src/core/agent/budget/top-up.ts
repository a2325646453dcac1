import { type Failure, failed } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { kindOfReview } from "../../review/inbox/inbox-kind";
import type { Decision, Review } from "../../review/review";

/** The choice that gives a spent budget more. */
export const TOP_UP = "top_up";

const PARTS = ["tokens", "cost"] as const;

/**
 * Why a decision adds nothing to the spent budget that a review asks about: the run would ask again at once. null if it adds something, or is
 * about something else. Only for who can still be told: histories have decisions that were taken before.
 */
export function topUpProblem(reviews: readonly Review[], { review: id, choice, value }: Decision): Failure | null {
  const review = reviews.find((one) => one.id === id);
  if (review === undefined || review.status !== "open" || choice !== TOP_UP) return null;
  const { limit } = review.data;
  if (kindOfReview(review) !== "budget" || !isObject(limit)) return null;
  const limited = PARTS.filter((part) => typeof limit[part] === "number");
  const added = isObject(value) ? value : {};
  const wrong = PARTS.find((part) => !isAbsent(added[part]) && !isPositive(added[part]));
  if (wrong === undefined && limited.some((part) => isPositive(added[part]))) return null;
  const parts = limited.join(" or ");
  const why = wrong === undefined ? `it adds no ${parts}` : `${wrong} is ${JSON.stringify(added[wrong])}`;
  return failed(
    "invalid_value",
    `"${TOP_UP}" of review "${id}" must add more than 0 ${parts}, as in {"${limited[0]}": ${limited[0] === "cost" ? 2 : 50_000}}: ${why}.`,
    { limit },
  ).fail;
}

const isAbsent = (amount: Json | undefined): boolean => amount === undefined || amount === null;
const isPositive = (amount: Json | undefined): boolean => typeof amount === "number" && amount > 0;
